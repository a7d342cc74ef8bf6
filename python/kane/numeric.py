"""Equations M(x) x' = F(x) in symbols as functions of numbers."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from .errors import ModelError
from .function import CompiledFunction
from .states import suggestion

__all__ = ["EquationsOfMotion"]


class EquationsOfMotion:
    """M(x) x' = F(x), compiled.

    ``states`` are the components of x, ``parameters`` the symbols that are constant, ``specified`` the functions of time that
    are given from outside. ``set(m=1, g=9.81)`` or ``set({m: 1})`` gives parameters values; ``rhs(t, x)`` is what the solvers of
    scipy want.
    """

    def __init__(self, states: Sequence[Any], parameters: Sequence[Any], specified: Sequence[Any], size: int,
                 compile: Callable, mass: Any, forcing: Any, solve: Callable) -> None:
        self.states, self.parameters, self.specified = list(states), list(parameters), list(specified)
        self.values: Dict[Any, float] = {}
        self._specified: Dict[Any, Any] = {e: 0.0 for e in self.specified}
        self._p: Optional[np.ndarray] = None  # values of the parameters, once all are given
        self._r: Optional[np.ndarray] = np.zeros(len(self.specified))  # specified values, unless some are functions
        self._mass = CompiledFunction(compile(mass), [(size, size)], True)
        self._forcing = CompiledFunction(compile(forcing), [(size,)], True)
        self._make_rates: Callable = lambda: compile(list(solve(mass, forcing))[:len(self.states)])
        self._rates: Optional[CompiledFunction] = None

    def set(self, values: Optional[Mapping] = None, **names: Any) -> "EquationsOfMotion":
        """Gives parameters values: ``set({m: 1})``, ``set(m=1)``; specified functions a number or f(t, x)."""
        known = {str(e): e for e in [*self.parameters, *self.specified]}
        known.update({type(e).__name__: e for e in self.specified if getattr(e, "is_Function", False)})
        for key, value in {**dict(values or {}), **names}.items():
            symbol = known.get(str(key))
            if symbol is None:
                raise ModelError(f"the equations do not contain '{key}'{suggestion(str(key), known)}")
            if symbol in self._specified:
                self._specified[symbol] = value
            elif callable(value) and not hasattr(value, "__float__"):
                raise ModelError(f"the parameter '{key}' must be a number")
            else:
                self.values[symbol] = float(value)
        self._p = None
        fixed = not any(callable(v) for v in self._specified.values())
        self._r = np.array(list(self._specified.values()), dtype=float) if fixed else None
        return self

    def _call(self, t: Any, x: Any, r: Any, p: Any) -> Tuple[Any, ...]:
        if p is None and self._p is not None:
            p = self._p
        elif p is None:
            missing = [str(e) for e in self.parameters if e not in self.values]
            if missing:
                raise ModelError("these parameters have no value yet: " + ", ".join(missing))
            p = self._p = np.array([self.values[e] for e in self.parameters], dtype=float)
        if r is None and self._r is not None:
            r = self._r
        elif r is None:
            r = np.array([f(t, x) if callable(f) else f for f in self._specified.values()], dtype=float)
        return t, x, r, p

    def mass_matrix(self, x: Any, t: Any = 0.0, r: Any = None, p: Any = None) -> np.ndarray:
        """``mass_matrix_full`` at states x (..., n)."""
        return self._mass(*self._call(t, x, r, p))

    def forcing(self, x: Any, t: Any = 0.0, r: Any = None, p: Any = None) -> np.ndarray:
        """``forcing_full`` at states x (..., n)."""
        return self._forcing(*self._call(t, x, r, p))

    def rhs(self, t: Any, x: Any, r: Any = None, p: Any = None) -> np.ndarray:
        """x' (..., n): for ``scipy.integrate.solve_ivp(eom.rhs, ...)``. The linear equations are solved in symbols, once."""
        if self._rates is None:
            self._rates = CompiledFunction(self._make_rates(), [(len(self.states),)], True)
        return self._rates(*self._call(t, x, r, p))

    def __repr__(self) -> str:
        return (f"<EquationsOfMotion: {len(self.states)} states, parameters {', '.join(map(str, self.parameters))}"
                + (f", specified {', '.join(map(str, self.specified))}" if self.specified else "") + ">")
