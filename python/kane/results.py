"""Typed results of analyses and runs. All of them can be pickled and printed, and their members read by name."""

from __future__ import annotations

import html as _html
from collections.abc import Mapping
from typing import Any, Dict, Iterator, List, Tuple

import numpy as np

__all__ = ["Report", "Evaluation", "LinearModel", "Equilibrium", "EquilibriumList", "FrequencyResponse", "RootLocus",
           "TaskJacobian", "Reach", "JointForces", "Table", "Result", "InverseResult", "SensitivityResult", "Fit",
           "Derivation", "Page", "SourceCode", "SweepResult", "TickReport", "HapticReport"]


def _numbers(value: Any) -> np.ndarray:
    return np.array(value, dtype=float)


def _complex(value: Any) -> np.ndarray:
    pairs = _numbers(value).reshape(-1, 2)
    return pairs[:, 0] + 1j * pairs[:, 1]


def _cell(value: Any) -> str:
    """A value as HTML for a notebook."""
    if isinstance(value, np.ndarray) and value.ndim == 2 and value.size and max(value.shape) <= 12:
        rows = "".join("<tr>" + "".join(f"<td style='text-align:right'>{x:.6g}</td>" for x in row) + "</tr>" for row in value)
        return f"<table>{rows}</table>"
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.size <= 24:
        return ", ".join(f"{x:.6g}" for x in value)
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict) and len(value) <= 24 and all(isinstance(v, (int, float, str)) for v in value.values()):
        return ", ".join(f"{_html.escape(str(k))} = {_html.escape(_cell(v))}" for k, v in value.items())
    if isinstance(value, list) and value and all(isinstance(v, str) for v in value):
        return _html.escape(", ".join(value))
    text = " ".join((value if isinstance(value, str) else repr(value)).split())
    return _html.escape(text if len(text) < 200 else text[:197] + "...")


class Report(Mapping):
    """A result by name: ``report.A`` and ``report["A"]`` are the same."""

    _arrays: Tuple[str, ...] = ()
    _complex: Tuple[str, ...] = ()

    def __init__(self, fields: Dict[str, Any]) -> None:
        for key in self._arrays:
            if fields.get(key) is not None:
                fields[key] = _numbers(fields[key])
        for key in self._complex:
            if fields.get(key) is not None:
                fields[key] = _complex(fields[key])
        self._fields = fields

    def __getattr__(self, name: str) -> Any:
        fields = self.__dict__.get("_fields")
        if fields is None or name not in fields:
            raise AttributeError(f"{type(self).__name__} has no '{name}'")
        return fields[name]

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self._fields]

    def __repr__(self) -> str:
        lines = [type(self).__name__]
        for key, value in self._fields.items():
            text = " ".join(repr(value).split())
            lines.append(f"  {key}: {text if len(text) < 100 else text[:97] + '...'}")
        return "\n".join(lines)


def _report_html(self: Report) -> str:
    """Fields and values, for a notebook."""
    rows = "".join(f"<tr><th style='text-align:left;vertical-align:top'>{_html.escape(key)}</th>"
                   f"<td style='text-align:left'>{_cell(value)}</td></tr>" for key, value in self.items() if value is not None)
    return f"<b>{type(self).__name__}</b><table>{rows}</table>"


Report._repr_html_ = _report_html  # type: ignore[attr-defined]


class Evaluation(Report):
    """A model at one state: ``qdot``, ``udot``, ``M``, ``rhs``, ``constraint_jacobian``, energies, ``points``, ``bodies``,
    ``reactions``, ``outputs``."""

    t: float
    q: np.ndarray
    u: np.ndarray
    qdot: np.ndarray
    udot: np.ndarray
    M: np.ndarray
    rhs: np.ndarray
    constraint_jacobian: np.ndarray
    constraint_multipliers: np.ndarray
    constraint_residuals: np.ndarray
    generalized_active_forces: np.ndarray
    generalized_inertia_forces: np.ndarray
    linear_momentum: np.ndarray
    angular_momentum: np.ndarray
    kinetic: float
    outputs: Dict[str, float]

    _arrays = ("q", "u", "qdot", "udot", "M", "rhs", "M_embedded", "rhs_embedded", "constraint_jacobian",
               "constraint_multipliers", "constraint_residuals", "generalized_active_forces",
               "generalized_inertia_forces", "linear_momentum", "angular_momentum")


class LinearModel(Report):
    """x' = A x + B r about a state, and the same as M u' + C u + K q = F r; ``eigenvalues``, ``modes``, ``stability``."""

    A: np.ndarray
    B: np.ndarray
    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    F: np.ndarray
    states: List[str]
    inputs: List[str]
    eigenvalues: np.ndarray
    stability: str

    _arrays = ("A", "B", "M", "C", "K", "F")
    _complex = ("eigenvalues",)

    def __init__(self, fields: Dict[str, Any]) -> None:
        super().__init__(fields)
        n, m = len(fields["states"]), len(fields["inputs"])
        fields["A"] = fields["A"].reshape(n, n)
        fields["B"] = fields["B"].reshape(n, m)

    def to_control(self) -> Any:
        """The same as a ``control.StateSpace`` of python-control, with all states as outputs."""
        try:
            import control
        except ImportError:
            raise ImportError("to_control() needs the package python-control") from None
        n, m = self.B.shape
        return control.ss(self.A, self.B, np.eye(n), np.zeros((n, m)), states=self.states, inputs=self.inputs,
                          outputs=self.states)


class Equilibrium(Report):
    """One equilibrium: ``q``, ``u``, ``inputs`` by name (it can be passed as a state), ``stability``, ``eigenvalues``."""

    q: Dict[str, float]
    u: Dict[str, float]
    inputs: Dict[str, float]
    eigenvalues: np.ndarray

    _complex = ("eigenvalues",)


class EquilibriumList(Report):
    """Result of a search: ``found`` is a list of :class:`Equilibrium`, the nearest first."""

    found: List[Equilibrium]
    message: str

    def __init__(self, fields: Dict[str, Any]) -> None:
        fields["found"] = [Equilibrium(one) for one in fields["found"]]
        super().__init__(fields)


class FrequencyResponse(Report):
    """``omega`` (rad/s), ``magnitude``, ``decibel``, ``phase_deg``, ``poles``, ``zeros``, margins; ``response``: complex."""

    omega: np.ndarray
    magnitude: np.ndarray
    decibel: np.ndarray
    phase_deg: np.ndarray
    poles: np.ndarray
    zeros: np.ndarray

    _arrays = ("omega", "magnitude", "decibel", "phase_deg")
    _complex = ("poles", "zeros")

    @property
    def response(self) -> np.ndarray:
        return self.magnitude * np.exp(1j * np.radians(self.phase_deg))


class RootLocus(Report):
    """``values`` of the swept name, and ``eigenvalues`` (values, branches)."""

    eigenvalues: np.ndarray

    _arrays = ("values",)

    def __init__(self, fields: Dict[str, Any]) -> None:
        fields["eigenvalues"] = np.array([_complex(row) for row in fields["eigenvalues"]])
        super().__init__(fields)


class TaskJacobian(Report):
    """Jacobians of points and bodies, and the inertia felt there."""

    _arrays = ("velocity", "bias", "jacobian", "constrained_jacobian", "inverse_inertia", "inertia", "singular_values")


class Reach(Report):
    """Configurations in which points are at their targets."""


class JointForces(Report):
    """Forces in every joint at a state: ``joints``, ``constraint_forces``, ``multipliers``."""

    joints: List[Dict[str, Any]]
    constraint_forces: np.ndarray

    _arrays = ("constraint_forces",)


class Table:
    """Columns over time: ``table["q1"]`` is an array, ``table.t`` the time, ``table.data`` all of it (samples, columns)."""

    def __init__(self, columns: List[str], data: np.ndarray, units: List[str] = ()) -> None:
        self.columns, self.data = list(columns), data
        self.units = {name: unit for name, unit in zip(columns, units) if unit}

    @property
    def t(self) -> np.ndarray:
        return self.data[:, 0]

    def __getitem__(self, name: str) -> np.ndarray:
        try:
            return self.data[:, self.columns.index(name)]
        except ValueError:
            from .states import suggestion
            raise KeyError(f"no column '{name}'{suggestion(name, self.columns)}") from None

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.data)

    def keys(self) -> List[str]:
        return list(self.columns)

    def to_pandas(self) -> Any:
        """The same as a ``pandas.DataFrame``, indexed by time."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_pandas() needs the package pandas") from None
        return pandas.DataFrame(self.data[:, 1:], index=pandas.Index(self.t, name=self.columns[0]),
                                columns=self.columns[1:])

    def to_dict(self) -> Dict[str, np.ndarray]:
        return {name: self.data[:, i] for i, name in enumerate(self.columns)}

    def plot(self, *names: str) -> Any:
        """Draws columns over time with matplotlib; returns the axes."""
        import matplotlib.pyplot as plt
        axes = plt.subplots()[1]
        for name in names or self.columns[1:]:
            axes.plot(self.t, self[name], label=name)
        axes.set_xlabel("t, s")
        axes.legend()
        return axes

    def _repr_html_(self) -> str:
        """The first and last samples, for a notebook."""
        most = 16
        head = "".join(f"<th>{_html.escape(n)}" + (f"<br>{_html.escape(self.units[n])}" if n in self.units else "") + "</th>"
                       for n in self.columns[:most])
        places = range(len(self)) if len(self) <= 12 else [*range(5), None, *range(len(self) - 5, len(self))]
        rows = "".join("<tr>" + ("<td>...</td>" if i is None else "".join(f"<td>{x:.6g}</td>" for x in self.data[i, :most])) + "</tr>"
                       for i in places)
        return f"<div>{_html.escape(repr(self))}</div><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"

    def __repr__(self) -> str:
        if not len(self):
            return f"<{type(self).__name__}: no samples of {', '.join(self.columns)}>"
        names = ", ".join(self.columns[:12]) + (" ..." if len(self.columns) > 12 else "")
        return f"<{type(self).__name__}: {len(self)} samples from {self.t[0]:g} s to {self.t[-1]:g} s of {names}>"


class Result(Table):
    """A run: columns over time, ``events`` of switched motion, ``summary`` (energy, steps, residuals), ``warnings``."""

    def __init__(self, summary: Dict[str, Any], columns: List[str], units: List[str], data: np.ndarray,
                 coordinates: List[str], speeds: List[str]) -> None:
        super().__init__(columns, data, units)
        self.events: List[Dict[str, Any]] = summary.pop("events", [])
        self.failure: str = summary.pop("failure", "")
        self.warnings: List[str] = summary.pop("warnings", [])
        self.summary = summary
        self._names = coordinates, speeds

    def state(self, sample: int = -1) -> Dict[str, Any]:
        """The state at a sample, in the form that other functions accept."""
        coordinates, speeds = self._names
        row = dict(zip(self.columns, self.data[sample]))
        return {"t": row["t"], "q": {n: row[n] for n in coordinates}, "u": {n: row[n] for n in speeds}}


class InverseResult(Table):
    """Inputs that produce a motion, over time; ``summary`` has their extremes, ``warnings`` the limits they exceed."""

    def __init__(self, summary: Dict[str, Any], columns: List[str], data: np.ndarray) -> None:
        super().__init__(columns, data)
        self.failure: str = summary.pop("failure", "")
        self.warnings: List[str] = summary.pop("warnings", [])
        self.summary = summary


class SensitivityResult(Table):
    """Derivatives of a run: ``derivative(output, parameter)`` over time, ``at_end`` and ``largest`` (outputs, parameters)."""

    def __init__(self, summary: Dict[str, Any], columns: List[str], data: np.ndarray) -> None:
        super().__init__(columns, data)
        self.outputs, self.parameters = summary["outputs"], summary["parameters"]
        shape = len(self.outputs), len(self.parameters)
        self.at_end = _numbers(summary.pop("derivatives_at_end")).reshape(shape)
        self.largest = _numbers(summary.pop("largest_derivatives")).reshape(shape)
        self.summary = summary

    def derivative(self, output: str, parameter: str) -> np.ndarray:
        return self[f"d({output})/d({parameter})"]


class Fit(Report):
    """Fitted ``parameters`` with their errors; ``values`` by name can be passed as settings."""

    @property
    def values(self) -> Dict[str, float]:  # type: ignore[override]
        return {name: p["value"] for name, p in self._fields["parameters"].items()}


class Page:
    """A page for a browser. A notebook shows it in a frame."""

    def __init__(self, text: str, height: int = 640) -> None:
        self.html, self.height = text, height

    def save(self, path: Any) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{_html.escape(self.html, quote=True)}" width="100%" height="{self.height}" '
                'style="border:1px solid #ccc"></iframe>')

    def __repr__(self) -> str:
        return f"<Page of {len(self.html) // 1024} KiB; .save(path) writes it, a notebook shows it>"


class Derivation:
    """The eight steps of Kane's method: ``text``, ``markdown``, ``latex`` (a document) and ``html`` (a page)."""

    def __init__(self, pages: Dict[str, str], equations: List[str]) -> None:
        self.text, self.markdown = pages["text"], pages["markdown"]
        self.latex, self.html = pages["latex"], pages["html"]
        self.equations = equations

    def _repr_html_(self) -> str:
        return Page(self.html)._repr_html_()

    def _repr_latex_(self) -> str:
        return "$$\\begin{aligned}" + r" \\ ".join(self.equations) + "\\end{aligned}$$"

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text


class SourceCode(Report):
    """Exported source: ``files`` (text by name), ``notes`` about what is left out, ``written`` (paths)."""

    notes: List[str]
    written: List[str]


class TickReport(Report):
    """Ticks that were made: ``ticks``, ``events`` in them, ``status`` ("ok", "failed", "jammed"), ``stop`` (an event of the
    model ends the run), ``work`` (counts of the last tick)."""

    ticks: int
    events: int
    status: str
    stop: bool
    work: Dict[str, int]


class HapticReport(Report):
    """A haptic loop with a simulated hand: ``ticks``, ``events``, ``axes`` (coupler, forces and energies of each axis of the
    handle), the last ``t``, ``q`` and ``u``, computing times of a tick in seconds."""

    _arrays = ("q", "u")
    ticks: int
    events: int
    status: str
    t: float
    q: np.ndarray
    u: np.ndarray
    axes: List[Dict[str, Any]]


class SweepResult:
    """The runs of a sweep: ``sweep["m"]`` is a column of a variable or a measure over the runs; ``values`` (runs, variables),
    ``results`` (runs, measures; not-a-number where a run failed), ``ok``, ``seconds`` of computing, ``failures`` (reasons by
    run)."""

    def __init__(self, found: Dict[str, Any]) -> None:
        self.variables: List[str] = found["variables"]
        self.measures: List[str] = found["measures"]
        self.choices: Dict[str, List[str]] = {v: c for v, c in zip(found["variables"], found["choices"]) if c}
        self.values: np.ndarray = found["values"]
        self.results: np.ndarray = found["results"]
        self.ok: np.ndarray = found["ok"]
        self.seconds: np.ndarray = found["seconds"]
        self.failures: Dict[int, str] = found["failures"]
        self.k: np.ndarray = found.get("k", np.arange(len(self.ok)))
        self.count: int = found.get("count", len(self.ok))
        self.series_names: List[str] = found.get("series_names", [])
        self._series: Dict[int, np.ndarray] = found.get("series", {})

    def series(self, run: int) -> Table:
        """The series of a run (its number, as in ``k``): ``t`` and the signals that ``series=`` asked for."""
        if not self.series_names:
            raise KeyError("this sweep has no series: ask for them with series=")
        if run not in self._series:
            raise KeyError(f"run {run} has no series" + (": it failed" if run in self.failures else ""))
        return Table(["t", *self.series_names], self._series[run])

    @property
    def columns(self) -> List[str]:
        return [*self.variables, *self.measures]

    def keys(self) -> List[str]:
        return self.columns

    def __getitem__(self, name: str) -> np.ndarray:
        """A column; the words of a variable that takes words."""
        if name in self.variables:
            column = self.values[:, self.variables.index(name)]
            return np.array(self.choices[name])[column.astype(int)] if name in self.choices else column
        if name in self.measures:
            return self.results[:, self.measures.index(name)]
        from .states import suggestion
        raise KeyError(f"no column '{name}'{suggestion(name, self.columns)}")

    def __contains__(self, name: object) -> bool:
        return name in self.variables or name in self.measures

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.ok)

    def to_pandas(self) -> Any:
        """The same as a ``pandas.DataFrame``: variables, measures, ``ok``, indexed by run."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_pandas() needs the package pandas") from None
        return pandas.DataFrame({**{name: self[name] for name in self.columns}, "ok": self.ok},
                                index=pandas.Index(self.k, name="run"))

    def _repr_html_(self) -> str:
        """The first and last runs, for a notebook."""
        head = "".join(f"<th>{_html.escape(n)}</th>" for n in ("run", *self.columns))
        places = range(len(self)) if len(self) <= 12 else [*range(5), None, *range(len(self) - 5, len(self))]

        def row(i: Any) -> str:
            if i is None:
                return "<tr><td>...</td></tr>"
            cells = [f"<td>{self.k[i]}</td>", *(f"<td>{_cell(self[n][i].item())}</td>" for n in self.columns)]
            return f"<tr>{''.join(cells)}</tr>"
        rows = "".join(row(i) for i in places)
        return f"<div>{_html.escape(repr(self))}</div><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"

    def __repr__(self) -> str:
        failed = int(np.count_nonzero(~self.ok))
        return (f"<SweepResult: {len(self)} runs over {', '.join(self.variables)}; {', '.join(self.measures)}"
                + (f"; {failed} failed>" if failed else ">"))
