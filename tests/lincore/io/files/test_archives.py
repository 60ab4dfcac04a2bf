"""Packed files: bombs are not set off, and what is damaged is skipped or refused."""

from __future__ import annotations

import io
import struct
import tracemalloc
import unicodedata
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from lincore import DataError
from lincore.io import SkippedFile, list_zip, unpack
from lincore.limits import LIMITS

FILES = {"a/0.txt": b"first " * 9, "a/1.txt": b"second " * 9, "b/0.txt": b"third " * 9}


def zipped(files, method=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, compress_type=method)
    return buffer.getvalue()


def outcomes(raw, limits=LIMITS):
    """Return the content of every file of a zip, or why it cannot be had."""
    found = {}
    for file in list_zip(raw, "made.zip", limits):
        try:
            found[file.path] = unpack(raw, file, limits)
        except SkippedFile as reason:
            found[file.path] = str(reason)
    return found


def refused(raw, limits=LIMITS):
    with pytest.raises(DataError) as caught:
        list_zip(raw, "made.zip", limits)
    assert caught.value.notice.remedy
    assert caught.value.notice.where == "made.zip"
    return str(caught.value)


def changed_entry(raw, name, offset, value):
    """Overwrite bytes of the directory record of one file of a zip."""
    at = raw.rindex(b"PK\x01\x02", 0, raw.rindex(name.encode())) + offset
    return raw[:at] + value + raw[at + len(value) :]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_what_is_packed_is_unpacked(method):
    assert outcomes(zipped(FILES, method)) == FILES


@pytest.mark.parametrize("raw", [b"PK\x03\x04", b"no zip", zipped(FILES)[:-30]])
def test_a_damaged_zip_is_refused(raw):
    assert "cannot be opened" in refused(raw)


def test_an_encrypted_file_is_unusable():
    raw = changed_entry(zipped(FILES), "a/0.txt", 8, struct.pack("<H", 1))
    assert outcomes(raw) == FILES | {"a/0.txt": "encrypted"}


@pytest.mark.parametrize("offset", [16, 24])
def test_a_file_that_lies_about_its_checksum_or_size_is_unusable(offset):
    lying = changed_entry(zipped(FILES), "a/0.txt", offset, struct.pack("<I", 20))
    assert outcomes(lying) == FILES | {"a/0.txt": "damaged in the zip"}


def test_a_symbolic_link_is_unusable():
    link = zipfile.ZipInfo("a/link.png")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    buffer = io.BytesIO(zipped(FILES))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(link, "/etc/passwd")
    assert outcomes(buffer.getvalue()) == FILES | {"a/link.png": "a symbolic link"}


@pytest.mark.parametrize("path", ["../a/0.txt", "a/../../0.txt", "/a/0.txt", "C:\\a\\0.txt", "c:0"])
def test_a_path_that_leads_out_of_the_zip_is_unusable(path):
    assert set(outcomes(zipped({path: b"x"})).values()) == {"its path leads out of the zip"}


def test_a_second_file_of_one_name_is_unusable():
    buffer = io.BytesIO(zipped(FILES))
    with zipfile.ZipFile(buffer, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("a/0.txt", "other")
    files = list_zip(buffer.getvalue(), "made.zip")
    assert [file.refused for file in files] == ["", "", "", "a second file of that name"]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_first_look_gives_the_first_bytes(method):
    # Content that deflate packs with code tables of its own, longer than the look itself.
    content = np.random.default_rng(0).integers(0, 99, 100_000, dtype=np.uint8).tobytes()
    raw = zipped({"a/0.bin": content, "a/1.bin": b"ab"}, method)
    first, second = list_zip(raw, "made.zip")
    assert unpack(raw, first, most=32)[:32] == content[:32]
    assert len(unpack(raw, first, most=32)) <= 33
    assert unpack(raw, second, most=32) == b"ab"


def test_an_empty_file_is_unusable():
    assert outcomes(zipped({"a/0.txt": b""})) == {"a/0.txt": "empty file"}


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_that_no_limit_can_stop_are_not_unpacked(method):
    reasons = set(outcomes(zipped(FILES, method)).values())
    assert reasons == {"compressed by another method than deflate"}


def test_a_bomb_is_not_unpacked():
    raw = zipped({"a/bomb.png": bytes(60_000_000), "b/flat.bmp": bytes(20_000_000)})
    tracemalloc.start()
    reasons = set(outcomes(raw).values())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert reasons == {"unpacks to more than 200 times its size"}
    assert peak < 5_000_000


def test_a_small_file_of_one_value_is_no_bomb():
    blank = bytes(810_000)
    raw = zipped({"a/1.pgm": blank})
    assert len(raw) * 200 < len(blank)
    assert outcomes(raw) == {"a/1.pgm": blank}


def test_files_that_begin_inside_another_are_refused():
    raw = zipped({"a/0.bin": zipped({"a/1.bin": bytes(99)}, zipfile.ZIP_STORED), "b": b"b"})
    assert len(outcomes(raw)) == 2
    inside = zipped({"a/0.bin": bytes(500), "b": bytes(50)}, zipfile.ZIP_STORED)
    assert "overlap" in refused(changed_entry(inside, "b", 42, struct.pack("<I", 40)))


def test_overlapping_files_are_refused():
    raw = zipped({f"a/{i}": bytes(1600) for i in range(4)}, zipfile.ZIP_STORED)
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        entries = archive.infolist()
    buffer = io.BytesIO(raw)
    with zipfile.ZipFile(buffer, "a") as archive:
        # A second directory of the same content: every record twice.
        archive.filelist = [*entries, *entries]
        archive._didModify = True
    assert "overlap" in refused(buffer.getvalue())


@pytest.mark.parametrize(
    ("change", "message"),
    [({"max_members": 2}, "more than 2 files"), ({"max_total_bytes": 100}, "unpacks to over")],
)
def test_limits_of_a_zip_hold(change, message):
    assert message in refused(zipped(FILES), replace(LIMITS, **change))


def test_the_limit_of_one_file_holds():
    found = outcomes(zipped(FILES), replace(LIMITS, max_member_bytes=60))
    assert found == FILES | {"a/1.txt": "larger than 0 MB"}


def test_entries_are_counted_whatever_the_archive_states():
    raw = zipped(FILES)
    end = raw.rindex(b"PK\x05\x06")
    lying = raw[: end + 8] + struct.pack("<HH", 1, 1) + raw[end + 12 :]
    assert "more than 2 files" in refused(lying, replace(LIMITS, max_members=2))


class Unmarked(zipfile.ZipInfo):
    """An entry whose name is written in one encoding, and not marked as UTF-8."""

    encoding = "utf-8"

    def _encodeFilenameFlags(self):  # noqa: N802 - the zipfile module's name
        return self.filename.encode(self.encoding), self.flag_bits & ~0x800


@pytest.mark.parametrize(
    ("encoding", "folder"),
    [
        ("utf-8", "Äpfel"),  # as macOS packs
        ("utf-8", "りんご"),
        ("cp437", "Äpfel für zwei"),  # as Windows packs
        ("cp437", "plain"),
        ("cp932", "りんご"),
        ("gb18030", "苹果"),
        ("cp866", "яблоки"),
        ("cp1252", "Äpfel für zwei"),
    ],
)
def test_names_are_read_in_the_letters_that_they_were_written_in(encoding, folder):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for i in range(2):
            entry = Unmarked(f"top/{folder}/{i}.png")
            entry.encoding = encoding
            archive.writestr(entry, b"content")
    paths = [file.path for file in list_zip(buffer.getvalue(), "made.zip")]
    assert paths == [f"top/{folder}/{i}.png" for i in range(2)]
    assert unpack(buffer.getvalue(), list_zip(buffer.getvalue(), "made.zip")[0]) == b"content"


def test_names_of_one_look_are_one():
    files = {unicodedata.normalize(form, f"Äpfel/{form}.txt"): b"x" for form in ("NFC", "NFD")}
    paths = [file.path for file in list_zip(zipped(files), "made.zip")]
    assert paths == ["Äpfel/NFC.txt", "Äpfel/NFD.txt"]
