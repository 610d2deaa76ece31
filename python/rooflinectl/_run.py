# SPDX-License-Identifier: Apache-2.0
"""A run: what its files have, and what the program derives from them, as lists and as frames."""

from __future__ import annotations

import gzip
import html
import json
import os
import pathlib
import shutil
import tempfile
import weakref
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Union

from . import _tables
from ._errors import require
from ._program import call
from ._tables import Row, Table

if TYPE_CHECKING:
    import pandas


class Run:
    """A run that was measured. Frames need pandas; `rows` and `data` do not.

    All numbers are in SI units, ratios between 0 and 1; what was not measured is missing (<NA>, NaN, or None in rows), never 0.
    docs/python.md lists the columns.
    """

    def __init__(self, run: Union[str, "os.PathLike[str]"]) -> None:
        """`run`: a run.json or run.json.gz, or its folder. Raises FileNotFoundError if there is none."""
        path = pathlib.Path(run)
        files = [path / "run.json", path / "run.json.gz"] if path.is_dir() else [path]
        found = next((file for file in files if file.is_file()), None)
        if found is None:
            raise FileNotFoundError(f"{path} has no run.json" if path.is_dir() else f"{path}: no such file or folder")
        #: The run.json.
        self.file: pathlib.Path = found.resolve()
        #: The folder that it is in.
        self.folder: pathlib.Path = self.file.parent
        self._data: Optional[Dict[str, Any]] = None
        self._explanation: Optional[Dict[str, Any]] = None
        self._rows: Dict[str, List[Row]] = {}
        self._reports: Optional[pathlib.Path] = None

    def __repr__(self) -> str:
        return f"Run({str(self.file)!r})"

    @property
    def data(self) -> Dict[str, Any]:
        """The run.json as it is (docs/schema/run.schema.json)."""
        if self._data is None:
            self._data = _read_json(self.file)
        return self._data

    @property
    def points(self) -> pandas.DataFrame:
        """A row per point, or per launch group of a program: the columns of points.csv (docs/data.md)."""
        return self.frame("points")

    @property
    def ranges(self) -> pandas.DataFrame:
        """A row per NVTX range of a profiled program, by experiment and device; `path` is empty for what ran in no range."""
        return self.frame("ranges")

    @property
    def launches(self) -> pandas.DataFrame:
        """A row per launch of a profiled program or, of groups with many, per part of the time in which they were launched."""
        return self.frame("launches")

    @property
    def ceilings(self) -> pandas.DataFrame:
        """A row per ceiling: measured and theoretical ones, of each device."""
        return self.frame("ceilings")

    @property
    def devices(self) -> pandas.DataFrame:
        """A row per GPU, with its settings; `device` in other frames is its row."""
        return self.frame("devices")

    def frame(self, table: Table) -> pandas.DataFrame:
        """The rows of `table` as a frame, whose columns have the types that docs/python.md lists."""
        pandas = require("pandas", f"run.{table}")
        rows = self.rows(table)
        columns = _tables.columns_of(table, rows)
        frame = pandas.DataFrame(rows, columns=list(columns))
        return frame.astype(columns)

    def rows(self, table: Table) -> List[Row]:
        """The rows of `points`, `ranges`, `launches`, `ceilings` or `devices` as dictionaries, without pandas."""
        if table not in self._rows:
            self._rows[table] = self._read_rows(table)
        return [dict(row) for row in self._rows[table]]

    def explain(self, point: Optional[str] = None, budget: Optional[int] = None) -> Dict[str, Any]:
        """What bounds each point, the evidence, and what to try next: `rooflinectl explain --json`.

        point: a label, a kernel, or a glob; all points without it. budget: tokens that the answer may take (at least 200); the
        points that could save most come first, and those left out are counted.
        """
        options = [] if point is None else ["--point", point]
        options += [] if budget is None else ["--budget", str(budget)]
        explanation: Dict[str, Any] = json.loads(call("explain", self.file, "--json", *options))
        return explanation

    def report(self) -> pathlib.Path:
        """The page of the run: report.html beside run.json, or else a new one, which is removed with this object."""
        return self._made("report.html")

    def _repr_html_(self) -> str:
        page = html.escape(self.report().read_text(encoding="utf-8"))
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 800px; border: 0" title="{html.escape(str(self.folder))}"></iframe>'

    def _read_rows(self, table: Table) -> List[Row]:
        if table == "points":
            return _tables.points(self._made("points.csv").read_text(encoding="utf-8"))
        if table == "ranges":
            if self._explanation is None:
                self._explanation = self.explain() if self.data["measurements"] else {"experiments": []}
            return _tables.ranges(self.data, self._explanation)
        if table == "launches":
            return _tables.launches(self.data, self.rows("points"))
        if table == "ceilings":
            return _tables.ceilings(self.data)
        if table == "devices":
            return _tables.devices(self.data)
        raise ValueError(f"{table!r} is none of {', '.join(_tables.TABLES)}")

    def _made(self, name: str) -> pathlib.Path:
        """A file that `rooflinectl report` writes: the one beside run.json, unless run.json is newer."""
        beside = self.folder / name
        if beside.is_file() and beside.stat().st_mtime >= self.file.stat().st_mtime:
            return beside
        if self._reports is None:
            folder = tempfile.mkdtemp(prefix="rooflinectl-")
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            call("report", self.file, "--output", folder, "--quiet")
            self._reports = pathlib.Path(folder)
        return self._reports / name


def load(run: Union[str, "os.PathLike[str]"]) -> Run:
    """Opens a run: its folder (also a link such as runs/train/latest), its run.json or run.json.gz.

    Raises FileNotFoundError if there is none. What is in it is read when it is asked for.
    """
    return Run(run)


def _read_json(file: pathlib.Path) -> Dict[str, Any]:
    content = file.read_bytes()
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    document: Dict[str, Any] = json.loads(content)
    return document
