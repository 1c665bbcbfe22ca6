"""docs/field-reports.md names tests that exist, and passes over no number."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "field-reports.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| (B\d\d) \|[^|]+\|(.+)\|$", PAGE, re.M))


def test_every_number_has_a_row_or_is_said_to_have_none() -> None:
    numbers = {f"B{number:02}" for number in range(1, 61)}
    undescribed = set(re.findall(r"B\d\d", PAGE.partition("Not described")[2]))
    assert set(ROWS) | undescribed == numbers
    assert not set(ROWS) & undescribed


def test_every_row_names_tests_and_each_of_them_exists() -> None:
    for number, proof in ROWS.items():
        named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", proof)
        assert named, number
        for path, name in named:
            source = (ROOT / path).read_text(encoding="utf-8")
            assert re.search(rf"^(async )?def {name}\(", source, re.M), f"{number}: {path} has no {name}"
