"""Compiled functions of numbers and arrays."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .errors import ModelError

__all__ = ["CompiledFunction", "MotionFunction"]


class CompiledFunction:
    """Machine code for expressions. Called with numbers it gives numbers (arrays for vectors and matrices). Called with
    arrays it broadcasts over their leading axes: an argument that is a number may be an array of any shape, a vector of k
    components an array (..., k). Contiguous float64 arrays are read in place, a register of points at a time; the
    interpreter's lock is released, and long arrays are divided among threads.
    """

    def __init__(self, code: Any, shapes: Sequence[Tuple[int, ...]], single: bool, threads: int = 0,
                 source: Optional[Tuple[Any, Tuple[Any, ...], Dict[str, Any]]] = None, columns: Optional[Dict[int, int]] = None,
                 nested: Optional[Dict[int, Any]] = None) -> None:
        self._source, self._columns, self._nested = source, columns or {}, nested or {}
        self._code, self._shapes, self._single = code, list(shapes), single
        self._sizes = [int(np.prod(shape, dtype=int)) for shape in shapes]
        self._plain = single and self._shapes[0] == (code.output_count,)
        self.threads = threads

    @property
    def instructions(self) -> int:
        """Operations of one evaluation, as compiled."""
        return self._code.instructions

    @property
    def arguments(self) -> List[Tuple[str, Tuple[int, ...]]]:
        """Name and shape of each argument; () is a number."""
        return self._code.arguments

    def __reduce__(self) -> Any:
        if self._source is None:
            raise TypeError("this compiled function cannot be pickled: pickle the model or the expressions it is made of")
        make, arguments, options = self._source
        return _remake, (make, arguments, options)

    def __call__(self, *values: Any) -> Any:
        if self._columns:  # columns (n, 1) for vectors of n
            values = tuple(v[..., 0] if k in self._columns and isinstance(v, np.ndarray) and v.ndim > 1
                           and v.shape[-2:] == (self._columns[k], 1) else v for k, v in enumerate(values))
        if self._nested:  # lists in lists
            values = tuple(_joined(v, self._nested[k]) if k in self._nested else v for k, v in enumerate(values))
        out = self._code.call(values, self.threads)
        if out is None:
            return self._call_broadcast(values)
        if self._plain:
            return out
        return self._shaped(out, out.shape[:-1])

    def _call_broadcast(self, values: Sequence[Any]) -> Any:
        arrays = [np.asarray(v) for v in values]
        outer = [a.shape[:a.ndim - len(shape)] for a, (_, shape) in zip(arrays, self.arguments)]
        batch = np.broadcast_shapes(*outer)
        flat = [np.broadcast_to(a, batch + tuple(shape)).reshape((-1, *shape))
                for a, (_, shape) in zip(arrays, self.arguments)]
        out = self._code.call(tuple(flat), self.threads)
        return self._shaped(out.reshape((*batch, out.shape[-1])), batch)

    def _shaped(self, out: np.ndarray, batch: Tuple[int, ...]) -> Any:
        results, first = [], 0
        for shape, size in zip(self._shapes, self._sizes):
            part = out[..., first:first + size].reshape((*batch, *shape))
            results.append(part if part.ndim else float(part))
            first += size
        return results[0] if self._single else results

    def __repr__(self) -> str:
        names = ", ".join(name for name, _ in self.arguments)
        return f"<compiled function of {names}: {self._code.output_count} outputs, {self.instructions} instructions>"


def _joined(value: Any, nesting: Any) -> np.ndarray:
    """An array (..., n) of the numbers in nested lists; the innermost may be arrays (..., k), too."""
    parts: List[np.ndarray] = []

    def walk(v: Any, form: Any) -> None:
        if form == 1:
            parts.append(np.asarray(v))
            return
        if isinstance(v, np.ndarray) and all(f == 1 for f in form):
            v = np.moveaxis(v, -1, 0) if v.ndim else v
        if not isinstance(v, (list, tuple)) and np.ndim(v) == 0 or len(v) != len(form):
            raise ValueError(f"a list of {len(form)} values is needed, not {v!r}")
        for one, inner in zip(v, form):
            walk(one, inner)
    walk(value, nesting)
    return np.stack(np.broadcast_arrays(*parts), axis=-1)


def _remake(make: Any, arguments: Tuple[Any, ...], options: Dict[str, Any]) -> Any:
    return make(*arguments, **options)


class MotionFunction:
    """The equations of motion of a model as a function of many states at once: ``f(x, u)`` gives x' for x (..., n).

    ``states``, ``inputs`` and ``parameters`` name the components; ``p`` are the values of the parameters, in that order.
    """

    def __init__(self, model: Any, threads: int = 0) -> None:
        self._model = model
        info = model._info
        start = model._core.start("{}")
        self._code = model._core.motion_function(False)
        self._derivatives = None
        self.threads = threads
        self.coordinates: List[str] = list(info["coordinates"])
        self.speeds: List[str] = list(info["speeds"])
        self.states = self.coordinates + self.speeds
        self.inputs: List[str] = list(info["free_inputs"])
        self.parameters: List[str] = list(start["parameter_order"])
        self.p = np.array([start["parameters"][name] for name in self.parameters], dtype=float)
        self._u = np.array(start["inputs"], dtype=float)
        self.x0 = np.array(start["q"] + start["u"], dtype=float)

    def __reduce__(self) -> Any:
        return MotionFunction, (self._model, self.threads)

    def _values(self, x: Any, u: Any, t: Any, p: Any) -> Tuple[Any, ...]:
        if isinstance(p, dict):
            given, p = p, self.p.copy()
            for name, value in given.items():
                if name not in self.parameters:
                    from .states import suggestion
                    raise ModelError(f"'{self._model.name}' has no parameter '{name}'{suggestion(name, self.parameters)}")
                p[self.parameters.index(name)] = value
        return t, x, self._u if u is None else u, self.p if p is None else p

    def __call__(self, x: Any, u: Any = None, t: Any = 0.0, p: Any = None) -> np.ndarray:
        """x' at states x (..., n), inputs u (..., m), times t, parameters p (..., k) or {name: value}."""
        return self._call(self._code, self._values(x, u, t, p))

    def rhs(self, t: float, x: np.ndarray) -> np.ndarray:
        """x' in the form that ``scipy.integrate.solve_ivp`` calls."""
        return self._call(self._code, (float(t), x, self._u, self.p))

    def jacobian(self, x: Any, u: Any = None, t: Any = 0.0, p: Any = None) -> Tuple[np.ndarray, np.ndarray]:
        """Exact derivatives of x' with respect to the states (..., n, n) and the inputs (..., n, m)."""
        if self._derivatives is None:
            self._derivatives = self._model._core.motion_function(True)
        out = self._call(self._derivatives, self._values(x, u, t, p))
        n, m = len(self.states), len(self.inputs)
        both = out.reshape(*out.shape[:-1], n, n + m)
        return both[..., :n], both[..., n:]

    def _call(self, code: Any, values: Tuple[Any, ...]) -> np.ndarray:
        out = code.call(values, self.threads)
        if out is not None:
            return out
        return CompiledFunction(code, [(code.output_count,)], single=True, threads=self.threads)._call_broadcast(values)

    def __repr__(self) -> str:
        return (f"<motion of {self._model.name}: {len(self.states)} states, {len(self.inputs)} inputs, "
                f"{self._code.instructions} instructions>")
