"""The web page: one file without a build step, over the REST API."""

from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse

router = APIRouter(include_in_schema=False)

_PAGE = Path(__file__).parent / "index.html"


@router.get("/")
async def index() -> FileResponse:
    """Return the page."""
    return FileResponse(_PAGE, media_type="text/html; charset=utf-8")
