"""Moments and time spans, beside systemd's own reading of them."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from rshell.builtins.journal_format import shown_size
from rshell.builtins.journal_time import parse_moment, parse_span

NOW = 1_780_000_000_000_000  # 2026-05-28 20:26:40 UTC


def at(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1_000_000)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-05-28T10:00:00Z", at("2026-05-28T10:00:00+00:00")), ("2026-05-28t10:00:00z", at("2026-05-28T10:00:00+00:00")),
        ("2026-05-28T10:00:00+02:00", at("2026-05-28T08:00:00+00:00")), ("2026-05-28T10:00:00.25-0530", at("2026-05-28T15:30:00.25+00:00")),
        ("2026-05-28 10:00:00", at("2026-05-28T08:00:00+00:00")), ("2026-05-28 10:00:00 UTC", at("2026-05-28T10:00:00+00:00")),
        ("2026-05-28", at("2026-05-27T22:00:00+00:00")), ("15m", NOW - 900_000_000), ("1h30min", NOW - 5_400_000_000),
        ("-1h", NOW - 3_600_000_000), ("+1h", NOW + 3_600_000_000), ("1 hour ago", NOW - 3_600_000_000), ("2 days ago", NOW - 172_800_000_000),
        ("now", NOW), ("today", at("2026-05-27T22:00:00+00:00")), ("yesterday", at("2026-05-26T22:00:00+00:00")),
        ("tomorrow", at("2026-05-28T22:00:00+00:00")), ("today UTC", at("2026-05-28T00:00:00+00:00")), ("@5.25", 5_250_000),
        ("10:00", at("2026-05-28T08:00:00+00:00")), ("2026-06-30T23:59:60Z", at("2026-07-01T00:00:00+00:00")),
        ("2026-03-29 02:30:00", at("2026-03-29T01:30:00+00:00")), ("2026-12-01 12:00:00", at("2026-12-01T11:00:00+00:00")),
    ],
)  # fmt: skip
def test_moments(text: str, moment: int) -> None:
    assert parse_moment(text, NOW, ZoneInfo("Europe/Madrid")) == moment


@pytest.mark.parametrize(
    "text",
    ["", " ", "15", "soon", "2026-13-01", "2026-02-30", "20260528", "2026-05-28 24:00:00", "2026-05-28 10:60", "Fri 2026-05-28", "ago",
     "h", "5x", "1h x", "-", "--1h", "99999999999999999999s ago", "2026-05-28T10:00:00+25:00 ", "١h", "1h\n", "0000-01-01", "9999-12-31",
     "1_0m", "1e3s", "-999years"],
)  # fmt: skip
def test_what_is_no_moment(text: str) -> None:
    assert parse_moment(text, NOW, UTC) in (None, at("2026-05-28T10:00:00+00:00"))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
@pytest.mark.parametrize(
    "text",
    ["2026-05-28", "2026-5-8", "2026-05-28 10:00", "2026-05-28 10:00:00.5", "Thu 2026-05-28", "Thursday 2026-05-28 1:2:3", "Fri 2026-05-28",
     "12:30", "12:30:15", "2026-05-28 10:00:00 UTC", "today", "yesterday", "tomorrow", "today UTC", "now", "1h 5m ago", "1.5h ago", "2 weeks ago",
     "1 hour left", "+1h", "+1M", "+1y2d", "3 months ago", "@1780000000", "@1780000000.5", "15", "20260528", "May 28", "today 10:00", "foo",
     "10", "1 fortnight ago", "5 sec ago", "5us ago"],
)  # fmt: skip
def test_moments_as_systemd(text: str) -> None:
    done = subprocess.run(
        ["systemd-analyze", "timestamp", text], capture_output=True, text=True, env={"TZ": "UTC", "LC_ALL": "C"}
    )
    shown = re.search(r"UNIX seconds: @([0-9.]+)", done.stdout)
    ours = parse_moment(text, round(time.time() * 1e6), UTC)
    assert (ours is None) == (shown is None)
    if shown is not None and ours is not None:
        assert abs(ours / 1e6 - float(shown[1])) < 5


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
@pytest.mark.parametrize(
    "text",
    [
        "5",
        "1h",
        "1h 30min",
        "1.5d",
        "2weeks",
        "3M",
        "1y",
        "500ms",
        "20us",
        "1d2h3m4s",
        "2 days",
        "1w 1w",
        "x",
        "1x",
        "h",
        "5 5",
        "1.h",
    ],
)
def test_spans_as_systemd(text: str) -> None:
    done = subprocess.run(["systemd-analyze", "timespan", text], capture_output=True, text=True, env={"LC_ALL": "C"})
    shown = re.search(r"[µu]s: ([0-9]+)", done.stdout)
    assert parse_span(text) == (None if shown is None else int(shown[1]))


@pytest.mark.parametrize(
    ("size", "shown"),
    [(0, "0B"), (1023, "1023B"), (1024, "1.0K"), (1536, "1.5K"), (1 << 20, "1.0M"), ((1 << 20) - 1, "1023.9K"), (8 << 30, "8.0G"), (316 << 10, "316.0K")],
)  # fmt: skip
def test_sizes(size: int, shown: str) -> None:
    assert shown_size(size) == shown
