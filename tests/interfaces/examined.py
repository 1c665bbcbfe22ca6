"""What `memory-bank doctor` finds, with fakes for what is not looked at."""

from memory_bank.bootstrap import Parts, examination
from memory_bank.services.diagnosis import Check, Result
from memory_bank.settings import Settings
from tests.fakes import FakeClock, FakeEmbedder

NAMES = [
    *("settings", "data folder", "disk space", "backup folder"),
    *("database", "pgvector", "row-level security", "schema"),
    *("stored vectors", "queue", "notes", "tokens", "backup"),
    *("embedding model files", "embedding model"),
    *("language model", "language model answers"),
    "server",
]


CONTENT = ("stored vectors", "queue", "notes", "tokens", "backup")


def changed(settings: Settings, group: str, **values: object) -> Settings:
    return settings.model_copy(update={group: getattr(settings, group).model_copy(update=values)})


def sound(loaded: Settings) -> Settings:
    """Return the settings with a data folder that is in order and a port that is free for sure."""
    loaded.data_dir.mkdir(mode=0o700, exist_ok=True)
    return changed(loaded, "server", port=0)


async def checks(
    settings: Settings, embedder: FakeEmbedder, clock: FakeClock, *, online: bool = False
) -> dict[str, Check]:
    found = await examination.examined(settings, online=online, parts=Parts(embedder=embedder, clock=clock))
    assert [each.name for each in found] == NAMES, found
    for each in found:
        assert each.detail
        assert bool(each.remedy) or each.result in (Result.OK, Result.SKIPPED), each
    return {each.name: each for each in found}


def results(found: dict[str, Check], *names: str) -> list[str]:
    return [found[name].result.value for name in names]


async def checks_unordered(settings: Settings, embedder: FakeEmbedder, clock: FakeClock) -> dict[str, Check]:
    found = await examination.examined(settings, online=False, parts=Parts(embedder=embedder, clock=clock))
    assert sorted(each.name for each in found) == sorted(NAMES)
    return {each.name: each for each in found}
