"""Models: read, inspect, evaluate, simulate, analyse, export."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _kane
from .errors import ModelError, RunError
from .function import MotionFunction
from .results import (Derivation, EquilibriumList, Evaluation, Fit, FrequencyResponse, InverseResult, JointForces,
                      HapticReport, LinearModel, Page, Reach, Result, RootLocus, SensitivityResult, SourceCode, SweepResult,
                      TaskJacobian)
from .states import SECTIONS, State, StateLike, settings, state_dict, state_text, states_text, suggestion

__all__ = ["Model", "load", "loads", "read_sweep"]

_READING = ("set", "guess", "formulation", "strict", "interpreter", "ignore_limits", "allow_fmu", "floating_base", "lenient",
            "keyframe", "with_contacts", "repair_inertia")
# Those that a model keeps when it is derived again or pickled.
_KEPT = ("strict", "interpreter", "ignore_limits", "allow_fmu")


def _reading_options(given: Mapping) -> Dict[str, Any]:
    for key in given:
        if key not in _READING:
            raise TypeError(f"unknown option '{key}'{suggestion(key, _READING)}")
    options = {key: value for key, value in given.items() if value is not None}
    for key in ("set", "guess"):
        if key in options:
            options[key] = settings(options[key])
    return options


def load(path: Union[str, os.PathLike], **options: Any) -> "Model":
    """Reads any model file: Kane YAML, URDF, MJCF, SD/FAST, AUTOLEV.

    Options: ``set={"m": 2, "q1": "30 deg"}`` overrides parameters, inputs and initial values, ``guess`` says where loops
    look for a coordinate, ``formulation`` ("automatic", "projection", "composite", "articulated"), ``strict`` (the same
    bits on every machine), ``interpreter`` (no machine code), ``ignore_limits``, ``allow_fmu`` (runs may call the native code
    of FMUs that drive inputs; trust them as you trust a program); URDF: ``floating_base``, ``repair_inertia``; MJCF:
    ``lenient``, ``keyframe``, ``with_contacts``.

    >>> import kane
    >>> model = kane.load(kane.example("planar2r"))
    >>> model.coordinates
    ['q1', 'q2']
    """
    given = _reading_options(options)
    return Model(_kane.read_file(os.fspath(path), given), given)


def loads(text: str, name: str = "model.yaml", **options: Any) -> "Model":
    """Reads a model from text. The extension of ``name`` gives the format; ``name`` is used in messages."""
    given = _reading_options(options)
    return Model(_kane.read_text(text, name, given), given)


def _clean(options: Mapping) -> Dict[str, Any]:
    return {key: value for key, value in options.items() if value is not None}


def _names(value: Union[None, str, Iterable[str]]) -> Optional[List[str]]:
    return None if value is None else [value] if isinstance(value, str) else [str(v) for v in value]


def _reals(value: Any) -> np.ndarray:
    """An array of real numbers. Complex ones are refused: NumPy would take their real parts."""
    if np.iscomplexobj(value):
        raise TypeError(f"real numbers are needed, not {value!r:.60}")
    return np.asarray(value, dtype=float)


def _table(table: Any) -> Tuple[List[str], np.ndarray, np.ndarray]:
    """A table over time: a :class:`Table`, a DataFrame indexed by time, or a mapping with "t"."""
    if hasattr(table, "iloc"):
        columns = {str(name): _reals(table[name]) for name in table.columns}
        if "t" not in columns:
            columns["t"] = _reals(table.index)
    elif hasattr(table, "keys"):
        columns = {name: _reals(table[name]) for name in table.keys()}
    else:
        raise TypeError(f"a table is a mapping of columns with 't', a DataFrame or a result, not {type(table).__name__}")
    if "t" not in columns:
        raise ModelError("a table needs a column 't'")
    t = columns.pop("t")
    for name, column in columns.items():
        if column.shape != t.shape or t.ndim != 1:
            raise ModelError(f"the column '{name}' has the shape {column.shape}, the times {t.shape}")
    names = list(columns)
    return names, t, np.column_stack([columns[n] for n in names]) if names else np.zeros((len(t), 0))


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or int(value) != value or not 0 <= value < 2**63:
        raise ModelError(f"{name} takes a whole number that is not negative, not {value!r}")
    return int(value)


def _variation(name: str, how: Any) -> str:
    """How a variable of a sweep varies, as the command line says it."""
    if isinstance(how, str):
        return how
    values = np.atleast_1d(_reals(how))
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        raise ModelError(f"the values of '{name}' must be finite numbers in a list, not {how!r}")
    return "{" + ", ".join(repr(float(v)) for v in values) + "}"


def _cases(table: Any) -> Tuple[List[str], List[List[float]]]:
    """The rows of a DataFrame, or of a mapping of columns."""
    if not hasattr(table, "keys"):
        raise TypeError(f"cases are a mapping of columns or a DataFrame, not {type(table).__name__}")
    names = [str(name) for name in table.keys()]
    columns = [_reals(table[name]) for name in table.keys()]
    if not columns or any(c.ndim != 1 or c.shape != columns[0].shape for c in columns):
        raise ModelError("cases need columns of the same length")
    return names, np.column_stack(columns).tolist()


def read_sweep(path: Union[str, os.PathLike]) -> SweepResult:
    """The results that ``kane sweep --out FILE`` has written so far."""
    return SweepResult(_kane.read_sweep(os.fspath(path)))


class Model:
    """A mechanism with its equations derived and compiled; constant from then on, so that threads may share it.

    >>> import kane
    >>> model = kane.load(kane.example("planar2r"))
    >>> at = model.evaluate(q1=0.3, u2=1)
    >>> at.M.shape
    (2, 2)
    """

    def __init__(self, core: Any, options: Optional[Mapping] = None) -> None:
        if not isinstance(core, _kane.Model):
            raise TypeError("models are made by kane.load(), kane.loads() or Mechanism.model()")
        self._core = core
        self._options = dict(options or {})
        self._info: Dict[str, Any] = core.describe()

    # ---- what it is --------------------------------------------------------------------------------------------------
    @property
    def name(self) -> str:
        return self._info["name"]

    @property
    def coordinates(self) -> List[str]:
        return list(self._info["coordinates"])

    @property
    def speeds(self) -> List[str]:
        return list(self._info["speeds"])

    @property
    def inputs(self) -> List[str]:
        return list(self._info["inputs"])

    @property
    def parameters(self) -> Dict[str, float]:
        """Values by name, SI."""
        return dict(self._info["parameters"])

    @property
    def outputs(self) -> List[str]:
        return list(self._info["outputs"])

    def info(self) -> Dict[str, Any]:
        """Names of everything, units, the formulation, notes and warnings."""
        return dict(self._info)

    def to_yaml(self) -> str:
        """The equivalent model file."""
        return self._core.yaml()

    def __repr__(self) -> str:
        i = self._info
        return (f"<Model {i['name']}: {len(i['coordinates'])} coordinates, {len(i['speeds'])} speeds, "
                f"{len(i['inputs'])} inputs, {len(i['constraints'])} constraints>")

    def __reduce__(self) -> Any:
        options = {"formulation": self._info["formulation"]} if self._info["formulation"] in (
            "projection", "composite", "articulated") else {}
        kept = {**{key: value for key, value in self._options.items() if key in _KEPT}, **options}
        try:
            return _rebuild, (self.to_yaml(), str(Path(self._info["file"]).with_suffix(".yaml")), kept)
        except ModelError:
            return _reload, (os.path.abspath(self._info["file"]), {**self._options, **options})

    def with_options(self, **options: Any) -> "Model":
        """The same mechanism with other settings, derived again: ``model.with_options(set={"m": 3})``. ``strict``,
        ``interpreter``, ``ignore_limits`` and ``allow_fmu`` stay as they are, unless they are given."""
        given = _reading_options(options)
        for key in given:
            if key in _READING[_READING.index("floating_base"):]:
                raise TypeError(f"'{key}' is for reading a file; give it to kane.load()")
        if self._options.get("ignore_limits") and not given.get("ignore_limits", True):
            raise ModelError("the limits were left out when the model was read; read it again to have them")
        kept = {**{key: value for key, value in self._options.items() if key in _KEPT}, **given}
        return Model(self._core.with_options(kept), {**self._options, **given})

    def _state(self, state: StateLike, names: Mapping) -> str:
        return state_text(self._info, state, names)

    # ---- at a state --------------------------------------------------------------------------------------------------
    def evaluate(self, state: Union[StateLike, Sequence[StateLike]] = None, **names: Any) -> Any:
        """Everything at a state: ``model.evaluate(q1=0.3, m=2)`` or ``model.evaluate({"q": {"q1": 0.3}})``. A list of
        states gives a list of evaluations."""
        if isinstance(state, (list, tuple)):
            return [self._evaluation(one) for one in _kane.evaluate(self._core, states_text(self._info, state))]
        return self._evaluation(_kane.evaluate(self._core, states_text(self._info, [state_dict(self._info, state, names)]))[0])

    @staticmethod
    def _evaluation(found: Dict[str, Any]) -> Evaluation:
        result = Evaluation(found)
        if found.get("failure"):
            raise RunError(found["failure"], result)
        return result

    def forces(self, state: StateLike = None, *, joint: Optional[str] = None, frame: Optional[str] = None,
               point: Optional[str] = None, **names: Any) -> JointForces:
        """Forces in every joint: free and constrained axes, reactions (components in ``frame``, about ``point``)."""
        options = _clean({"joint": joint, "frame": frame, "point": point})
        return JointForces(_kane.forces(self._core, states_text(self._info, [state_dict(self._info, state, names)]), options)[0])

    def jacobian(self, points: Union[None, str, Sequence[str]] = None, bodies: Union[None, str, Sequence[str]] = None,
                 state: StateLike = None, **names: Any) -> TaskJacobian:
        """Jacobians of points and bodies at a state, and the inertia felt there."""
        options = _clean({"points": _names(points), "bodies": _names(bodies)})
        return TaskJacobian(_kane.jacobian(self._core, self._state(state, names), options))

    def reach(self, positions: Mapping, state: StateLike = None, *, joint_limits: bool = True,
              held: Union[None, str, Sequence[str]] = None, all: bool = False, starts: Optional[int] = None,
              **names: Any) -> Reach:
        """Coordinates in which points are at given positions: ``model.reach({"tip": (0.5, 0.2, None)})``."""
        targets = {str(p): [None if x is None else float(x) for x in xyz] for p, xyz in positions.items()}
        options = _clean({"positions": targets, "joint_limits": joint_limits, "held": _names(held), "all": all, "starts": starts})
        return Reach(_kane.reach(self._core, self._state(state, names), options))

    # ---- small motions -----------------------------------------------------------------------------------------------
    def linearize(self, state: StateLike = None, *, equilibrium: bool = False, steady: bool = False,
                  open_loop: bool = False, only: Optional[Sequence[str]] = None,
                  dependent: Optional[Sequence[str]] = None, symbols: bool = False, **names: Any) -> LinearModel:
        """A and B, M, C, K, F, eigenvalues and modes about a state, or about the equilibrium found from there.

        >>> import kane
        >>> model = kane.load(kane.example("damped_pendulum"))
        >>> model.linearize(equilibrium=True).stability[:12]
        'asymptotical'
        """
        options = _clean({"equilibrium": equilibrium, "steady": steady, "open_loop": open_loop, "only": _names(only),
                          "dependent": _names(dependent), "symbols": symbols})
        return LinearModel(_kane.linearize(self._core, self._state(state, names), options))

    def root_locus(self, name: str, values: Sequence[float], state: StateLike = None, *,
                   at: Optional[Mapping] = None, equilibrium: bool = False, steady: bool = False,
                   open_loop: bool = False, only: Optional[Sequence[str]] = None, **names: Any) -> RootLocus:
        """Eigenvalues over the values of a parameter, coordinate or speed."""
        options = _clean({"name": name, "values": [float(v) for v in values], "equilibrium": equilibrium, "steady": steady,
                          "open_loop": open_loop, "only": _names(only),
                          "at": None if at is None else {str(k): str(v) for k, v in at.items()}})
        return RootLocus(_kane.root_locus(self._core, self._state(state, names), options))

    def equilibrium(self, state: StateLike = None, *, steady: bool = False, all: bool = False,
                    held: Optional[Sequence[str]] = None, free_inputs: Optional[Sequence[str]] = None,
                    starts: Optional[int] = None, open_loop: bool = False, **names: Any) -> EquilibriumList:
        """Equilibria or steady motions, from a state to begin at. Raises :class:`RunError` if nothing is found."""
        options = _clean({"steady": steady, "all": all, "held": _names(held), "free_inputs": _names(free_inputs),
                          "starts": starts, "open_loop": open_loop})
        result = EquilibriumList(_kane.equilibrium(self._core, self._state(state, names), options))
        if not result.found:
            raise RunError(result.message, result)
        return result

    def frequency(self, output: str, input: str = "", state: StateLike = None, *, low: float = 0.1, high: float = 1000.0,
                  count: int = 200, equilibrium: bool = False, open_loop: bool = False, **names: Any) -> FrequencyResponse:
        """The frequency response from an input to an output (a name or an expression)."""
        options = {"output": output, "input": input, "low": float(low), "high": float(high), "count": int(count),
                   "equilibrium": equilibrium, "open_loop": open_loop}
        return FrequencyResponse(_kane.frequency(self._core, self._state(state, names), options))

    # ---- motions -----------------------------------------------------------------------------------------------------
    def simulate(self, until: Optional[float] = None, state: StateLike = None, *, inputs: Optional[Mapping] = None,
                 output_step: Optional[float] = None, period: float = 1e-3, delay: float = 0.0,
                 columns: Union[None, str, Sequence[str]] = None, check: bool = True, **options: Any) -> Result:
        """A run as arrays.

        ``inputs``: by name a number, a series ``(t, values)``, or a callable that is asked every ``period`` seconds and
        held in between (in force ``delay`` later): ``inputs={"T": lambda s: -2 * s["q1"]}``. One callable may serve
        several inputs: ``{("T1", "T2"): f}``.

        Options: ``method``, ``tolerance``, ``absolute_tolerance``, ``step``, ``max_step``, ``constraints``, ``contacts``,
        ``contact_step``, ``strict_contacts``, ``control_period``, ``control_delay``, ``report`` (FILE.html), ``frames``,
        ``video``; other names are values of the state. ``columns``: "inputs", "prescribed", "energy", "reactions", "all".

        A run that cannot go on raises :class:`RunError`, with the result so far; ``check=False`` returns it.

        >>> import kane
        >>> run = kane.load(kane.example("planar2r")).simulate(0.5, q1=0.2, output_step=0.1)
        >>> len(run), run.columns[:3]
        (6, ['t', 'q1', 'q2'])
        """
        given, names = self._run_options(options)
        given.update(_clean({"until": until, "output_step": output_step, "columns": _names(columns)}))
        constants = self._add_inputs(given, inputs, period, delay)
        summary, headings, units, data = _kane.simulate(self._core, self._state(state, {**names, **constants}), given)
        result = Result(summary, headings, units, data, self.coordinates, self.speeds)
        if result.failure and check:
            raise RunError(result.failure, result)
        return result

    _RUN = ("method", "tolerance", "absolute_tolerance", "step", "max_step", "constraints", "contacts", "contact_step",
            "strict_contacts", "control_period", "control_delay", "report", "frames", "video")

    def _run_options(self, options: Mapping) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        given: Dict[str, Any] = {}
        names: Dict[str, Any] = {}
        for key, value in options.items():
            if key in self._RUN:
                if value is not None:
                    given[key] = os.fspath(value) if key in ("report", "frames", "video") else value
            else:
                names[key] = value
                known = (*self._info["coordinates"], *self._info["speeds"], *self._info["inputs"], *self._info["parameters"])
                if key not in (*known, *SECTIONS, "t", "active"):
                    raise ModelError(f"'{key}' is no option of a run, and '{self.name}' has no such name"
                                     f"{suggestion(key, [*self._RUN, *known])}")
        return given, names

    def _add_inputs(self, given: Dict[str, Any], inputs: Optional[Mapping], period: float, delay: float) -> Dict[str, Any]:
        """Numbers are part of the state; series and callables go into the options."""
        constants: Dict[str, Any] = {}
        series: List[Any] = []
        controllers: List[Any] = []
        for key, value in (inputs or {}).items():
            names = [key] if isinstance(key, str) else list(key)
            for name in names:
                if name not in self._info["inputs"]:
                    raise ModelError(f"'{self.name}' has no input '{name}'{suggestion(name, self._info['inputs'])}")
            if callable(value):
                controllers.append((names, float(period), float(delay), self._controller(value, len(names))))
            elif isinstance(value, (tuple, list)) and len(value) == 2 and np.ndim(value[0]) == 1:
                t, values = _reals(value[0]), _reals(value[1])
                if values.shape[:1] != t.shape:
                    raise ModelError(f"the series of '{names[0]}' has {len(t)} times and values of the shape {values.shape}")
                series.append((names, t, values.reshape(len(t), -1)))
            elif len(names) == 1:
                constants[names[0]] = value
            else:
                raise ModelError(f"the inputs {names} need a callable or a series, not {value!r}")
        if series:
            given["series"] = series
        if controllers:
            given["controllers"] = controllers
        return {"inputs": constants} if constants else {}

    def _controller(self, law: Callable, count: int) -> Callable:
        places = {n: ("q", i) for i, n in enumerate(self._info["coordinates"])}
        places.update({n: ("u", i) for i, n in enumerate(self._info["speeds"])})

        def call(t: float, q: np.ndarray, u: np.ndarray, inputs: np.ndarray) -> List[float]:
            answer = law(State(t, q, u, inputs, places))
            return [float(answer)] if count == 1 and np.ndim(answer) == 0 else [float(x) for x in answer]
        return call

    def inverse(self, motion: Union[Mapping, Any], until: Optional[float] = None, state: StateLike = None, *,
                start: Optional[float] = None, step: Optional[float] = None, actuators: Optional[Sequence[str]] = None,
                generalized: bool = False, full: bool = False, track: bool = False, kp: float = 100.0, kd: float = 20.0,
                period: float = 1e-3, **names: Any) -> InverseResult:
        """Inputs that produce a motion: ``model.inverse({"q1": "0.4*sin(2*t)", "q2": "-0.5*t"}, until=2)``, or a table
        with ``t`` and coordinates. ``track``: a run under computed torque instead."""
        options = _clean({"until": until, "start": start, "step": step, "actuators": _names(actuators),
                          "generalized": generalized, "full": full, "track": track, "kp": kp, "kd": kd, "period": period})
        if isinstance(motion, Mapping) and all(isinstance(v, (str, int, float)) for v in motion.values()):
            options["motion"] = {str(k): str(v) for k, v in motion.items()}
        else:
            options["table"] = _table(motion)
        summary, columns, data = _kane.inverse(self._core, self._state(state, names), options)
        result = InverseResult(summary, columns, data)
        if result.failure:
            raise RunError(result.failure, result)
        return result

    def sensitivity(self, parameters: Sequence[str], outputs: Optional[Sequence[str]] = None,
                    until: Optional[float] = None, state: StateLike = None, *, output_step: Optional[float] = None,
                    tolerance: Optional[float] = None, inputs: Optional[Any] = None, **names: Any) -> SensitivityResult:
        """Exact derivatives of a run by parameters and initial values."""
        options = _clean({"parameters": _names(parameters), "outputs": _names(outputs), "until": until,
                          "output_step": output_step, "tolerance": tolerance,
                          "inputs": None if inputs is None else _table(inputs)})
        return SensitivityResult(*_kane.sensitivity(self._core, self._state(state, names), options))

    def fit(self, parameters: Union[Mapping, Sequence[str]], data: Any = None, state: StateLike = None, *,
            goals: Optional[Mapping] = None, minimize: Optional[Sequence[str]] = None,
            deviations: Optional[Mapping] = None, until: Optional[float] = None, tolerance: Optional[float] = None,
            max_iterations: int = 100, inputs: Optional[Any] = None, check: bool = True, **names: Any) -> Fit:
        """Parameters that make runs agree with data: ``model.fit({"b": (0, 1), "l": None}, table)``; ``goals`` by
        expression: a value at the end, or ``(value, t)``."""
        ranges = parameters if isinstance(parameters, Mapping) else {name: None for name in _names(parameters) or []}
        options = _clean({
            "parameters": [(str(n), (None, None) if r is None else (r[0], r[1])) for n, r in ranges.items()],
            "data": None if data is None else _table(data), "minimize": _names(minimize),
            "deviations": None if deviations is None else {str(k): float(v) for k, v in deviations.items()},
            "goals": None if goals is None else [(str(k), float(v[0]), float(v[1])) if isinstance(v, (tuple, list)) else
                                                 (str(k), float(v), None) for k, v in goals.items()],
            "until": until, "tolerance": tolerance, "max_iterations": max_iterations,
            "inputs": None if inputs is None else _table(inputs)})
        result = Fit(_kane.fit(self._core, self._state(state, names), options))
        if check and result.failure:
            raise RunError("the fit cannot start: " + result.failure, result)
        if check and result.status != "converged":
            raise RunError(f"the fit did not converge: {result.status}", result)
        return result

    def sweep(self, vary: Optional[Mapping] = None, measures: Union[None, str, Sequence[str], Mapping] = None,
              until: Optional[float] = None, state: StateLike = None, *, cases: Any = None, runs: Optional[int] = None,
              seed: Optional[int] = None, sampling: Optional[str] = None, correlate: Optional[Mapping] = None,
              output_step: Optional[float] = None, threads: int = 0, lanes: int = 0,
              case_limit: Optional[float] = None, series: Union[None, str, Sequence[str], Mapping] = None,
              series_step: Optional[float] = None, **options: Any) -> SweepResult:
        """Many variations of a run, on SIMD lanes and threads, with the results as arrays.

        ``vary``: by name a range with a count "1..2:50", an array or list of values, a distribution "normal(0.3, 0.01)", or
        words for ``run.method``; variables with values span a grid; "a,b" with "normal([means], [[covariances], ...])". ``cases``: a table whose rows are run as they are.
        ``measures``: expressions of a run ("max(q1)", "first(q < 0)", "end(q)"), by name or as a list. ``sampling`` of
        distributions: "random", "lhs", "sobol", "saltelli", "morris"; ``correlate={("a", "b"): 0.5}``. ``series``: signals whose
        samples are kept (``result.series(run)``), every ``series_step`` seconds. Options of a run are those of :meth:`simulate`,
        without functions of Python.

        >>> import kane
        >>> model = kane.load(kane.example("damped_pendulum"))
        >>> sweep = model.sweep({"l": [0.5, 1.0]}, {"down": "first(q < 0)"}, until=2, q=0.2)
        >>> bool(sweep["down"][0] < sweep["down"][1])
        True
        """
        given, names = self._run_options(options)
        for key in ("report", "frames", "video", "control_period", "control_delay"):
            if key in given:
                raise ModelError(f"'{key}' is for a single run, not for a sweep")
        given["vary"] = [(str(name), _variation(name, how)) for name, how in dict(vary or {}).items()]
        if measures is None:
            raise ModelError("a sweep needs measures: expressions of what is kept of each run, such as \"max(q1)\"")
        given["measures"] = ([(str(n), str(text)) for n, text in measures.items()] if isinstance(measures, Mapping) else
                             [("", text) for text in _names(measures) or []])
        if series is not None:
            given["kept"] = ([(str(n), str(text)) for n, text in series.items()] if isinstance(series, Mapping) else
                             [("", text) for text in _names(series) or []])
        if cases is not None:
            given["cases"] = _cases(cases)
        if correlate is not None:
            given["correlations"] = [(str(a), str(b), float(value)) for (a, b), value in correlate.items()]
        for key, value in (("runs", runs), ("seed", seed), ("threads", threads), ("lanes", lanes)):
            if value is not None:
                given[key] = _whole(key, value)
        given.update(_clean({"until": until, "output_step": output_step, "sampling": sampling, "case_limit": case_limit,
                             "series_step": series_step}))
        return SweepResult(_kane.sweep(self._core, self._state(state, names), given))

    def haptics(self, duration: float = 10.0, state: StateLike = None, *, rate: float = 1000.0, amplitude: float = 0.1,
                frequency: float = 0.5, hand_stiffness: float = 300.0, hand_damping: float = 4.0,
                device_mass: float = 0.2, device_damping: float = 0.5, max_force: float = 0.0,
                admittance: bool = False, passivity: bool = True, stored_energy: float = 0.0,
                **names: Any) -> HapticReport:
        """The haptic loop of a model with a handle, held by a simulated hand, as fast as the machine allows. Loops that pull a
        handle themselves use :class:`kane.Ticks`; devices are connected by the command ``kane haptics``."""
        options = {"duration": float(duration), "rate": float(rate), "amplitude": float(amplitude),
                   "frequency": float(frequency), "hand_stiffness": float(hand_stiffness),
                   "hand_damping": float(hand_damping), "device_mass": float(device_mass),
                   "device_damping": float(device_damping), "max_force": float(max_force), "admittance": bool(admittance),
                   "passivity": bool(passivity), "stored_energy": float(stored_energy)}
        result = HapticReport(_kane.haptics(self._core, self._state(state, names), options))
        if result.status != "ok":
            raise RunError("the mechanism is jammed: no contact forces exist" if result.status == "jammed" else
                           "the motion could not be evaluated", result)
        return result

    # ---- symbols, functions, pages, code -------------------------------------------------------------------------------
    def derive(self, *, steps: Sequence[int] = (), max_terms: int = 40,
               reactions: Union[None, str, Sequence[str]] = None) -> Derivation:
        """The eight steps of Kane's method; a notebook shows them typeset. ``reactions``: joints whose reactions are shown in
        symbols, or "all"."""
        pages = self._core.derive(int(max_terms), [int(s) for s in steps], _names(reactions) or [])
        return Derivation(pages, _equation_lines(self._core.equations()))

    def equations(self) -> Dict[str, Any]:
        """The equations in symbols: ``q``, ``u``, ``qdot``, ``M`` (rows), ``rhs``, constraints ``A``, ``b``, ``gamma``,
        energies; expressions of Kane (:func:`kane.to_sympy` gives SymPy's)."""
        found = self._core.equations()
        n = len(found["u"])
        found["M"] = [found["M"][i * n:(i + 1) * n] for i in range(n)] if len(found["M"]) == n * n else []
        return found

    def compile(self, threads: int = 0) -> MotionFunction:
        """The motion as a function of many states at once, on SIMD lanes and threads: ``f = model.compile(); f(x, u)``."""
        return MotionFunction(self, threads)

    def export(self, to: str, path: Union[None, str, os.PathLike] = None, state: StateLike = None, *,
               name: Optional[str] = None, until: Optional[float] = None, step: Optional[float] = None,
               output_step: Optional[float] = None, force: bool = False, fmi: Optional[int] = None, kind: Optional[str] = None,
               sources: Optional[bool] = None, binary: Optional[bool] = None, leave_out: Optional[bool] = None,
               open_inputs: Optional[Sequence[str]] = None, **names: Any) -> SourceCode:
        """The model to carry away: source code ("c", "cpp", "python", "matlab", ..., "sdfast") in a folder, an FMU ("fmu",
        with ``fmi``, ``kind``, ``sources``, ``binary``, ``leave_out``, ``open_inputs``) or a page ("page") in a file. Without
        a path, source code is returned only."""
        file = "" if path is None else os.fspath(path)
        of_fmu = _clean({"fmi": fmi, "kind": kind, "sources": sources, "binary": binary, "leave_out": leave_out,
                         "inputs": _names(open_inputs)})
        if to != "fmu" and of_fmu:
            raise ModelError(f"{', '.join(of_fmu)}: for FMUs only")
        text = self._state(state, names)
        if to in ("fmu", "sdfast", "page") and step is not None or to in ("sdfast", "page") and output_step is not None:
            raise ModelError(f"step and output_step are for source code with a driver, which '{to}' has not")
        if to == "fmu":
            return SourceCode(_kane.export_fmu(self._core, text, file, {
                **of_fmu, **_clean({"name": name, "until": until, "output_step": output_step}), "force": force}))
        if to == "sdfast":
            if text != "{}" or until is not None:
                raise ModelError("state and until are for drivers, which code in the form of SD/FAST has not")
            return SourceCode(_kane.export_sdfast(self._core, name or "", file, force))
        if to == "page":
            if not file:
                raise ModelError("a page needs a path to be written to; model.page() gives it without")
            if os.path.exists(file) and not force:
                raise ModelError(f"'{file}' exists; force=True replaces it")
            page = _kane.export_page(self._core, text, until)
            with open(file, "w", encoding="utf-8") as to_write:
                to_write.write(page["html"])
            return SourceCode({"notes": page["notes"], "written": [file]})
        options = _clean({"name": name, "until": until, "step": step, "output_step": output_step, "force": force})
        return SourceCode(_kane.Model.export_code(self._core, text, to, file, options))

    def page(self, state: StateLike = None, height: int = 640, **names: Any) -> Page:
        """The page that runs the model in a browser: a moving picture with sliders and pulling; a notebook shows it. Models
        with contacts or events have none: :meth:`show` plays a run of them."""
        return Page(_kane.export_page(self._core, self._state(state, names), None)["html"], height)

    def show(self, until: Optional[float] = None, height: int = 640, **options: Any) -> Page:
        """Simulates, and gives the page with the moving 3-D picture; a notebook shows it."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "page.html")
            self.simulate(until, report=file, check=False, **options)
            with open(file, encoding="utf-8") as page:
                return Page(page.read(), height)

    def _repr_html_(self) -> str:
        from html import escape
        rows = "".join(f"<tr><th style='text-align:left'>{key}</th><td>{escape(', '.join(map(str, self._info[key])))}</td></tr>"
                       for key in ("coordinates", "speeds", "inputs", "parameters", "bodies", "joints", "outputs")
                       if self._info[key])
        return f"<b>{escape(self.name)}</b><table>{rows}</table>"


def _equation_lines(e: Dict[str, Any]) -> List[str]:
    """M u' = rhs row by row, for a typesetter."""
    n = len(e["u"])
    lines = []
    if len(e["M"]) == n * n:
        for i in range(n):
            left = 0
            for j in range(n):
                left = e["M"][i * n + j] * e["udot"][j] + left
            lines.append(f"{_latex(left)} &= {_latex(e['rhs'][i])}")
    return lines


def _latex(e: Any) -> str:
    return e.latex() if hasattr(e, "latex") else str(e)


def _rebuild(text: str, name: str, options: Dict[str, Any]) -> Model:
    return Model(_kane.read_text(text, name, options), options)


def _reload(path: str, options: Dict[str, Any]) -> Model:
    return Model(_kane.read_file(path, options), options)
