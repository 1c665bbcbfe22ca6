"""Exchanges: turns of a user and an assistant that are worth keeping, how much so, and which say the same again."""

import functools
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory_bank.domain import notes, rewording, text
from memory_bank.errors import InvalidInput

SIMILARITY = 0.85
"""Similarity to a recent exchange, of vectors or else of words, above which a new one merges into it."""

RECENT = 30
"""The newest exchanges of a bank that a new one is compared with."""

HOT = 500
"""The newest exchanges of a bank that stay searchable by word."""

MERGED_KEPT = 20
"""The last near-duplicates that an exchange keeps the words of."""

LONGEST_KEYWORD = 5
"""Words of up to so many characters name no exchange: they stand in too many."""

WORDS_LENGTH = 10_000
"""Characters of the words that may name an exchange."""

LEVELS = ((4, 0.85), (2, 0.70), (1, 0.55), (0, 0.40))
"""Importance by the number of signals from which it holds, the highest first."""

LENGTH_SHARE = 0.05
"""Importance that the length of an exchange adds at most."""

SHORT, LONG = 400, 4_000
"""Characters up to which length adds nothing, and from which it adds everything."""

# A line for each of the 22 published signal words: its forms, and the words for it in German, Spanish and French.
# A `*` stands for an ending, a `+` for white space.
_SIGNALS = """
fix: fix fixes fixing | behebe* beheben reparier* | arreglar arregla* corregir | corriger corrige* réparer
fixed: fixed | behoben repariert | arreglad* corregid* | corrigé* réparé*
root+cause: root+cause root+causes | grundursache* hauptursache* ursache* | causa+raíz | cause+racine cause+première
bug: bug bugs | programmfehler* | gazapo* | bogue*
error: error errors | fehler* | errores | erreur*
critical: critical critically | kritisch* | crític* | critique*
decided: decided | entschieden beschlossen | decidid* decidimos decidió | décidé*
decision: decision decisions | entscheidung* beschluss* | decisión decisiones | décision*
discovered: discovered | entdeckt* herausgefunden | descubiert* descubrimos descubrió | découvert*
learned: learned learnt | gelernt | aprendid* aprendimos aprendí | appris*
issue: issue issues | störung* schwierigkeit* | incidencia* inconveniente* | souci soucis
problem: problem problems | problem* | problema* | problème*
solved: solved | gelöst* | resuelt* solucionad* resolvimos | résolu*
solution: solution solutions | lösung* | solución soluciones | solution*
broken: broken | kaputt* defekt* | roto rota rotos rotas estropead* averiad* | cassé*
crash: crash crashes crashed crashing | absturz abstürze* abgestürzt* | bloqueo* colapso* | plantage* planté*
never: never | nie niemals | nunca jamás | jamais
always: always | immer stets | siempre | toujours
must: must | muss müssen musst | debe deben debemos | doit doivent devons
important: important importantly | wichtig* | importante* | important*
architecture: architecture architectures | architektur* | arquitectura* | architecture*
design: design designs designed | entwurf entwürfe* gestaltung* | diseño* diseñad* | conçu*
"""

# The words for them in Chinese and Japanese, found anywhere in a text.
_SIGNALS_UNSPACED = """
fix: 修复 修好 | 直す 修正する
fixed: 已修复 修好了 | 直した 修正した 修正済
root+cause: 根本原因 根因 | 根本原因
bug: 缺陷 漏洞 | バグ 不具合
error: 错误 报错 | エラー 誤り
critical: 关键 严重 | 重大 致命的
decided: 决定了 已决定 | 決めた 決まった 決定した
decision: 决定 决策 | 決定 判断
discovered: 发现 | 発見 見つかった
learned: 学到 学会 | 学んだ 分かった
issue: 故障 事故 | 障害 トラブル
problem: 问题 | 問題
solved: 已解决 解决了 | 解決した 解決済
solution: 解决方案 解决办法 | 解決策 解決方法
broken: 坏了 损坏 | 壊れ
crash: 崩溃 死机 | クラッシュ 落ちた
never: 从不 绝不 永远不 | 決して 絶対に
always: 总是 始终 一直 | 常に 必ず
must: 必须 务必 | しなければ 必須
important: 重要 | 重要 大事
architecture: 架构 | アーキテクチャ
design: 设计 | 設計
"""


@dataclass(frozen=True, kw_only=True)
class Merged:
    """A near-duplicate that an exchange took in."""

    user: str
    assistant: str
    at: datetime


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """A kept turn; its id is its note's. `repeats` counts the near-duplicates that it took in, the last are `merged`.

    `external_id` is its id in the file that it was imported from. `archived` ones are found by meaning only.
    """

    id: UUID
    external_id: str | None = None
    user: str
    assistant: str
    session: str | None
    timestamp: datetime
    importance: float
    importance_given: bool
    tags: tuple[str, ...] = ()
    repeats: int = 0
    merged: tuple[Merged, ...] = ()
    archived: bool = False


@dataclass(frozen=True, kw_only=True)
class Turn:
    """What was said, checked; `importance` lies in [0, 1] and is the caller's when `importance_given`."""

    user: str
    assistant: str
    session: str | None
    importance: float
    importance_given: bool
    tags: tuple[str, ...]

    @property
    def content(self) -> str:
        """The text of its note."""
        return written(self.user, self.assistant)


@dataclass(frozen=True, kw_only=True)
class Earlier:
    """A recent exchange that a new one may repeat; `similarity` is that of their vectors, None without them."""

    id: UUID
    user: str
    assistant: str
    tags: tuple[str, ...]
    similarity: float | None

    @property
    def content(self) -> str:
        """The text of its note."""
        return written(self.user, self.assistant)


def written(user: str, assistant: str) -> str:
    """Return an exchange as its note holds it."""
    return f"User: {user}\nAssistant: {assistant}"


def checked(
    *,
    user: str,
    assistant: str,
    session: str | None = None,
    importance: float | None = None,
    project: str | None = None,
    tags: Iterable[str] = (),
) -> Turn:
    """Return the turn as it will be stored; raises `InvalidInput` naming the field that breaks a rule."""
    said, answered = _checked_side(user), _checked_side(assistant)
    if not said and not answered:
        raise InvalidInput("user", "give what the user or the assistant said; both are blank")
    limit = notes.CONTENT_LIMIT - len(written("", ""))
    if len(said) + len(answered) > limit:
        field = "user" if len(said) > len(answered) else "assistant"
        raise InvalidInput(
            field, f"both sides have at most {limit} characters together, got {len(said) + len(answered)}; shorten it"
        )
    projects = () if project is None or text.is_blank(project) else (f"project:{project.strip()}",)
    return Turn(
        user=said,
        assistant=answered,
        session=notes.checked_session(session),
        importance=scored(said, answered) if importance is None else checked_share(importance, field="importance"),
        importance_given=importance is not None,
        tags=notes.checked_tags((*notes.checked_tags(projects, field="project"), *tags)),
    )


def checked_share(value: float, *, field: str) -> float:
    """Return a number from 0 to 1; raises `InvalidInput` naming `field` for any other, NaN included."""
    if not 0.0 <= value <= 1.0:
        raise InvalidInput(field, f"a number from 0 to 1, got {value}")
    return float(value)


def scored(user: str, assistant: str) -> float:
    """Return the importance of what was said, 0.40 to 0.90: that of its signals, and a share for its length.

    level(signals) + 0.05 · min(1, max(0, characters - 400) / 3600); the level is 0.85 from 4 signals on, 0.70 from 2,
    0.55 for 1, 0.40 for none. It never falls when a side grows by whole words.
    """
    found = len(signals(f"{user}\n{assistant}"))
    level = next(value for least, value in LEVELS if found >= least)
    return level + LENGTH_SHARE * min(1.0, max(0, len(user) + len(assistant) - SHORT) / (LONG - SHORT))


def signals(content: str) -> frozenset[str]:
    """Return the signal words of a text in English, whatever language they stand in there."""
    folded = unicodedata.normalize("NFKC", content).casefold()
    spaced, unspaced = _signal_patterns()
    found = {match.lastgroup for match in spaced.finditer(folded)} | {m.lastgroup for m in unspaced.finditer(folded)}
    return frozenset(group.replace("_", " ") for group in found if group is not None)


def near_duplicates(turn: Turn, recent: Sequence[Earlier]) -> list[UUID]:
    """Return those that the turn says again, the most similar first.

    It does not where it belongs to other projects, or differs in a number, in a word with digits, a denial, an antonym
    or a name: what corrects an exchange is news, however similar it is.
    """
    own = rewording.gist(turn.content)
    found = []
    for each in recent:
        if each.similarity is not None and each.similarity <= SIMILARITY:
            continue
        earlier = rewording.gist(each.content)
        alike = rewording.similarity(own, earlier) if each.similarity is None else each.similarity
        if alike < SIMILARITY or _projects(each.tags) != _projects(turn.tags):
            continue
        differs = _says_another_thing(turn, each) or own.denies != earlier.denies or rewording.contrary(own, earlier)
        if not differs and not rewording.names_differ(turn.content, each.content):
            found.append((alike, each.id))
    return [id for _, id in sorted(found, key=lambda each: each[0], reverse=True)]


def _says_another_thing(turn: Turn, earlier: Earlier) -> bool:
    """Tell whether a side of the turn has words in the place of others, or stands where the earlier one was silent."""
    sides = zip((turn.user, turn.assistant), (earlier.user, earlier.assistant), strict=True)
    return any(
        bool(new) != bool(old) or rewording.substituted(rewording.gist(new), rewording.gist(old)) for new, old in sides
    )


def joint_tags(earlier: Sequence[str], new: Sequence[str]) -> tuple[str, ...]:
    """Return the tags of an exchange that took another one in; of no project when either of them is of none."""
    joined = tuple(dict.fromkeys([*earlier, *new]))
    if not _projects(earlier) or not _projects(new):
        joined = tuple(tag for tag in joined if not tag.startswith("project:"))
    return joined[: notes.TAG_LIMIT]


def checked_words(words: str) -> str:
    """Return words that may name an exchange; raises `InvalidInput` when they stand in too many."""
    cleaned = text.storable(words).strip()
    if len(cleaned) <= LONGEST_KEYWORD:
        raise InvalidInput(
            "query", f"give the exchange's id, or words from it of more than {LONGEST_KEYWORD} characters"
        )
    if len(cleaned) > WORDS_LENGTH:
        raise InvalidInput("query", f"at most {WORDS_LENGTH} characters, got {len(cleaned)}; a few words are enough")
    return cleaned


def _checked_side(said: str) -> str:
    cleaned = text.storable(said)
    return "" if text.is_blank(cleaned) else cleaned


def _projects(tags: Iterable[str]) -> frozenset[str]:
    return frozenset(tag for tag in tags if tag.startswith("project:"))


@functools.cache
def _signal_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return a pattern of whole words and one for scripts without spaces, each with a group for every signal."""
    return re.compile(rf"(?<!\w)(?:{_groups(_SIGNALS)})(?!\w)"), re.compile(_groups(_SIGNALS_UNSPACED))


def _groups(table: str) -> str:
    groups = []
    for line in table.strip().splitlines():
        name, _, listed = line.partition(":")
        # the longest first: a pattern takes the first form that fits
        forms = sorted(set(listed.replace("|", " ").split()), key=len, reverse=True)
        choices = "|".join(re.escape(form).replace(r"\*", r"\w{0,3}").replace(r"\+", r"\s+") for form in forms)
        groups.append(f"(?P<{name.replace('+', '_')}>{choices})")
    return "|".join(groups)
