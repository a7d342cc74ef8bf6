"""A run step by step."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

import numpy as np

from . import _kane
from .errors import ModelError, RunError
from .model import Model
from .states import StateLike

__all__ = ["Simulation"]


class Simulation:
    """A model in motion, with inputs set along the way.

    >>> import kane
    >>> run = kane.Simulation(kane.load(kane.example("planar2r")), q1=0.3)
    >>> while run.t < 0.0095:
    ...     run.set(TA=-5 * run["q1"])
    ...     _ = run.advance(1e-3)
    >>> round(run.t, 6)
    0.01
    """

    def __init__(self, model: Model, state: StateLike = None, *, inputs: Optional[Mapping] = None, period: float = 1e-3,
                 delay: float = 0.0, **options: Any) -> None:
        if not isinstance(model, Model):
            raise TypeError(f"a Model is needed, not {type(model).__name__}")
        given, names = model._run_options(options)
        constants = model._add_inputs(given, inputs, period, delay)
        self.model = model
        self._core = _kane.Simulation(model._core, model._state(state, {**names, **constants}), given)

    @property
    def t(self) -> float:
        return self._core.time

    @property
    def q(self) -> np.ndarray:
        """Coordinates, in the order of the model."""
        return self._core.q

    @property
    def u(self) -> np.ndarray:
        """Speeds, in the order of the model."""
        return self._core.u

    @property
    def columns(self) -> List[str]:
        """Names of :meth:`row`: t, coordinates, speeds, outputs."""
        return self._core.columns

    def row(self) -> np.ndarray:
        """The present values of the columns."""
        return self._core.row()

    def state(self) -> Dict[str, Any]:
        """The present state, in the form that other functions accept."""
        return {"t": self.t, "q": dict(zip(self._core.coordinates, self.q.tolist())),
                "u": dict(zip(self._core.speeds, self.u.tolist()))}

    def __getitem__(self, name: str) -> float:
        """The present value of a coordinate, speed, output or input."""
        if name == "t":
            return self.t
        return self._core.value(name)

    def set(self, **inputs: float) -> None:
        """Sets inputs from now on."""
        for name, value in inputs.items():
            self._core.set_input(name, float(value))

    def __setitem__(self, name: str, value: float) -> None:
        self._core.set_input(name, float(value))

    def advance(self, duration: float) -> Dict[str, Any]:
        """Continues for this many seconds, events included, and returns a summary. Raises :class:`RunError`."""
        summary = self._core.advance(float(duration))
        if summary["failure"]:
            raise RunError(summary["failure"], summary)
        return summary

    def snapshot(self) -> Any:
        """Everything that determines how the motion continues; :meth:`restore` returns to it."""
        return self._core.snapshot()

    def restore(self, snapshot: Any) -> None:
        self._core.restore(snapshot)

    def __repr__(self) -> str:
        return f"<Simulation of {self.model.name} at t = {self.t:g} s>"
