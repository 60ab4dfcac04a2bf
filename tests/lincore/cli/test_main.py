"""The command line as a program: exit codes, errors of one line, progress, warnings."""

from __future__ import annotations

import io
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import lincore
from lincore.cli import main

ROOT = Path(__file__).parents[3]


def refused(capsys, *arguments):
    """Return the exit code and the one line of a command that fails."""
    code = main(list(arguments))
    output = capsys.readouterr()
    assert output.out == "" and output.err.count("\n") == 1 and "Traceback" not in output.err
    return code, output.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["compare", "nothing.csv"], "cannot be opened"),
        (["compare", "sample:roses"], "Choose one of: passengers"),
        (["compare", "sample:iris", "--target", "specie"], "Choose one of: species"),
        (["compare", "sample:iris", "--scheme", "by-group"], "have no groups"),
        (["balance", "sample:gaussian", "--reduce", "class 9=3"], "There are class 1, class 2"),
        (["balance", "sample:gaussian", "--prevalence", "class 9=0.5"], "There are class 1"),
        (["inspect", "sample:iris", "--separator", "::"], "Give one character"),
    ],
)
def test_what_cannot_be_used_is_one_line_and_code_1(capsys, arguments, words):
    code, line = refused(capsys, *arguments)
    assert code == 1 and line.startswith("lincore: ") and words in line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["compare"], "Missing argument 'FILE'"),
        (["guess", "sample:iris"], "No such command 'guess'"),
        (["compare", "sample:iris", "--methods", "ldaa"], "choose one of lda, diagonal-lda"),
        (["compare", "sample:iris", "--methods", "lda(depth=2)"], "no option depth"),
        (["compare", "sample:iris", "--methods", ""], "no method"),
        (["compare", "sample:iris", "--steps", "pca=3"], "There are: standardize, basis"),
        (["compare", "sample:iris", "--steps", "whiten=3"], "Give true or false"),
        (["compare", "sample:iris", "--steps", "3"], "option=value"),
        (["compare", "sample:iris", "--scheme", "often"], "Give holdout, 10-fold"),
        (["compare", "sample:iris", "--often"], "No such option"),
        (["compare", "sample:iris", "--test-set", "first"], "is not one of 'stratified'"),
        (["inspect", "sample:iris", "--bins", "2", "--threshold", "3"], "cannot be combined"),
        (["compare", "sample:iris", "--rope", "nan"], "Give a number from 0 to 1"),
        (["compare", "sample:iris", "--seed", "-1"], "Give a number from 0 to"),
        (["compare", "sample:iris", "--test-size", "half"], "not a number"),
        (["compare", "sample:iris", "--score", "F2"], "not one of 'accuracy'"),
        (["compare", "sample:iris", "--role", "id"], "NAME=VALUE"),
        (["compare", "x.zip", "--size", "32"], "32x32"),
        (["balance", "sample:gaussian", "--repeats", "0"], "from 2"),
        (["balance", "sample:gaussian", "--prevalence", "even"], "neither equal nor file"),
        (
            ["balance", "sample:gaussian", "--prevalence", "equal", "--prevalence", "file"],
            "neither",
        ),
        (["balance", "sample:gaussian", "--reduce", "class 3=few"], "neither a number of rows"),
        (
            ["balance", "sample:gaussian", "--reduce", "class 3=9", "--prevalence", "file"],
            "one of them",
        ),
    ],
)
def test_what_cannot_be_understood_is_one_line_and_code_2(capsys, arguments, words):
    code, line = refused(capsys, *arguments)
    assert code == 2 and words in line


def test_faults_and_interruptions_have_codes_of_their_own(capsys, monkeypatch):
    def fail(error):
        def compare(*arguments, **options):
            raise error

        monkeypatch.setattr(lincore, "compare", compare)
        return refused(capsys, "compare", "sample:iris")

    assert fail(KeyboardInterrupt()) == (130, "lincore: Interrupted.\n")
    code, line = fail(KeyError("rows"))
    assert code == 70 and "Internal error of lincore, KeyError: 'rows'" in line
    assert fail(ValueError("first\nsecond")) == (2, "lincore: first\n")
    monkeypatch.setenv("LINCORE_TRACEBACK", "1")
    with pytest.raises(KeyError):
        fail(KeyError("rows"))


def test_files_cannot_write_to_the_terminal(capsys, tmp_path):
    path = tmp_path / "hostile.csv"
    rows = "".join(f"{i % 5},{'ab'[i % 2]}\n" for i in range(40))
    path.write_text(f"wid\x1b[2Jth,kind\n{rows}")
    assert main(["inspect", str(path)]) == 0
    assert "\x1b" not in capsys.readouterr().out
    assert main(["inspect", str(path), "--target", "\x1b[2J"]) == 1
    assert "\x1b" not in capsys.readouterr().err


def test_warnings_are_one_line_each(capsys, monkeypatch):
    lincore_compare = lincore.compare

    def compare(*arguments, **options):
        for _ in range(3):
            lincore.utils.thread_warnings.warn("It rains.")
        return lincore_compare(*arguments, **options)

    monkeypatch.setattr(lincore, "compare", compare)
    assert main(["compare", "sample:iris", "--methods", "lda", "--quiet"]) == 0
    assert capsys.readouterr().err == "lincore: warning: It rains.\n"


def test_progress_goes_to_standard_error_in_few_lines(capsys):
    assert main(["balance", "sample:gaussian", "--methods", "lda", "--repeats", "30"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1] == "Thresholds and sweep, split 30 of 30: 100 %"
    assert [line.rpartition(": ")[2] for line in lines] == [f"{10 * i} %" for i in range(1, 11)]


class Terminal(io.StringIO):
    """A terminal."""

    def isatty(self):
        """Say that it is one."""
        return True


def test_progress_writes_over_its_line_on_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    assert main(["compare", "sample:iris", "--methods", "logistic,perceptron"]) == 0
    lines = [
        "steps before the methods: fold 1 of 1: 33 %",
        "Logistic regression: fold 1 of 1: 67 %",
    ]
    lines += ["Perceptron: fold 1 of 1: 100 %"]
    # Each is written over the whole of the one before, the last one by blanks.
    widths = [0, *map(len, lines)]
    written = ["", *map(str.ljust, [*lines, ""], widths), ""]
    assert terminal.getvalue().split("\r") == written


def test_help_names_every_command_and_the_exit_codes(capsys):
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    for word in ("inspect", "compare", "balance", "dashboard", "Exit codes", "130"):
        assert word in text
    for command in ("inspect", "compare", "balance", "dashboard"):
        assert main([command, "--help"]) == 0
        assert "Usage: lincore" in capsys.readouterr().out
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"lincore {lincore.__version__}\n"


def test_help_of_the_program_loads_no_library():
    code = "from lincore.cli import main; main(['--help'])\nimport sys; print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert "dashboard" in ended.stdout and "click" in ended.stdout.split()
    assert not {"pandas", "sklearn", "numpy"} & set(ended.stdout.split())


def test_shells_complete_commands_and_options(capsys, monkeypatch):
    def completed(words):
        monkeypatch.setenv("_LINCORE_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
        assert main([]) == 0
        return capsys.readouterr().out.split()

    assert completed("lincore com") == ["plain,compare"]
    assert completed("lincore compare --rar") == ["plain,--rare"]
    assert completed("lincore inspect --uneven s") == ["plain,skip"]


def test_no_command_opens_the_dashboard(monkeypatch):
    started = []
    monkeypatch.setattr(runpy, "run_module", lambda *a, **k: started.append(sys.argv))
    monkeypatch.setattr(sys, "argv", ["lincore"])
    assert main([]) == 0
    assert main(["dashboard", "--port", "8777", "--address", "0.0.0.0", "--no-browser"]) == 0
    first, second = (" ".join(words) for words in started)
    assert first.startswith(f"streamlit run {ROOT / 'app.py'} --server.address localhost")
    assert "--server.allowedHosts localhost" in first
    assert "headless" not in first and "port" not in first
    assert "--server.port 8777" in second and "allowedHosts" not in second
    assert "--server.headless true" in second


def test_the_module_runs(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["lincore", "--version"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("lincore", run_name="__main__")
    assert not ended.value.code and lincore.__version__ in capsys.readouterr().out


def test_a_closed_pipe_is_no_fault(monkeypatch, capsys):
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w", encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        assert main(["inspect", "sample:iris", "--json"]) == 141
        monkeypatch.undo()
    assert capsys.readouterr().err == ""
