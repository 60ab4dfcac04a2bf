"""Sources of a data set: files, generators or samples, with all import options.

Nothing here knows Streamlit. A source never changes: each choice makes another one, which either
becomes the data of the session or is refused as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lincore import checks, io
from lincore.errors import DataError, Hint, Notice
from lincore.limits import is_zip, refuse_foreign

if TYPE_CHECKING:
    from lincore.checks import TableFinding
    from lincore.data import Dataset, TargetGuess
    from lincore.io import Column, Condition, Table
    from lincore.utils import Progress

File = tuple[str, bytes]

# Files of more bytes are read in a job: seconds, or a bomb.
LONG_BYTES = 10_000_000

AS_PROPOSED = io.TableOptions()


@dataclass(frozen=True, eq=False)
class Source:
    """A table, the column that holds its classes, and what is made of the others.

    Parameters
    ----------
    table : Table or None
        None while it could not be read.
    target : str or None
        The column of the classes; None while none was found.
    raw : bytes
        The file, to be read otherwise.
    name : str
    options : ReadOptions, optional
        How it is to be read; detected where None.
    choices : TableOptions
        What is made of its columns, rows and classes.
    bundled : Dataset, optional
        The sample that the table shows, instead of a file.
    guess : TargetGuess, optional
        Why the target is that column, and the next best ones, while nobody has chosen it.
    """

    table: Table | None
    target: str | None = None
    raw: bytes = b""
    name: str = ""
    options: io.ReadOptions | None = None
    choices: io.TableOptions = AS_PROPOSED
    bundled: Dataset | None = None
    guess: TargetGuess | None = None

    @cached_property
    def used(self) -> Table | None:
        """The table with the rows that meet the conditions; all rows where none would be left."""
        if self.table is None or not self.choices.where:
            return self.table
        try:
            return io.filter_rows(self.table, self.choices.where)
        except DataError:
            return self.table

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Content and role of each column; nothing while there is no table."""
        if self.used is None:
            return ()
        try:
            return io.choose_roles(self.used, self.target, self.choices)
        except DataError:
            # Of a target that the table has not, the table's own proposal takes the place.
            known = self.target if self.target in self.used.frame.columns else None
            return io.describe_columns(self.used, known)

    @cached_property
    def findings(self) -> tuple[TableFinding, ...]:
        """Findings that have not been dealt with."""
        if self.used is None or self.target is None:
            return ()
        binned = self.choices.bins is not None
        found = checks.find_table_problems(self.used, self.columns, binned=binned)
        if self.is_in_blocks:
            # Of rows that repeat or stand alone, some that were drawn say nothing.
            found = tuple(one for one in found if not any(r.options for r in one.remedies))
        return tuple(
            one for one in found if not any(self._in_force(remedy) for remedy in one.remedies)
        )

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Findings of reading it; none while there is no table."""
        return self.table.notices if self.table is not None else ()

    def all_findings(self, notices: Sequence[Notice]) -> tuple[TableFinding, ...]:
        """Return what is to be looked at, then what was decided: notices of it or of its data."""
        if self.table is None:
            return ()
        return checks.with_decisions(self.findings, self.table, self.columns, notices, self.options)

    @property
    def is_in_blocks(self) -> bool:
        """True if it is too large to be held, and all of its rows are used."""
        large = self.table is not None and self.table.source is not None
        return large and not self.choices.drawn_only

    @property
    def takes_long(self) -> bool:
        """True if making it a data set is worth a job that can be watched and stopped."""
        return self.is_in_blocks or (self.table is None and len(self.raw) > LONG_BYTES)

    def is_same_file(self, other: Source) -> bool:
        """Return whether both are the same file or sample, however either is read and used."""
        is_same_content = self.raw is other.raw and self.bundled is other.bundled
        return is_same_content and self.name == other.name

    def read(self) -> Source:
        """Return it with its table, and a target where one is proposed."""
        if self.bundled is not None:
            table = io.dataset_to_table(self.bundled, _called(self.bundled), self.options)
        else:
            table = io.read_table(self.raw, self.name, self.options)
        names = {str(name) for name in table.frame.columns}
        fresh = replace(self, table=table)
        if self.target not in names:
            guess = io.propose_target(table)
            return replace(fresh, target=table.proposed, guess=guess, choices=AS_PROPOSED)
        former = self.choices
        return fresh.with_choices(
            roles={name: role for name, role in former.roles.items() if name in names},
            categories=tuple(name for name in former.categories if name in names),
            where=tuple(one for one in former.where if one.column in names),
            rename={name: new for name, new in former.rename.items() if name in names},
        )

    def dataset(self, progress: Progress | None = None) -> Dataset:
        """Return what it makes."""
        assert self.table is not None
        if self.bundled is not None and self._is_untouched():
            return self.bundled
        data = io.table_to_dataset(self.table, self.target, self.choices, progress=progress)
        if self.guess is None:
            return data
        return replace(data, target_guess=self.guess, notices=(*data.notices, self.guess.notice))

    def with_target(self, column: str) -> Source:
        """Return it with another column of classes, and without the choices for the former."""
        roles = self.choices.roles.items()
        others = {name: role for name, role in roles if name != column and role != "target"}
        found = self.with_choices(roles=others, bins=None, drop_classes=(), merge_classes={})
        return replace(found, target=column, guess=None)

    def with_roles(self, changes: Mapping[str, str]) -> Source:
        """Return it with other roles of some columns."""
        targets = [name for name, role in changes.items() if role == "target"]
        if self.target in changes and not targets:
            raise DataError(
                "It holds the classes.",
                where=f"column {self.target!r}",
                remedy="Make another column the target first.",
            )
        found = self.with_target(targets[-1]) if targets else self
        roles = found.choices.roles
        unique = set(io.UNIQUE_ROLES) & set(changes.values())
        roles = {name: role for name, role in roles.items() if role not in unique}
        changes = {name: role for name, role in changes.items() if name != found.target}
        # A number taken as names is a feature: whoever ignores it no longer wants that.
        names = (n for n in found.choices.categories if changes.get(n) != "ignore")
        return found.with_choices(roles={**roles, **changes}, categories=tuple(names))

    def with_names(self, changes: Mapping[str, str]) -> Source:
        """Return it with other names of some columns; its own name, or none, gives that back."""
        rename = {**self.choices.rename, **{n: new.strip() for n, new in changes.items()}}
        return self.with_choices(
            rename={name: new for name, new in rename.items() if new and new != name}
        )

    def with_kind(self, names: Sequence[str], *, categorical: bool) -> Source:
        """Return it with the numbers of some columns taken as categories, or as numbers again."""
        former = [n for n in self.choices.categories if n not in names]
        return self.with_choices(categories=(*former, *(names if categorical else ())))

    def with_condition(self, condition: Condition) -> Source:
        """Return it with one more condition that its rows must meet."""
        former = [one for one in self.choices.where if one != condition]
        return self.with_choices(where=(*former, condition))

    def name_of(self, column: str) -> str:
        """Return what a column is called now."""
        return str(self.choices.rename.get(column, column))

    def with_choices(self, **changes: Any) -> Source:
        """Return it with other fields of its `TableOptions`."""
        return replace(self, choices=replace(self.choices, **changes))

    def with_reading(self, **changes: Any) -> Source:
        """Return it to be read otherwise."""
        return replace(
            self, options=replace(self.options or io.ReadOptions(), **changes), table=None
        )

    def with_missing(self, column: str, values: Sequence[str | float]) -> Source:
        """Return it to be read with more values of a column that stand for missing ones."""
        former = dict((self.options.missing_in if self.options else None) or {})
        former[column] = tuple(dict.fromkeys((*former.get(column, ()), *values)))
        return self.with_reading(missing_in=former)

    def with_remedy(self, remedy: Hint) -> Source:
        """Return it with a remedy applied, on top of those applied before."""
        found = self.with_roles(remedy.roles) if remedy.roles else self
        options = dict(remedy.options)
        if "drop_classes" in options:
            former = self.choices.drop_classes
            options["drop_classes"] = tuple(dict.fromkeys((*former, *options["drop_classes"])))
        if "merge_classes" in options:
            former = self.choices.merge_classes
            options["merge_classes"] = {**former, **options["merge_classes"]}
        if "categories" in options:
            former = self.choices.categories
            options["categories"] = tuple(dict.fromkeys((*former, *options["categories"])))
        found = found.with_choices(**options) if options else found
        reading = dict(remedy.reading)
        for column, values in reading.pop("missing_in", {}).items():
            found = found.with_missing(column, values)
        for of_columns in {"cut_at", "ordered"} & reading.keys():
            former = getattr(found.options, of_columns, None) or {}
            reading[of_columns] = {**former, **reading[of_columns]}
        return found.with_reading(**reading) if reading else found

    def _is_untouched(self) -> bool:
        as_it_is = self.options in (None, io.ReadOptions()) and self.choices == AS_PROPOSED
        return self.bundled is not None and as_it_is and self.target == _called(self.bundled)

    def _in_force(self, remedy: Hint) -> bool:
        done = self.with_remedy(replace(remedy, roles={}, reading={})).choices
        return bool(remedy.options) and done == self.choices


def of_sample(data: Dataset, name: str) -> Source:
    """Return a bundled table as something whose columns can be used otherwise."""
    return Source(None, _called(data), name=name, bundled=data).read()


def _called(data: Dataset) -> str:
    return data.target_name or "class"


@dataclass(frozen=True, eq=False)
class ImageSource:
    """Files of images, or one zip of them, and what is made of them.

    Parameters
    ----------
    files : tuple of (name, content)
    options : ImageOptions, optional
    drop_duplicates : bool
        Whether duplicates are left out.
    """

    files: tuple[File, ...]
    options: io.ImageOptions | None = None
    drop_duplicates: bool = False

    @property
    def name(self) -> str:
        """Name of the file, or of the files together."""
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
        """Return it to be read with a remedy applied."""
        changes = dict(remedy.images)
        drop = changes.pop("drop_duplicates", self.drop_duplicates)
        options = replace(self.options or io.ImageOptions(), **changes)
        return replace(self, options=options, drop_duplicates=drop)


def common_name(files: Sequence[File], else_name: str) -> str:
    """Return the folder that files come from, if they all do."""
    folders = {name.partition("/")[0] if "/" in name else "" for name, _ in files}
    return (folders.pop() if len(folders) == 1 else "") or else_name


def is_readable(source: Source) -> bool:
    """Return whether reading a file otherwise could help: it is text, a workbook, or may be."""
    if has_parts(source):
        return True
    try:
        refuse_foreign(source.raw, source.name)
    except DataError:
        return False
    if source.table is not None and source.table.reading is not None:
        return source.table.reading.kind == "text"
    # Text in UTF-16 has zeros, but begins with its mark; a program has them anywhere.
    wide = source.raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    some = source.raw[:65_536]
    zeros = 10 * some.count(0) > len(some) and not wide
    return bool(source.raw) and not io.is_parquet(source.raw) and not zeros


def has_parts(source: Source) -> bool:
    """Return whether a file is a workbook or a zip of tables, of which one is read."""
    found = source.table.reading if source.table is not None else None
    chosen = source.options is not None and source.options.sheet is not None
    return chosen or (found is not None and bool(found.sheets))
