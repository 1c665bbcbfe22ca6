"""`memory-bank backup` and `restore` as whole processes, beside a running server."""

from pathlib import Path

import psycopg

from tests.processes import Commands, waited


def test_a_backup_is_written_listed_checked_and_restored_under_a_running_server(commands: Commands) -> None:
    with commands.serving() as served:
        served.ready()
        served.post("/notes", {"content": "Ada prefers green tea", "bank": "team"})
        made = commands.run("backup", "all.zip", "--json").json()
        assert (made["notes"], made["banks"], made["automatic"]) == (1, 1, False)
        assert Path(made["file"]) == commands.folder / "all.zip"
        served.post("/notes", {"content": "written after the backup", "bank": "team"})
        listed, whole, refused, again = commands.run_all(
            [
                ("backup", "--list", "--json"),
                ("restore", "all.zip", "--dry-run", "--json"),
                ("restore", "all.zip"),
                ("backup", "all.zip"),
            ]
        )
        assert [each["id"] for each in listed.json()["backups"]] == [made["id"]]
        told = whole.json()
        assert (told["restored"], told["rows"]["notes"], told["id"]) == (False, 1, made["id"])
        assert refused.code == 1
        assert "--replace" in refused.stderr
        assert again.code == 2
        assert "exists already" in again.stderr
        assert "--overwrite" in again.stderr
        assert served.get("/notes", bank="team")["total"] == 2
        assert "Restored 1 notes in 1 banks" in commands.run("restore", "all.zip", "--replace").text
        assert served.get("/notes", bank="team")["total"] == 1
        found = served.post("/notes/search", {"context": "who likes tea?", "bank": "team"})["notes"]
        assert [each["content"] for each in found] == ["Ada prefers green tea"]
        served.post("/notes", {"content": "and the server goes on", "bank": "team"})
        waited(lambda: served.get("/notes", bank="team")["total"] == 2)
        assert served.process.alive
    assert "all.zip" in commands.run("backup", "--list").text


def test_wrong_uses_exit_2_and_say_what_to_do(commands: Commands) -> None:
    (commands.folder / "letter.zip").write_text("Dear Ada")
    neither, both, letter, missing = commands.run_all(
        [("backup",), ("backup", "x.zip", "--list"), ("restore", "letter.zip"), ("restore", "nothing.zip")]
    )
    for done, words in ((neither, "--list"), (both, "--list"), (letter, "no backup"), (missing, "is no file")):
        assert done.code == 2
        assert words in done.stderr
        assert "Traceback" not in done.stderr
    assert not (commands.folder / "x.zip").exists()


def test_an_archive_of_another_model_comes_in_with_reindex(commands: Commands, url: str) -> None:
    commands.run("add", "Ada prefers green tea")
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE embedding_model SET name = 'another'")
        connection.execute("UPDATE notes SET embedded_by = 'another'")
    assert commands.run("backup", "all.zip").code == 0
    refused = commands.run("restore", "all.zip", "--replace")
    assert refused.code == 2
    for words in ("--reindex", "'another'", "all-MiniLM-L6-v2"):
        assert words in refused.stderr
    done = commands.run("restore", "all.zip", "--replace", "--reindex", "--json").json()
    assert (done["restored"], done["embedded"], done["embedding_model"]) == (True, 1, "another")
