"""Texts to measure redaction with, made at run time: secrets of many kinds in their surroundings, and innocent texts.

No secret stands here in one piece: each is drawn, seeded, from the alphabet of its kind.
"""

import base64
import hashlib
import json
import random
import string
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_ALNUM = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"
_BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_SLUG = _ALNUM + "-_"


@dataclass(frozen=True, kw_only=True)
class Case:
    """A text with a secret in it: nothing of `secret` may be left, everything around it must be."""

    kind: str
    text: str
    secret: str


def cases(seed: int = 1) -> list[Case]:
    """Return secrets of some 60 kinds, each in several surroundings."""
    draw = random.Random(seed)
    tokens = [
        Case(kind=kind, text=frame.replace("@@", secret), secret=secret)
        for kind, make in _tokens(draw).items()
        for frame in _FRAMES
        for secret in [make()]
    ]
    return [*tokens, *_given(draw), *_blocks(draw), *_addresses(draw)]


_FRAMES = (
    "The deploy bot uses @@, rotate it in March.",
    "export CI_THING=@@\nmake deploy\n",
    'client = Client("@@")  # staging',
    '{"id": 7, "value": "@@", "on": true}',
    "service:\n  credential: @@\n  retries: 3\n",
    "部署机器人使用@@，三月轮换。",
    "Use it as https://ci.example.org/run?x=1&key=@@&y=2 (see the wiki).",
    "le jeton (@@) expire demain",
    "[2026-11-02 10:15:00] WARN retry with @@.",
)


def _tokens(draw: random.Random) -> dict[str, Callable[[], str]]:
    def some(alphabet: str, count: int) -> str:
        return "".join(draw.choices(alphabet, k=count))

    return {
        "github classic": lambda: "gh" + "p_" + some(_ALNUM, 36),
        "github fine-grained": lambda: "github" + "_pat_" + some(_ALNUM, 22) + "_" + some(_ALNUM, 59),
        "github app": lambda: "gh" + "s_" + some(_ALNUM, 36),
        "github oauth": lambda: "gh" + "o_" + some(_ALNUM, 36),
        "gitlab": lambda: "gl" + "pat-" + some(_SLUG, 19) + some(_ALNUM, 1),
        "gitlab runner": lambda: "gl" + "rt-" + some(_ALNUM, 20),
        "bitbucket": lambda: "AT" + "BB" + some(_ALNUM, 32),
        "atlassian": lambda: "AT" + "ATT3xFfGF0" + some(_SLUG, 170) + "=" + some("0123456789ABCDEF", 8),
        "npm": lambda: "np" + "m_" + some(_ALNUM, 36),
        "pypi": lambda: "pypi-" + "AgEIcHlwaS5vcmc" + some(_ALNUM + "_-", 150) + some(_ALNUM, 1),
        "rubygems": lambda: "ruby" + "gems_" + some(_HEX, 48),
        "slack bot": lambda: (
            "xo" + "xb-" + some(string.digits, 12) + "-" + some(string.digits, 12) + "-" + some(_ALNUM, 24)
        ),
        "slack user": lambda: "xo" + "xp-" + "-".join(some(string.digits, 12) for _ in range(3)) + "-" + some(_HEX, 32),
        "slack app": lambda: "xa" + "pp-1-A" + some(_BASE32, 10) + "-" + some(string.digits, 13) + "-" + some(_HEX, 64),
        "stripe live": lambda: "sk" + "_live_" + some(_ALNUM, 24),
        "stripe restricted": lambda: "rk" + "_live_" + some(_ALNUM, 40),
        "stripe webhook": lambda: "wh" + "sec_" + some(_ALNUM, 32),
        "twilio": lambda: "S" + "K" + some(_HEX, 32),
        "sendgrid": lambda: "S" + "G." + some(_ALNUM, 22) + "." + some(_ALNUM, 43),
        "openai project": lambda: "sk" + "-proj-" + some(_SLUG, 74) + "T3Blbk" + "FJ" + some(_ALNUM, 74),
        "openai old": lambda: "s" + "k-" + some(_ALNUM, 20) + "T3Blbk" + "FJ" + some(_ALNUM, 20),
        "anthropic": lambda: "sk" + "-ant-api03-" + some(_ALNUM + "-_", 93) + "AA",
        "openrouter": lambda: "sk" + "-or-v1-" + some(_HEX, 64),
        "huggingface": lambda: "h" + "f_" + some(string.ascii_letters, 34),
        "groq": lambda: "gs" + "k_" + some(_ALNUM, 52),
        "replicate": lambda: "r" + "8_" + some(_ALNUM, 37),
        "telegram": lambda: some("123456789", 10) + ":AA" + some(_ALNUM, 33),
        "discord": lambda: _b64(some("123456789", 18).encode()) + "." + some(_ALNUM, 6) + "." + some(_ALNUM, 38),
        "aws access key": lambda: "AK" + "IA" + some(_BASE32, 16),
        "aws temporary key": lambda: "AS" + "IA" + some(_BASE32, 16),
        "google api key": lambda: "AI" + "za" + some(_SLUG, 34) + some(_ALNUM, 1),
        "google oauth secret": lambda: "GO" + "CSPX-" + some(_ALNUM, 28),
        "google access token": lambda: "ya" + "29." + some(_SLUG, 120) + some(_ALNUM, 1),
        "azure client secret": lambda: some(_ALNUM, 3) + "8Q~" + some(_ALNUM, 34),
        "digitalocean": lambda: "do" + "p_v1_" + some(_HEX, 64),
        "shopify": lambda: "shp" + "at_" + some(_HEX, 32),
        "vault": lambda: "hv" + "s." + some(_ALNUM, 95),
        "grafana": lambda: "gl" + "sa_" + some(_ALNUM, 32) + "_" + some(_HEX, 8),
        "docker hub": lambda: "dckr" + "_pat_" + some(_ALNUM, 27),
        "databricks": lambda: "da" + "pi" + some(_HEX, 32),
        "linear": lambda: "lin" + "_api_" + some(_ALNUM, 40),
        "notion": lambda: "nt" + "n_" + some(string.digits, 11) + some(_ALNUM, 35),
        "postman": lambda: "PM" + "AK-" + some(_HEX, 24) + "-" + some(_HEX, 34),
        "new relic": lambda: "NR" + "AK-" + some(_BASE32, 27),
        "mailgun": lambda: "ke" + "y-" + some(_HEX, 32),
        "mailchimp": lambda: some(_HEX, 32) + "-us" + "14",
        "age": lambda: "AGE-SECRET" + "-KEY-1" + some("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
        "jwt": lambda: ".".join(
            [
                _b64(b'{"alg":"HS256","typ":"JWT"}'),
                _b64(json.dumps({"sub": some(string.digits, 10), "name": "Ada"}).encode()),
                some(_ALNUM, 43),
            ]
        ),
    }


def _b64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


_PASSWORDS = ("hunter2", "Tr0ub4dor&3", "s3cr3t!", "Sommer2024!", "p@ssW0rd99", "qwe123ASD", "Zx9$kLm2", "letme1n-now")
_SAID = (
    "The database password is @@.",
    "password = @@",
    "password=@@",
    'DB_PASSWORD="@@"',
    "DB_PASSWORD=@@\nDB_HOST=db\n",
    "export PGPASSWORD=@@",
    '{"user": "ada", "password": "@@"}',
    "spring.datasource.password=@@",
    "login:\n  username: ada\n  password: @@\n",
    "connect(user='ada', password='@@')",
    'db_password: str = "@@"',
    "const dbPassword = '@@';",
    "'password' => '@@',",
    "<password>@@</password>",
    "The password for the staging server is @@, ask Tom.",
    "Server=db;User Id=sa;Password=@@;Encrypt=true",
    "Das Passwort für das WLAN lautet @@",
    "Kennwort: @@",
    "La contraseña es @@",
    "Contraseña: @@",
    "Le mot de passe est @@",
    "mot de passe : @@",
    "密码是@@",
    "数据库密码：@@，不要外传",
    "パスワードは@@です",
    "パスワード：@@",
    "mysql --user=root --password=@@ shop",
    "deploy --password @@ --yes",
    "machine api.example.org login ada password @@",
    "db.example.org:5432:shop:ada:@@",
    "ALTER USER ada WITH PASSWORD '@@';",
    "sshpass -p @@ ssh ada@host",
    "curl -u ada:@@ https://example.org/x",
    "**Password:** `@@`",
    "pwd: @@",
)
_PHRASES = (
    "correct horse battery staple",
    "mein langes wlan kennwort",
    "vier blaue hunde tanzen",
    "tres gatos negros saltan",
)
_PHRASED = ('password = "@@"', 'wifi password: "@@"', '{"user": "ada", "password": "@@"}', 'PASSPHRASE="@@"\n')
_JOINED = ("tiger-lamp-ocean-42", "maple-7-orbit-violin", "copper-meadow-lantern-9")
_JOINED_SAID = (
    "passphrase: @@",
    "pass phrase: @@",
    "SSH passphrase=@@",
    "The passphrase is @@.",
    "backup:\n  passphrase: @@\n",
)
_SPREAD = (
    "DB_PASSWORD=\n  @@\nDB_HOST=db",
    "password\u200b=@@",
    "passw\u00adord=@@ for now",
    "\u2060pass\u200dword: @@, ask Tom",
    "Пароль: @@",
    "пароль=@@",
    "비밀번호: @@",
    "senha: @@",
    "login?next=%2Fin%3Fuser%3Dada%26password%3D@@%26page%3D2",
    "password%3D@@",
)
_SPREAD_PASSWORDS = ("s3cr3tpw99zz", "Кот12345секрет", "naïve4711ça", "Tr0ub4dor3xyz")
_AMPERSANDS = ("Tr0ub4dor&3xyz", "a1b2&c3d4&e5", "x9&Kl!m2")
_AMPERSANDS_SAID = (
    "password: @@",
    "The password is @@.",
    "password=@@\nuser=ada",
    "pwd: @@, ask Tom",
    "login(password=@@)",
)
_KEYS = (
    "API_KEY=@@",
    'api_key: "@@"',
    '{"clientSecret": "@@"}',
    "client_secret=@@&grant_type=client_credentials",
    "aws_secret_access_key = @@",
    "SECRET_KEY = '@@'",
    "x-api-key: @@",
    "The API key is @@.",
    "auth_token: @@",
    "//registry.npmjs.org/:_authToken=@@",
    "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=@@;EndpointSuffix=core.windows.net",
    "密钥：@@",
    "APIキー：@@",
    "API-Schlüssel: @@",
    "clé API : @@",
    "Authorization: Bearer @@",
    "curl -H 'Authorization: Bearer @@' https://example.org",
    '"Authorization": "token @@"',
    "GET /v1/items?access_token=@@ HTTP/1.1",
    "https://example.org/hook?api_key=@@",
    "Cookie: theme=dark; sessionid=@@; lang=en",
)


def _given(draw: random.Random) -> Iterator[Case]:
    for frame in _SAID:
        for secret in draw.sample(_PASSWORDS, k=2):
            yield Case(kind="password assignment", text=frame.replace("@@", secret), secret=secret)
    for kind, frames, secrets in (
        ("passphrase in quotes", _PHRASED, _PHRASES),
        ("passphrase of joined words", _JOINED_SAID, _JOINED),
        ("password spread or encoded", _SPREAD, _SPREAD_PASSWORDS),
        ("password with an ampersand", _AMPERSANDS_SAID, _AMPERSANDS),
    ):
        for frame in frames:
            for secret in secrets:
                yield Case(kind=kind, text=frame.replace("@@", secret), secret=secret)
    for frame in _KEYS:
        for length in (32, 40):
            secret = "".join(draw.choices(_ALNUM, k=length))
            yield Case(kind="key assignment", text=frame.replace("@@", secret), secret=secret)
    secret = _b64(b"ada:" + draw.choice(_PASSWORDS).encode())
    yield Case(kind="basic authorization", text=f"Authorization: Basic {secret}", secret=secret)


def _blocks(draw: random.Random) -> Iterator[Case]:
    for name in ("RSA ", "EC ", "OPENSSH ", "DSA ", "ENCRYPTED ", ""):
        body = base64.b64encode(draw.randbytes(600)).decode()
        lines = [body[at : at + 64] for at in range(0, len(body), 64)]
        first, last = f"-----BEGIN {name}PRIV" + "ATE KEY-----", f"-----END {name}PRIV" + "ATE KEY-----"
        whole = "\n".join([first, *lines, last])
        yield Case(kind="private key", text=f"The key:\n{whole}\nkeep it safe", secret=whole)
        crlf = whole.replace("\n", "\r\n")
        yield Case(kind="private key, CRLF", text=f"key\r\n{crlf}\r\nend", secret=crlf)
        escaped = whole.replace("\n", "\\n")
        yield Case(kind="private key, escaped", text=f'{{"type": "x", "data": "{escaped}\\n", "n": 1}}', secret=escaped)
        cut = "\n".join([first, *lines[:6]])
        yield Case(kind="private key, cut", text=f"see below\n{cut}", secret=cut)
        short = "\n".join([first, body[:12] + "aB3+" + body[12:14], last])
        yield Case(kind="private key, short", text=f"key:\n{short}\nend", secret=short)
        large = base64.encodebytes(draw.randbytes(60_001)).decode().strip()
        long = f"{first}\n{large}\n{last}"
        yield Case(kind="private key, long", text=f"key:\n{long}\nend", secret=long)
        yield Case(kind="private key, long and cut", text=f"key:\n{first}\n{large}", secret=f"{first}\n{large}")
        indented = "\n    ".join([first, *lines, last])
        yield Case(kind="private key, indented", text=f"tls:\n  key: |\n    {indented}\n  x: 1\n", secret=indented)
    body = base64.b64encode(draw.randbytes(144)).decode()
    rows = [body[at : at + 64] for at in range(0, len(body), 64)]
    head = f"PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: {len(rows)}\n"
    secret = "\n".join(rows)
    yield Case(kind="putty key", text=f"{head}{secret}\nok", secret=secret)
    token = "gh" + "p_" + "".join(draw.choices(_ALNUM, k=36))
    wrapped = token[:21] + "\n" + token[21:]
    yield Case(kind="wrapped token", text=f"it is {wrapped} so", secret=wrapped)


def _addresses(draw: random.Random) -> Iterator[Case]:
    for scheme in (
        "postgresql",
        "mysql+pymysql",
        "mongodb+srv",
        "redis",
        "amqps",
        "https",
        "ftp",
        "smtp",
        "jdbc:mysql",
    ):
        for secret in draw.sample(_PASSWORDS, k=2):
            user = "" if scheme == "redis" else "app"
            url = f"{scheme}://{user}:{secret}@db.example.org:5432/shop?x=1"
            yield Case(kind="connection string", text=f"Use {url} for now.", secret=secret)
    hook = "T" + "".join(draw.choices(_BASE32, k=8)) + "/B" + "".join(draw.choices(_BASE32, k=8))
    secret = hook + "/" + "".join(draw.choices(_ALNUM, k=24))
    yield Case(kind="slack webhook", text=f"post to https://hooks.slack.com/services/{secret} daily", secret=secret)
    secret = "".join(draw.choices(_SLUG, k=67)) + "a"
    url = f"https://discord.com/api/webhooks/{draw.randrange(10**17, 10**18)}/{secret}"
    yield Case(kind="discord webhook", text=f"通知は{url} へ", secret=secret)


def innocents(seed: int = 2) -> list[str]:
    """Return more than 2 000 texts without a secret that look as if they had one."""
    draw = random.Random(seed)
    made = [frame.replace("@@", value) for value in _values(draw) for frame in draw.sample(_AROUND, k=2)]
    return [*made, *_TEXTS, *_prose(draw), *_code(draw), *_images(draw)]


_AROUND = (
    "@@",
    "See @@ for details.",
    "commit @@",
    "- id: @@\n  state: open\n",
    '{"ref": "@@", "count": 3}',
    "https://example.org/items/@@?page=2",
    "Deployed heroku @@, then algolia @@.",
    "value = '@@'",
    "修复于@@，见说明",
    "The datadog key event was @@ and it passed",
    "digest: @@",
    "checked @@ against @@",
)


def _values(draw: random.Random) -> Iterator[str]:
    def some(alphabet: str, count: int) -> str:
        return "".join(draw.choices(alphabet, k=count))

    for length in range(7, 65):
        for _ in range(4):
            yield some(_HEX, length)
    for _ in range(60):
        raw = uuid.UUID(int=draw.getrandbits(128), version=draw.choice((1, 3, 4, 5)))
        yield draw.choice((str(raw), str(raw).upper(), raw.hex, f"{{{raw}}}", raw.urn))
        yield some("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 26)
        yield some(_SLUG, 21)
        yield some(_ALNUM, draw.choice((8, 11, 16, 22)))
        yield "sha256:" + some(_HEX, 64)
        yield "registry.example.org/team/app@sha256:" + some(_HEX, 64)
        yield "sha512-" + base64.b64encode(draw.randbytes(64)).decode()
        yield "sha384-" + base64.b64encode(draw.randbytes(48)).decode()
        yield f"{draw.randrange(40)}.{draw.randrange(40)}.{draw.randrange(90)}-rc.1+build.{some(_HEX, 7)}"
        yield ":".join(some(_HEX, 4) for _ in range(8))
        yield ":".join(some(_HEX, 2) for _ in range(6))
        yield ":".join(some("0123456789ABCDEF", 2) for _ in range(32))
        yield f"+49 {draw.randrange(100, 999)} {draw.randrange(10**6, 10**8)}"
        yield "978-" + "-".join(some(string.digits, count) for count in (1, 5, 3, 1))
        yield "DE" + some(string.digits, 20)
        yield "#" + some(_HEX, 6)
        yield f"/home/ada/{some(string.ascii_lowercase, 8)}/v{draw.randrange(9)}/{some(_HEX, 12)}.tar.gz"
        yield f"C:\\Users\\ada\\{some(_ALNUM, 8)}\\token_{draw.randrange(99)}.json"
        yield f"s3://bucket-{some(_HEX, 6)}/year=2026/part-{some(_HEX, 32)}.parquet"
        yield f"2026-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}T10:{draw.randrange(60):02}:00.123456Z"
        yield "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + base64.b64encode(draw.randbytes(32)).decode()[:43]
        yield f"arn:aws:iam::{some(string.digits, 12)}:role/{some(string.ascii_lowercase, 12)}"
        yield f"projects/{some(string.ascii_lowercase, 8)}/locations/europe-west{draw.randrange(9)}/keyRings/a"
        yield hashlib.md5(draw.randbytes(4)).hexdigest()
        yield base64.b64encode(draw.randbytes(draw.choice((12, 24, 36)))).decode()


_TEXTS = (
    "the password is reset every 30 days",
    "password: required",
    "password=$DB_PASSWORD",
    "password = ${DB_PASSWORD:-}",
    "password: <your-password>",
    "password=****",
    "PASSWORD=",
    "token limit is 4096 tokens",
    "max_tokens=4096, token_count: 128000",
    "The token is 4096 characters long.",
    "Passwords must be at least 12 characters.",
    "password: at least 8 characters, one digit",
    "Password is SHA256-hashed with a salt.",
    "The password is base64-encoded; the secret is AES-256 encrypted.",
    "The token is OAuth2-based and the key is RSA-2048.",
    "password = getpass.getpass()",
    "password = os.environ['DB_PASSWORD']",
    "password=password",
    "self.password = password",
    "const token = req.headers.authorization.split(' ')[1];",
    "token = tokenizer.encode(text)[0]",
    "secret = client.get_secret_value(SecretId='x')",
    "if password == None: raise ValueError",
    "def login(user: str, password: str) -> Token: ...",
    '<input type="password" name="password" placeholder="Password">',
    '{"password": "Enter your password", "token": "string"}',
    '{"type": "object", "required": ["password"], "properties": {"password": {"type": "string"}}}',
    "api_key: YOUR_API_KEY",
    "OPENAI_API_KEY=sk-...",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "Use Bearer authentication and Basic authentication.",
    "postgres://user:password@host:5432/db",
    "postgresql://$USER:$PASS@host/db",
    "http://localhost:8080/@scope/package",
    "https://example.org:8443/path@2x.png",
    "git@github.com:owner/repo.git",
    "-----BEGIN CERTIFICATE-----\nMIIB8TCCAZegAwIBAgIUQ2\n-----END CERTIFICATE-----",
    "A PEM file starts with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----.",
    "Das Passwort wird alle 30 Tage zurückgesetzt.",
    "Das Passwort ist abgelaufen. Passwort: erforderlich",
    "La contraseña es obligatoria. Contraseña: mínimo 8 caracteres",
    "La clave del éxito es la paciencia. La clave: trabajar",
    "Le mot de passe est expiré. Mot de passe : obligatoire",
    "密码是必填项。密码：至少8位",
    "密码每30天重置一次。令牌有效期为3600秒",
    "パスワードは必須です。パスワード：8文字以上",
    "トークンは3600秒で失効します",
    "The secret of good tea is 95°C water.",
    "The key is under the mat. Key: C# minor, 4/4",
    "Secret Santa is on 2026-12-20; password: see the wiki",
    "Compass: north. Bypass: 12. Tests pass: 120 of 121",
    "pass: 12, fail: 0, skipped: 3",
    "PWD=/home/ada OLDPWD=/tmp",
    "The password was changed on 2026-11-02 at 10:15.",
    "token: identifier | number | string",
    "token_type=bearer&expires_in=3600",
    "password_reset_expires_at: 2026-11-02T10:00:00Z",
    "secret: false, api_key: null",
    "kubectl get secret my-secret -o yaml",
    "secretName: shop-tls-2026",
    "the sk-learn pipeline and the key-value store",
    "sk-estimator-with-a-very-long-and-descriptive-kebab-name",
    "npm_config_registry_with_a_long_underscored_name",
    "hf_transformers_from_pretrained_model_name",
    "A release named glpat-like-things-in-our-naming-scheme",
    "key-value-pairs-are-stored-in-a-hash-map-of-strings",
    "user:pass is the form that Basic expects",
    "mysql -u root -p shop < dump.sql",
    "curl -u $USER:$PASS https://example.org",
    "curl --user ada https://example.org",
    "👍🏽 🇩🇪 👩‍👩‍👧 tokens: 🎟️🎟️",
    "rgba(12, 34, 56, 0.5) #ffcc00 hsl(120deg 75% 25%)",
    "1 000 tokens cost 0.002 $; secret ingredient: cardamom",
    "Session: 2026-11-02, password manager: 1Password, version 8.10",
    "Wi-Fi password is on the fridge.",
    "The password is the same as last year.",
    "What is the password for the Wi-Fi?",
    "He said the password is easy to guess: his dog's name.",
    "Is the API key valid? API key: rotated in May 2026",
    "private key: kept in the HSM, slot 3",
    "access key: left door, 2nd floor",
    "Schlüssel: Haustür 2. Stock",
    "2FA token is a 6-digit code",
    "token: 4096/8192 used",
    "csrf_token: {{ csrf_token }}",
    "password: !vault |",
    "password: {{ vault_db_password }}",
    "password: vault:secret/data/db#password",
    "PGPASSWORD=${{ secrets.DB_PASSWORD }}",
    "token=%s secret=%(secret)s password={password}",
    "process.env.API_KEY, api_key=process.env.API_KEY",
    "token = flags&MASK",
    "const secret = a&b, token = left&right;",
    "password: salt&pepper",
    "key=R&D, token: Q&A",
    'password: "at least eight characters please"',
    'password = "reset link sent yesterday"',
    'password: "bitte neues Passwort eingeben"',
    'password: "mot de passe oublié par le client"',
    'password: "contraseña olvidada por el usuario"',
    'password = "string between eight and twenty characters"',
    '{"password": "this field is never returned", "token": "opaque string of the server"}',
    'expect(page).toHaveText("password: "); passphrase: "your disk encryption passphrase"',
    'label(password="forgot your password?", passphrase="type the passphrase again")',
    'pass: "all unit tests green"',
    "passphrase: at-least-4-words",
    "passphrase: not-set",
    "The passphrase is machine-generated, the pass phrase is case-sensitive.",
    "PASSWORD=\n  DB_HOST2=db1",
    "env:\n  PASSWORD=\n  replicas2: 3",
    "password =\n    settings2.password",
    "password =\n  see ticket4711 for it",
    "token =\n    await fetch2(url)",
    "token =\n        self.client2.token(scope)",
    "redirect=%2Flogin%3Ftoken%3Drequired%26password%3Dexpired",
    "password%3D%26user%3Dada",
    "пароль: обязательно",
    "Пароль меняют каждые 30 дней. Пароль: минимум 8 символов",
    "токен: 4096, секретный ключ: нет",
    "비밀번호: 필수 입력",
    "senha: obrigatória",
    "zero\u200bwidth pass\u00adwords: none",
    "-----BEGIN PRIVATE KEY-----\nYOUR_KEY_HERE\n-----END PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY----- stands before several lines without meaning",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "-----BEGIN RSA PRIVATE KEY----- is how the file begins",
    "[REDACTED:password] and password=[REDACTED:password]",
)
_SENTENCES = (
    "The cat slept on the warm keyboard while the build was running.",
    "We moved the billing service to another region because of latency.",
    "Der Zug nach Hamburg hatte wieder zwanzig Minuten Verspätung.",
    "Das neue Verfahren spart pro Woche drei Stunden Arbeit.",
    "La reunión con el cliente se aplazó hasta el jueves a las 10:30.",
    "Me gusta el café sin azúcar y con un poco de leche.",
    "Le train de 18h42 est supprimé à cause de la neige.",
    "Il faut relire le contrat avant la fin du mois.",
    "会议改到星期四上午十点半，地点不变。",
    "他喜欢在雨天读历史小说。",
    "明日の会議は午後三時からになりました。",
    "新しいサーバーは来週から使えます。",
    "A reunião foi adiada para a próxima semana.",
    "Встреча перенесена на четверг, зал тот же.",
    "회의는 목요일 오전으로 연기되었습니다.",
    "Il gatto dorme sempre sulla mia sedia preferita.",
)
_COMMITS = (
    "fix: handle expired tokens on refresh (#{n})",
    "feat(auth): rotate the secret key every {n} days",
    "Merge pull request #{n} from ada/password-reset",
    "Bump actions/checkout from v{n} to v4.2.2",
    'Revert "Use SHA-256 for api key digests" ({h})',
    "chore: drop token-bucket v{n}, see {h}",
)
_NAMES = ("user", "token", "secret", "password", "session", "key", "api", "refresh", "access", "auth")
_VERBS = ("get", "set", "validate", "encode", "rotate", "hash", "parse", "load")


def _prose(draw: random.Random) -> Iterator[str]:
    for _ in range(400):
        yield " ".join(draw.sample(_SENTENCES, k=draw.randint(1, 4)))
    for _ in range(120):
        yield draw.choice(_COMMITS).format(n=draw.randint(2, 9999), h="".join(draw.choices(_HEX, k=10)))


def _code(draw: random.Random) -> Iterator[str]:
    for _ in range(200):
        noun, other, verb = draw.choice(_NAMES), draw.choice(_NAMES), draw.choice(_VERBS)
        camel = f"{verb}{noun.title()}For{other.title()}V{draw.randint(1, 9)}"
        yield draw.choice(
            (
                f"{noun} = {camel}({other})",
                f"def {verb}_{noun}_{other}_{draw.randint(1, 99)}(self, {noun}: str) -> str:",
                f"function {camel}(a,b){{var c=a.{noun};return c?b.{other}[0]:null}}",
                f"!function(e,t){{e.{noun}=t.{camel},e.n=function(r){{return r.{other}}}}}(this,{{}});",
                f"const {noun}{other.title()} = await this.{noun}Service.{camel}({noun}Id, {{ {other}: true }});",
                f"{noun.upper()}_{other.upper()}_MAX_{draw.randint(1, 99)} = {draw.randint(1, 9999)}",
                f"SELECT {noun}_id, {other}_hash FROM {noun}s WHERE {noun}_id = {draw.randint(1, 9999)};",
                f"  {noun}_{other}_url: https://example.org/{noun}/{other}/v{draw.randint(1, 9)}",
                f"logger.info('{noun} %s expired', {noun}.{other}_id)",
                f".{noun}-{other}{{color:#{''.join(draw.choices(_HEX, k=6))};margin:{draw.randint(1, 9)}px}}",
            )
        )


def _images(draw: random.Random) -> Iterator[str]:
    for size in (90, 600, 3_000, 12_000, 30_000, 60_000):
        for kind in ("png", "jpeg", "gif", "webp"):
            data = base64.b64encode(draw.randbytes(size)).decode()
            yield f"![shot](data:image/{kind};base64,{data})"
            yield f"<img src='data:image/{kind};base64,{data}'>"
    for size in (400, 4_000):
        yield base64.encodebytes(draw.randbytes(size)).decode()
        yield base64.urlsafe_b64encode(draw.randbytes(size)).decode()
