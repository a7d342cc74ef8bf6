"""A model by ticks of fixed length, as real-time loops need it."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Tuple

import numpy as np

from . import _kane
from .errors import RunError
from .model import Model, _whole
from .results import TickReport
from .states import StateLike

__all__ = ["Ticks"]


class Ticks:
    """Ticks of fixed length with a bounded amount of work each, contacts and events included: what a haptic loop runs.

    Handles of the model are read and pulled between ticks; constraints can be imposed and released while it runs
    (``free_rows`` of them at once).

    >>> import kane
    >>> loop = kane.Ticks(kane.load(kane.example("planar2r")), period=1e-3, q1=0.3)
    >>> report = loop.tick(100)
    >>> report.ticks, round(loop.t, 6)
    (100, 0.1)
    """

    def __init__(self, model: Model, state: StateLike = None, *, period: float = 1e-3, max_events: int = 4,
                 free_rows: int = 0, inputs: Optional[Mapping] = None, sampling: float = 1e-3, delay: float = 0.0,
                 **names: Any) -> None:
        if not isinstance(model, Model):
            raise TypeError(f"a Model is needed, not {type(model).__name__}")
        given: Dict[str, Any] = {"period": float(period), "max_events": _whole("max_events", max_events),
                                 "free_rows": _whole("free_rows", free_rows)}
        constants = model._add_inputs(given, inputs, sampling, delay)
        self.model = model
        self._core = _kane.Ticks(model._core, model._state(state, {**names, **constants}), given)

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
    def mode(self) -> str:
        """The present mode of the model; "" if it has none."""
        return self._core.mode

    @property
    def events(self) -> int:
        """Events since the start."""
        return self._core.events

    @property
    def handles(self) -> List[str]:
        """Names of the axes by which the model can be held."""
        return self._core.handles

    def tick(self, count: int = 1) -> TickReport:
        """Makes ticks. Raises :class:`RunError` if one cannot be made; the state is then that before it."""
        report = TickReport(self._core.tick(_whole("count", count)))
        if report.status != "ok":
            raise RunError(f"the tick at t = {self.t:g} s: " +
                           ("no contact forces exist, the mechanism is jammed" if report.status == "jammed" else
                            "the motion could not be evaluated"), report)
        return report

    def set(self, **inputs: float) -> None:
        """Sets inputs from the next tick on."""
        for name, value in inputs.items():
            self._core.set_input(name, float(value))

    def handle(self, name: str) -> Tuple[float, float]:
        """Position and speed of a handle."""
        return self._core.handle(name)

    def apply(self, **forces: float) -> None:
        """Pulls handles with forces from the next tick on: ``loop.apply(x=-2.0)``."""
        for name, force in forces.items():
            self._core.apply(name, float(force))

    def impose(self, expression: str) -> int:
        """Holds an expression of the coordinates at its present value, or one of the speeds at zero, from the next tick on.
        Returns its place, for :meth:`release`, :meth:`stage` and :meth:`force`."""
        return self._core.impose(str(expression))

    def release(self, place: int) -> None:
        """Lets an imposed constraint go with the next tick."""
        self._core.release(_whole("place", place))

    def stage(self, place: int) -> str:
        """"free", "wanted", "held", "unwanted" or "refused" (it contradicts the others)."""
        return self._core.stage(_whole("place", place))

    def force(self, place: int) -> float:
        """The force or torque by which an imposed constraint is held."""
        return self._core.written_force(_whole("place", place))

    def restart(self, state: StateLike = None, **names: Any) -> None:
        """Begins again at a state."""
        self._core.restart(self.model._state(state, names))

    def __repr__(self) -> str:
        return f"<Ticks of {self.model.name} at t = {self.t:g} s>"
