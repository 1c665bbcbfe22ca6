"""The web page: files without a build step, over the REST API."""

from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse

from memory_bank.errors import NotFound

router = APIRouter(include_in_schema=False)

_FOLDER = Path(__file__).parent
_MEDIA_TYPES = {
    "index.html": "text/html; charset=utf-8",
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "note.js": "text/javascript; charset=utf-8",
    "graph.js": "text/javascript; charset=utf-8",
    "elements.js": "text/javascript; charset=utf-8",
    "rest.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
# notes are hostile text: only the page's own files run, text never becomes markup, and nothing leaves this server
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    # an upgraded server must not meet scripts of the version before
    "Cache-Control": "no-cache",
}


@router.api_route("/", methods=["GET", "HEAD"])
async def index() -> FileResponse:
    """Return the page."""
    return _file("index.html")


@router.api_route("/web/{name}", methods=["GET", "HEAD"])
async def part(name: str) -> FileResponse:
    """Return a file that the page is made of; raises `NotFound` for any other name."""
    if name not in _MEDIA_TYPES:
        raise NotFound("the web page has no such file; the page itself is at /")
    return _file(name)


def _file(name: str) -> FileResponse:
    return FileResponse(_FOLDER / name, media_type=_MEDIA_TYPES[name], headers=_HEADERS)
