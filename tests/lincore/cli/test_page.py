"""The page docs/command-line.md: its examples run, and it names every command and option."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from lincore.cli import main

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


def shown(capsys, *command):
    """Return the help of a command."""
    assert main([*command, "--help"]) == 0
    return capsys.readouterr().out


def test_every_command_code_and_option_is_on_the_page(capsys):
    _, commands, codes = re.split(r"\n *(?:Commands|Exit codes):\n", shown(capsys))
    names = re.findall(r"^  (\w+)", commands, flags=re.MULTILINE)
    assert len(EXAMPLES) >= len(names) > 5
    assert [name for name in names if f"`lincore {name} " not in PAGE] == []
    assert [code for code in re.findall(r"(\d+) ", codes) if f"| {code} |" not in PAGE] == []
    known = set(re.findall(r"--[a-z-]+", PAGE)) | {"--help"}
    for name in names:
        options = set(re.findall(r"--[a-z-]+", shown(capsys, name)))
        assert len(options) > 1 and options <= known, (name, options - known)
