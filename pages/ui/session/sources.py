"""Sources of data sets: files, generators or samples, with all import options.

Nothing here knows Streamlit. Sources are immutable: each choice makes a new one, which either
becomes the data of the session or is refused as a whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lincore import analysis, checks, io
from lincore.displays import TableColumnsDisplay
from lincore.errors import DataError, Hint, Notice
from lincore.limits import is_zip, refuse_foreign

if TYPE_CHECKING:
    from lincore.analysis import FileData, SampleData
    from lincore.checks import TableFinding
    from lincore.data import Dataset, TargetGuess
    from lincore.io import Column, Condition, Table
    from lincore.utils import Progress

File = tuple[str, bytes]

# Larger files are read in a job: they take seconds, or may be a decompression bomb.
LONG_BYTES = 10_000_000

AS_PROPOSED = io.TableOptions()


@dataclass(frozen=True, eq=False)
class Source:
    """A table, its target, and the use of its other columns.

    Parameters
    ----------
    table : Table or None
        None if it could not be read.
    target : str or None
        The column of the classes; None if none was found.
    raw : bytes
        The file, to be read again with other options.
    name : str
    options : ReadOptions, optional
        Import options; None for detection.
    choices : TableOptions
        Use of its columns, rows and classes.
    bundled : Dataset, optional
        The sample that the table belongs to, if there is no file.
    guess : TargetGuess, optional
        Reason for the proposed target, and the next best ones; None once it was chosen.
    origin : SampleData or FileData, optional
        The sample or the upload that it is; None for a file of this name.
    """

    table: Table | None
    target: str | None = None
    raw: bytes = b""
    name: str = ""
    options: io.ReadOptions | None = None
    choices: io.TableOptions = AS_PROPOSED
    bundled: Dataset | None = None
    guess: TargetGuess | None = None
    origin: SampleData | FileData | None = None

    @cached_property
    def description(self) -> SampleData | FileData:
        """The data that it makes, as in a specification."""
        default_target, origin = None, self.origin or analysis.FileData(self.name)
        if isinstance(origin, analysis.SampleData):
            default_target = (
                io.SAMPLE_TABLES[origin.name]
                if self.bundled is None
                else _target_name(self.bundled)
            )
        return replace(
            origin,
            target=None if self.target == default_target else self.target,
            reading=self.options or io.ReadOptions(),
            table=self.choices,
        )

    @cached_property
    def table_columns(self) -> TableColumnsDisplay | None:
        """The display of its columns; None without a table."""
        if self.table is None:
            return None
        choices = None if self.choices == AS_PROPOSED else self.choices
        return self.table.columns(self.target, choices)

    @property
    def used(self) -> Table | None:
        """The table with the rows that meet the conditions; all rows if none would be left."""
        return self.table_columns.used if self.table_columns is not None else None

    @property
    def columns(self) -> tuple[Column, ...]:
        """Content and role of each column; empty without a table."""
        return self.table_columns.columns if self.table_columns is not None else ()

    @property
    def findings(self) -> tuple[TableFinding, ...]:
        """Findings that are not resolved."""
        if self.table_columns is None or self.target is None:
            return ()
        return self.table_columns.problems

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Findings of the import; empty without a table."""
        return self.table.notices if self.table is not None else ()

    def all_findings(self, notices: Sequence[Notice]) -> tuple[TableFinding, ...]:
        """Return the findings, then the decisions of the import, of its data or its own."""
        if self.table is None:
            return ()
        return checks.with_decisions(self.findings, self.table, self.columns, notices, self.options)

    @property
    def is_in_blocks(self) -> bool:
        """True if it is too large for memory, and all of its rows are used."""
        is_large = self.table is not None and self.table.source is not None
        return is_large and not self.choices.drawn_only

    @property
    def takes_long(self) -> bool:
        """True if loading it takes long enough for a job with progress."""
        return self.is_in_blocks or (self.table is None and len(self.raw) > LONG_BYTES)

    def is_same_file(self, other: Source) -> bool:
        """Return whether both are the same file or sample, with any options."""
        is_same_content = self.raw is other.raw and self.bundled is other.bundled
        return is_same_content and self.name == other.name

    def read(self) -> Source:
        """Return the source with its table, and with the proposed target, if there is one."""
        if self.bundled is not None:
            table = io.dataset_to_table(self.bundled, _target_name(self.bundled), self.options)
        else:
            table = io.read_table(self.raw, self.name, self.options)
        names = {str(name) for name in table.frame.columns}
        fresh = replace(self, table=table)
        if self.target not in names:
            guess = table.guess
            return replace(fresh, target=table.proposed, guess=guess, choices=AS_PROPOSED)
        former = self.choices
        return fresh.with_choices(
            roles={name: role for name, role in former.roles.items() if name in names},
            categories=tuple(name for name in former.categories if name in names),
            where=tuple(condition for condition in former.where if condition[0] in names),
            rename={name: new for name, new in former.rename.items() if name in names},
        )

    def dataset(self, progress: Progress | None = None) -> Dataset:
        """Return the data set that it makes."""
        assert self.table is not None
        if self.bundled is not None and self._is_untouched():
            return self.bundled
        data = io.table_to_dataset(self.table, self.target, self.choices, progress=progress)
        if self.guess is None:
            return data
        return replace(data, target_guess=self.guess, notices=(*data.notices, self.guess.notice))

    def with_target(self, column: str) -> Source:
        """Return the source with another target, and without the choices for the former one."""
        roles = self.choices.roles.items()
        others = {name: role for name, role in roles if name != column and role != "target"}
        changed = self.with_choices(roles=others, bins=None, drop_classes=(), merge_classes={})
        return replace(changed, target=column, guess=None)

    def with_roles(self, changes: Mapping[str, str]) -> Source:
        """Return the source with other roles of some columns."""
        targets = [name for name, role in changes.items() if role == "target"]
        if self.target in changes and not targets:
            raise DataError(
                "It holds the classes.",
                where=f"column {self.target!r}",
                remedy="Make another column the target first.",
            )
        changed = self.with_target(targets[-1]) if targets else self
        roles = changed.choices.roles
        unique = set(io.UNIQUE_ROLES) & set(changes.values())
        roles = {name: role for name, role in roles.items() if role not in unique}
        changes = {name: role for name, role in changes.items() if name != changed.target}
        # "Categorical" implies a feature, so it ends when the column is ignored.
        names = (n for n in changed.choices.categories if changes.get(n) != "ignore")
        return changed.with_choices(roles={**roles, **changes}, categories=tuple(names))

    def with_names(self, changes: Mapping[str, str]) -> Source:
        """Return the source with some columns renamed; the original name, or none, undoes that."""
        rename = {**self.choices.rename, **{n: new.strip() for n, new in changes.items()}}
        return self.with_choices(
            rename={name: new for name, new in rename.items() if new and new != name}
        )

    def with_kind(self, names: Sequence[str], *, categorical: bool) -> Source:
        """Return the source with some numeric columns used as categories, or as numbers again."""
        former = [n for n in self.choices.categories if n not in names]
        return self.with_choices(categories=(*former, *(names if categorical else ())))

    def with_condition(self, condition: Condition) -> Source:
        """Return the source with another condition on its rows."""
        former = [known for known in self.choices.where if known != condition]
        return self.with_choices(where=(*former, condition))

    def with_choices(self, **changes: Any) -> Source:
        """Return the source with other fields of its `TableOptions`."""
        return replace(self, choices=replace(self.choices, **changes))

    def with_options(self, choices: io.TableOptions, reading: io.ReadOptions | None) -> Source:
        """Return the source with other options, read again if import options differ."""
        reading = None if reading == io.ReadOptions() else reading
        table = self.table if reading == self.options else None
        return replace(self, choices=choices, options=reading, table=table)

    def with_reading(self, **changes: Any) -> Source:
        """Return the source with other import options."""
        return replace(
            self, options=replace(self.options or io.ReadOptions(), **changes), table=None
        )

    def with_missing(self, column: str, values: Sequence[str | float]) -> Source:
        """Return the source with more missing-value codes of a column."""
        former = dict((self.options.missing_in if self.options else None) or {})
        former[column] = tuple(dict.fromkeys((*former.get(column, ()), *values)))
        return self.with_reading(missing_in=former)

    def with_remedy(self, remedy: Hint) -> Source:
        """Return the source with another remedy applied."""
        changed = self.with_roles(remedy.roles) if remedy.roles else self
        changed = replace(changed, choices=changed.choices.with_hint(remedy))
        reading = dict(remedy.reading)
        for column, values in reading.pop("missing_in", {}).items():
            changed = changed.with_missing(column, values)
        for of_columns in {"cut_at", "ordered"} & reading.keys():
            former = getattr(changed.options, of_columns, None) or {}
            reading[of_columns] = {**former, **reading[of_columns]}
        return changed.with_reading(**reading) if reading else changed

    def _is_untouched(self) -> bool:
        is_as_read = self.options in (None, io.ReadOptions()) and self.choices == AS_PROPOSED
        return self.bundled is not None and is_as_read and self.target == _target_name(self.bundled)


def source_of_sample(data: Dataset, name: str) -> Source:
    """Return a bundled table as a source whose column roles can be changed."""
    origin = analysis.SampleData(name)
    return Source(None, _target_name(data), name=name, bundled=data, origin=origin).read()


def _target_name(data: Dataset) -> str:
    return data.target_name or "class"


@dataclass(frozen=True, eq=False)
class ImageSource:
    """Image files, or one zip of them, with their import options.

    Parameters
    ----------
    files : tuple of (name, content)
    options : ImageOptions, optional
    drop_duplicates : bool
        Whether duplicates are left out.
    origin : FileData, optional
        The upload that they are; None for a file of this name.
    """

    files: tuple[File, ...]
    options: io.ImageOptions | None = None
    drop_duplicates: bool = False
    origin: FileData | None = None

    @property
    def description(self) -> FileData:
        """The data that they make, as in a specification."""
        return replace(
            self.origin or analysis.FileData(self.name),
            images=self.options or io.ImageOptions(),
            drop_image_duplicates=self.drop_duplicates,
        )

    @property
    def name(self) -> str:
        """Name of the file, or a common name of several files."""
        return self.files[0][0] if len(self.files) == 1 else common_name(self.files, "images")

    def read(self, progress: Progress | None = None) -> Dataset:
        """Decode them."""
        options = self.options or io.ImageOptions()
        if len(self.files) == 1 and is_zip(self.files[0][1]):
            name, raw = self.files[0]
            data = io.read_image_zip(raw, name, options, progress=progress)
        else:
            data = io.read_image_files(self.files, options, name=self.name, progress=progress)
        return checks.drop_image_duplicates(data) if self.drop_duplicates else data

    def with_remedy(self, remedy: Hint) -> ImageSource:
        """Return the source with a remedy applied."""
        changes = dict(remedy.images)
        drop = changes.pop("drop_duplicates", self.drop_duplicates)
        options = replace(self.options or io.ImageOptions(), **changes)
        return replace(self, options=options, drop_duplicates=drop)


def recognise(files: Sequence[File]) -> Source | ImageSource | Dataset:
    """Return the source that uploaded files make; arrays are read at once."""
    if len(files) > 1:
        _require_folders(files)
        if any(io.is_image(raw, name) for name, raw in files):
            return ImageSource(tuple(files))
        tables = io.tables_among(files)
        if not tables:
            raise DataError(
                f"None of the {len(files)} files is an image or a table.",
                where=", ".join(name for name, _ in files[:3]) + (", …" if len(files) > 3 else ""),
                remedy="Upload one table or one zip at a time; images can come together.",
            )
        if len(tables) > 1:
            return Source(None, raw=io.zip_tables(tables), name=common_name(tables, "tables"))
        files = tables
    name, raw = files[0]
    kind, raw, name = io.recognise_file(raw, name)
    if kind == "arrays":
        return io.read_npz(raw, name)
    if kind == "images":
        return ImageSource(((name, raw),))
    return Source(None, raw=raw, name=name)


def _require_folders(files: Sequence[File]) -> None:
    """Refuse files with equal names: browsers drop the subfolders of a dropped folder."""
    (name, count), *_ = Counter(name for name, _ in files).most_common(1)
    if count > 1:
        raise DataError(
            f"{count} of the {len(files)} files are called {name!r}: their folder names were not "
            f"transmitted.",
            where=name,
            remedy="Choose the folder with the button (A whole folder), or upload a zip of it.",
        )


def common_name(files: Sequence[File], else_name: str) -> str:
    """Return the common folder of files, or a default."""
    folders = {name.partition("/")[0] if "/" in name else "" for name, _ in files}
    return (folders.pop() if len(folders) == 1 else "") or else_name


def is_readable(source: Source) -> bool:
    """Return whether import options apply to a file: it may be text or a workbook."""
    if has_parts(source):
        return True
    try:
        refuse_foreign(source.raw, source.name)
    except DataError:
        return False
    if source.table is not None and source.table.reading is not None:
        return source.table.reading.kind == "text"
    # UTF-16 text contains zero bytes, but begins with a byte order mark; binary files do not.
    wide = source.raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    start = source.raw[:65_536]
    is_binary = 10 * start.count(0) > len(start) and not wide
    return bool(source.raw) and io.table_format(source.raw) != "Parquet" and not is_binary


def has_parts(source: Source) -> bool:
    """Return whether a file is a workbook or a zip of tables, from which one is read."""
    reading = source.table.reading if source.table is not None else None
    chosen = source.options is not None and source.options.sheet is not None
    return chosen or (reading is not None and bool(reading.sheets))
