"""Detection of the encoding of a text file; rejection of binary files."""

from __future__ import annotations

import codecs
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE

from charset_normalizer import from_bytes

from lincore.errors import DataError, Notice
from lincore.io.files.sources import line_too_long, without_nuls
from lincore.limits import LIMITS, SAVE_AS_TEXT, Limits, refuse_foreign

_LOOKED_AT = 65_536
# Control characters other than tab, line ends, form feed and the DOS end of file.
_CONTROL = re.compile("[\x01-\x08\x0b\x0e-\x19\x1b-\x1f\x7f]")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")
_BEYOND_ASCII_WORD = re.compile(r"[^\W\d_]*[^\W\d_\x00-\x7f][^\W\d_]*")
_SIGN_INSIDE = re.compile(r"[^\W\d_][^\w\x00-\x7f’·]+(?=[^\W\d_])")
# Usual encodings of tables; others would match many texts by chance.
_COMMON = [
    *("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp850"),
    *("cp852", "cp866", "koi8_r", "koi8_u", "iso8859_2", "gb18030", "big5"),
    *("shift_jis", "euc_jp", "euc_kr"),
]
# Ratio of broken words that distinguishes one encoding from another.
_CLEARLY = 4
# Encodings of the same alphabet, the more common first.
_ALIKE = (
    ("cp1252", "cp850"),
    ("cp1250", "iso8859_2", "cp852"),
    ("cp1251", "koi8_r", "cp866", "koi8_u"),
)
_STRUCTURED = (
    (re.compile(r"\s*[\[{]\s*(\"|\[|\{|\]|\}|-?\d+(\.\d*)?\s*,\s*$)"), "a JSON file"),
    (re.compile(r"(\s*\[.*\],?[^\S\n]*(\n|$)){2}"), "a JSON file of lines"),
    (
        re.compile(
            r"\s*<(!--|(\?xml|!doctype|html|table|body|head|div|style|meta|link|title)\b)",
            re.IGNORECASE,
        ),
        "a web page or XML",
    ),
    (re.compile(r"[+-]?\d+(\.\d+)?(\s\d+:[\d.eE+-]+){2}"), "a LIBSVM file"),
    (
        re.compile(
            r"(?:--[^\n]*\n|/\*.*?\*/;?|SET\b[^;]*;|DROP\s+TABLE\b[^;]*;|USE\b[^;]*;|\s)*"
            r"(?:CREATE\s+TABLE\s|INSERT\s+INTO\s)",
            re.IGNORECASE | re.DOTALL,
        ),
        "an SQL script",
    ),
    (re.compile(r"\s*version https://git-lfs"), "a pointer to a file in Git LFS, not the file"),
)
# A letter beyond ASCII in UTF-8, read as cp1252.
_TWICE = re.compile(r"[\u00c3\u00c2][\u0080-\u00bf\u0152-\u2122]|â€")
_CONTROLS = re.compile(r"([\x80-\x9f])")
_SPARSE = "The rows are sparse: only nonzero values are listed."
# An item of a basket, such as bread or milk=2; never a number.
_ITEM = re.compile(r"[^\W\d][^=\"]*(=[^=\"]+)?")
_COUNTED_ITEM = re.compile(r"(^|[,\t])\s*[^\W\d][^=,\t\"]*=\s*\d")
_BASKET_CHARS, _BASKET_LINES, _FEWEST_LINES = 20_000, 50, 3
_ARFF_RELATION = re.compile(r"(?:[ \t]*(?:%[^\n]*)?\n)*+[ \t]*@relation\b", re.IGNORECASE)
_ARFF_DATA = re.compile(r"(?m)^\s*@data\b.*$", re.IGNORECASE)
_ARFF_ATTRIBUTE = re.compile(
    r"(?m)^\s*@attribute\s+(?:'((?:[^'\\\n]|\\.)*+)'|\"((?:[^\"\\\n]|\\.)*+)\"|([^\s{]+))",
    re.IGNORECASE,
)


def decode(
    raw: bytes, name: str, encoding: str | None = None, limits: Limits = LIMITS
) -> tuple[str, str, tuple[Notice, ...]]:
    r"""Return the text with lines ended by newlines, its encoding, and findings."""
    refuse_foreign(raw, name)
    _refuse_long_lines(raw, name, limits)
    decoded = _decode_as(raw, name, encoding) if encoding else _decode_detected(raw, name)
    text, encoding, notices = decoded
    if "\0" in text:
        text = without_nuls(text, name)
        sentence = "The file contains stray NUL bytes, which were removed."
        notices = (*notices, Notice(sentence, name, code="LIN004"))
    _refuse_no_text(text, name)
    # Files of Orange whose rows list only nonzero values.
    if name.casefold().removesuffix(".gz").endswith(".basket") or _is_basket(text):
        raise DataError(_SPARSE, where=name, remedy=SAVE_AS_TEXT)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text, encoding, notices


def _decode_as(raw: bytes, name: str, encoding: str) -> tuple[str, str, tuple[Notice, ...]]:
    try:
        known = codecs.lookup(encoding).name
        known = {"iso8859-1": "latin-1"}.get(known, known)
        return raw.decode("utf-8-sig" if known == "utf-8" else known), known, ()
    except (LookupError, ValueError) as error:
        reason = "there is no such encoding"
        if isinstance(error, UnicodeDecodeError):
            reason = f"it does not fit byte {error.start + 1}"
        raise DataError(
            f"The text cannot be read as {encoding!r}: {reason}.",
            where=name,
            remedy="Choose another encoding, or let it be detected.",
        ) from error


def _decoded_twice(text: str) -> str | None:
    """Return a text without the second encoding: GrÃ¶ÃŸe is Größe."""
    if _TWICE.search(text) is None:
        return None
    try:
        # What cp1252 does not define, other programs write as the control character.
        raw = b"".join(
            piece.encode("latin-1") if "\x7f" < piece < "\xa0" else piece.encode("cp1252")
            for piece in _CONTROLS.split(text)
        )
        return raw.decode()
    except UnicodeError:
        return None


def _decode_detected(raw: bytes, name: str) -> tuple[str, str, tuple[Notice, ...]]:
    wide = _wide_encoding(raw)
    encoding = wide or "utf-8"
    try:
        plain = raw.decode("utf-8-sig" if encoding == "utf-8" else encoding)
        text = _decoded_twice(plain)
        if text is None:
            return plain, encoding, ()
        sentence = "The text was encoded as UTF-8 twice: read as it was before."
        remedy = "If letters look wrong, choose the encoding."
    except UnicodeDecodeError:
        encoding = wide or _guess_encoding(raw.replace(b"\0", b""))
        text = raw.decode(encoding, errors="replace")
        sentence = f"The text is not UTF-8 and was read as {encoding}."
        if wide is not None:
            sentence = f"Part of the text is damaged: it is not valid {wide.upper()}."
        remedy = "If letters look wrong, save the file as UTF-8."
    return text, encoding, (Notice(sentence, name, remedy, "LIN001"),)


def _wide_encoding(raw: bytes) -> str | None:
    """Detect UTF-16 and 32 by byte-order marks, or by zeros in every other byte of Western text."""
    if raw.startswith((BOM_UTF32_LE, BOM_UTF32_BE)):
        return "utf-32"
    if raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return "utf-16"
    if raw.startswith(BOM_UTF8):
        return None
    even, odd = raw[:_LOOKED_AT:2], raw[1:_LOOKED_AT:2]
    for mostly_zero, letters, encoding in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if mostly_zero.count(0) > 0.7 * len(mostly_zero) and not letters.count(0):
            return encoding
    return None


def _guess_encoding(raw: bytes) -> str:
    sample = raw[:100_000]
    matches = from_bytes(sample, cp_isolation=_COMMON)
    best = matches.best()
    western = [match for match in matches if "cp1252" in match.could_be_from_charset]
    # Texts with few accents match many encodings; of these, the Western one is most common.
    rival = western[0].coherence + 0.1 if western else 0.05
    vague = best is None or (best.coherence <= rival and not _has_paired_bytes(sample))
    guess = "cp1252" if best is None or vague else best.encoding
    alike = next((family for family in _ALIKE if guess in family), (guess,))
    n_broken = {encoding: _n_broken_words(sample, encoding) for encoding in alike}
    best_fit = min(n_broken, key=lambda encoding: n_broken[encoding])
    # Damaged text has broken words in all of them: then use the more common one.
    return best_fit if _CLEARLY * n_broken[best_fit] <= n_broken[alike[0]] else alike[0]


def _n_broken_words(raw: bytes, encoding: str) -> int:
    """Count broken words: symbols or capitals inside, letters of two alphabets."""
    text = raw.decode(encoding, errors="replace")
    return len(_SIGN_INSIDE.findall(text)) + sum(
        not (word.islower() or word.isupper() or word.istitle())
        for word in _BEYOND_ASCII_WORD.findall(text)
    )


def _has_paired_bytes(raw: bytes) -> bool:
    """Return whether non-ASCII bytes come in pairs, as in Chinese; accents are single."""
    runs = _BEYOND_ASCII.findall(raw)
    even = sum(len(run) % 2 == 0 for run in runs)
    long_or_many = sum(map(len, runs)) >= 3 * len(runs) or len(set(runs)) > 2
    return even > 0.95 * len(runs) and long_or_many


def _refuse_long_lines(raw: bytes, name: str, limits: Limits) -> None:
    # From the last line end within reach to the next: one step per megabyte, not per line.
    end = b"\n" if b"\n" in raw else b"\r"
    start, reach = 0, limits.max_line_bytes
    while len(raw) - start > reach:
        line_end = raw.rfind(end, start, start + reach)
        if line_end < 0:
            raise line_too_long(f"{name}, line {raw.count(end, 0, start) + 1}", limits)
        start = line_end + 1


def _refuse_no_text(text: str, name: str) -> None:
    if not text.strip():
        raise DataError("The file is empty.", where=name, remedy="Load a file with data.")
    beginning = text[:_LOOKED_AT]
    if len(_CONTROL.findall(beginning)) > 0.01 * len(beginning):
        raise DataError(
            "The file contains control characters: it is not a text table.",
            where=name,
            remedy=SAVE_AS_TEXT,
        )
    for pattern, kind in _STRUCTURED:
        if pattern.match(beginning):
            raise DataError(
                f"This is {kind}, not a table of rows and columns.", where=name, remedy=SAVE_AS_TEXT
            )


def _is_basket(text: str) -> bool:
    """Whether each line lists items, a third of them with numbers: bread, milk=2."""
    lines = [line for line in text[:_BASKET_CHARS].splitlines() if line.strip()][:_BASKET_LINES]
    if len(lines) < _FEWEST_LINES or not _COUNTED_ITEM.search(lines[0]):
        return False
    fields = [field.strip() for line in lines for field in re.split("[,\t]", line)]
    n_counted = sum("=" in field for field in fields)
    return all(map(_ITEM.fullmatch, fields)) and 3 * n_counted >= len(fields)


def arff_as_csv(text: str, name: str) -> str | None:
    r"""Return the rows of an ARFF file below a line of names, keeping line numbers; else None."""
    if not _ARFF_RELATION.match(text[:100_000]):
        return None
    data = _ARFF_DATA.search(text)
    if data is None:
        raise DataError(
            "The ARFF file has no line @data.", where=name, remedy="Load the whole file."
        )
    columns = map("".join, _ARFF_ATTRIBUTE.findall(text[: data.start()]))
    rows = re.sub(r"(?m)^\s*%.*$", "", text[data.end() :])
    if re.match(r"\s*\{", rows):
        raise DataError(_SPARSE, where=name, remedy=SAVE_AS_TEXT)
    above = "\n" * text.count("\n", 0, data.start())
    plain = (re.sub(r"\\(.)", r"\1", column).replace("'", "''") for column in columns)
    header = ",".join(f"'{column}'" for column in plain)
    return f"{above}{header}{rows}"
