"""The page docs/command-line.md: its examples run, and it names every command and option."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from lincore.cli import main
from lincore.cli._parser import build_parser

PAGE = (Path(__file__).parents[3] / "docs" / "command-line.md").read_text("utf-8")
EXAMPLES = [
    block.split("\n", 1)
    for block in re.findall(r"```console\n\$ lincore (.*?)```", PAGE, flags=re.DOTALL)
]
#: The files that the page shows.
FILES = {
    "new.csv": re.search(r"```text\n(.*?)```", PAGE, flags=re.DOTALL)[1],
    "shop.csv": "kind,sold,mass\n"
    + "".join(f"{'ab'[i % 2]},{i},{i * 3 % 5}.5\n" for i in range(6))
    + "Total,15,15.0\n",
    "analysis.json": re.search(r"```json\n(.*?)```", PAGE, flags=re.DOTALL)[1],
}


@pytest.mark.parametrize(("command", "expected"), EXAMPLES, ids=[words for words, _ in EXAMPLES])
def test_examples_run(command, expected, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    main(shlex.split(command))
    output = capsys.readouterr()
    found = " ".join((output.out or output.err).split())
    # The page shows the beginning, with dots for what is left out.
    parts = " ".join(expected.split()).split("...")
    assert re.match(".*?".join(map(re.escape, parts)), found), found


def test_every_command_is_on_the_page():
    parser = build_parser()
    (commands,) = [action.choices for action in parser._actions if action.choices]
    assert [name for name in commands if f"`lincore {name} " not in PAGE] == []
    assert len(EXAMPLES) >= len(commands)
    for code in re.findall(r"(\d+) ", parser.epilog):
        assert f"| {code} |" in PAGE


def test_every_option_is_on_the_page():
    (commands,) = [action.choices for action in build_parser()._actions if action.choices]
    named = set(re.findall(r"--[a-z-]+", PAGE)) | {"--help"}
    missing = {
        (name, *action.option_strings)
        for name, command in commands.items()
        for action in command._actions
        if action.option_strings and not named & set(action.option_strings)
    }
    assert not missing
