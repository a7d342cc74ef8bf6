"""SymPy's expressions and Kane's: translation both ways, compiling, finished KanesMethod and LagrangesMethod objects.

SymPy is imported when it is needed, so that Kane works without it.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import _kane
from .errors import ModelError
from .expr import Expr, compile_expressions
from .expr import flatten as _flatten_kane
from .function import CompiledFunction
from .numeric import EquationsOfMotion
from .states import suggestion

__all__ = ["from_sympy", "to_sympy", "compile", "lambdify", "from_kanes_method"]


def _sympy() -> Any:
    try:
        import sympy
    except ImportError:
        raise ImportError("this needs the package sympy (Debian: python3-sympy)") from None
    return sympy


def _sympified(value: Any) -> Any:
    """SymPy's form of a number, a text or an expression. Only texts are read: not what other objects print."""
    sympy = _sympy()
    try:
        return sympy.sympify(value, strict=not isinstance(value, str))
    except (sympy.SympifyError, RecursionError):
        raise TypeError(f"{value!r:.60} is not an expression of SymPy") from None


# Functions that are operators of Kane.
_DIRECT = {"sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan", "atan2": "atan2",
           "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "exp": "exp", "log": "log", "Abs": "abs", "sign": "sign",
           "floor": "floor", "Mod": "mod", "erf": "erf", "erfc": "erfc", "gamma": "gamma", "loggamma": "loggamma"}


class _Translator:
    """From SymPy to a Builder, each subexpression once. ``leaves`` maps the values supplied from outside (symbols, functions of
    time, their derivatives) to names."""

    def __init__(self, builder: Any, leaves: Optional[Mapping] = None) -> None:
        self.sympy = _sympy()
        self.b = builder
        self.known: Dict[Any, int] = {}
        self.open = leaves is None
        for leaf, name in (leaves or {}).items():
            self.known[leaf] = builder.symbol(name)
        self.named: Dict[str, Any] = {}
        s = self.sympy
        self.rewritten: Dict[Any, Any] = {}
        self.to_write_out = (s.Sum, s.Product, s.Integral, s.Subs, s.Trace, s.Determinant)
        self.composed: Dict[str, Callable] = {
            "cot": lambda x: self.quotient(self.call("cos", x), self.call("sin", x)),
            "sec": lambda x: self.quotient(self.number(1), self.call("cos", x)),
            "csc": lambda x: self.quotient(self.number(1), self.call("sin", x)),
            "acot": lambda x: self.call("atan", self.quotient(self.number(1), x)),
            "asec": lambda x: self.call("acos", self.quotient(self.number(1), x)),
            "acsc": lambda x: self.call("asin", self.quotient(self.number(1), x)),
            "coth": lambda x: self.quotient(self.number(1), self.call("tanh", x)),
            "sech": lambda x: self.quotient(self.number(1), self.call("cosh", x)),
            "csch": lambda x: self.quotient(self.number(1), self.call("sinh", x)),
            "re": lambda x: x, "conjugate": lambda x: x, "im": lambda x: self.number(0),  # all numbers are real
            "asinh": self.asinh, "acosh": self.acosh, "atanh": self.atanh,
            "acoth": lambda x: self.atanh(self.quotient(self.number(1), x)),
            "asech": lambda x: self.acosh(self.quotient(self.number(1), x)),
            "acsch": lambda x: self.asinh(self.quotient(self.number(1), x)),
            "arg": lambda x: self.call("select", self.call("<", x, self.number(0)), self.b.pi(), self.number(0)),
            "ceiling": lambda x: self.negative(self.call("floor", self.negative(x))),
            "factorial": lambda x: self.call("gamma", self.b.sum([x, self.number(1)])),
            "frac": lambda x: self.b.sum([x, self.negative(self.call("floor", x))]),
            "sinc": lambda x: self.call("select", self.call("==", x, self.number(0)), self.number(1),
                                        self.quotient(self.call("sin", x), self.nonzero(x))),
        }

    # ---- pieces ----------------------------------------------------------------------------------------------------------
    def number(self, n: Any) -> int:
        return self.b.number(str(n))

    def call(self, name: str, *places: int) -> int:
        return self.b.call(name, list(places))

    def quotient(self, a: int, b: int) -> int:
        return self.b.quotient(a, b)

    def negative(self, x: int) -> int:
        return self.b.product([self.number(-1), x])

    def nonzero(self, x: int) -> int:
        return self.call("select", self.call("==", x, self.number(0)), self.number(1), x)

    def asinh(self, x: int) -> int:  # odd, so that nothing cancels for negative arguments
        size = self.call("abs", x)
        root = self.call("sqrt", self.b.sum([self.b.product([x, x]), self.number(1)]))
        return self.b.product([self.call("sign", x), self.call("log", self.b.sum([size, root]))])

    def acosh(self, x: int) -> int:
        root = self.call("sqrt", self.b.sum([self.b.product([x, x]), self.number(-1)]))
        return self.call("log", self.b.sum([x, root]))

    def atanh(self, x: int) -> int:
        ratio = self.quotient(self.b.sum([self.number(1), x]), self.b.sum([self.number(1), self.negative(x)]))
        return self.b.product([self.number("1/2"), self.call("log", ratio)])

    # ---- the walk --------------------------------------------------------------------------------------------------------
    def __call__(self, expression: Any) -> int:
        """Without recursion: large equations are deep."""
        known = self.known
        if expression in known:
            return known[expression]
        stack = [expression]
        while stack:
            e = stack[-1]
            if e in known:
                stack.pop()
                continue
            operands = self.operands(e)
            waiting = [a for a in operands if a not in known]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            known[e] = self.build(e, [known[a] for a in operands])
        return known[expression]

    def operands(self, e: Any) -> Sequence[Any]:
        s = self.sympy
        if isinstance(e, s.Derivative) and not self.is_function(e.expr):
            return (_written_out(e),)
        if e.is_Atom or isinstance(e, s.Derivative) or self.is_dynamic(e):
            return ()
        if e.is_Pow:
            return (e.base,) if e.exp.is_Rational else (e.base, e.exp)
        if isinstance(e, s.Piecewise):
            return [a for pair in e.args for a in pair]
        if isinstance(e, s.MatrixExpr) or type(e).__name__ in ("MatrixElement", "Indexed"):
            return ()
        if isinstance(e, self.to_write_out):
            return (_written_out(e),)
        if e.is_Function or isinstance(e, s.Contains):
            if e not in self.rewritten:
                self.rewritten[e] = self.rewrite(e)
            if self.rewritten[e] is not None:
                return (self.rewritten[e],)
        return e.args

    def has_function(self, e: Any) -> bool:
        s, name = self.sympy, type(e).__name__
        return (name in _DIRECT and not (name == "log" and len(e.args) != 1) or name in self.composed and len(e.args) == 1
                or isinstance(e, s.polygamma) and e.args[0] == 0
                or isinstance(e, (s.Min, s.Max, s.Piecewise, s.Heaviside, s.KroneckerDelta)) or self.is_function(e))

    def rewrite(self, e: Any) -> Any:
        """A function that Kane does not have, by functions that it has; None if it has the function, or if there is no such
        form."""
        s = self.sympy
        if isinstance(e, s.Contains):
            return e.args[1].as_relational(e.args[0]) if hasattr(e.args[1], "as_relational") else None
        if self.has_function(e):
            return None
        ways = [lambda: e.expand(func=True)]
        ways += [lambda target=target: e.rewrite(target) for target in (s.Piecewise, s.Pow, s.exp, s.gamma, s.loggamma)]
        for way in ways:
            try:
                form = way()
            except (TypeError, ValueError, NotImplementedError, AttributeError):
                continue
            if form != e and not form.has(s.I, s.zoo, s.oo, s.nan) and all(map(self.has_function, form.atoms(s.Function))):
                return form
        return None

    def is_function(self, e: Any) -> bool:
        """A function that SymPy does not know: its derivatives are symbols, too."""
        return isinstance(e, self.sympy.core.function.AppliedUndef)

    def is_dynamic(self, e: Any) -> bool:
        """A function of time alone that SymPy does not know: a coordinate, a speed."""
        applied = self.sympy.core.function.AppliedUndef
        return isinstance(e, applied) and len(e.args) == 1 and e.args[0].is_Symbol

    def build(self, e: Any, x: List[int]) -> int:
        s, b = self.sympy, self.b
        if e.is_Atom:
            return self.atom(e)
        if isinstance(e, s.Derivative) and x:
            return x[0]
        if isinstance(e, s.Derivative) or self.is_dynamic(e):
            return self.leaf(e)
        if e.is_Add:
            return b.sum(x)
        if e.is_Mul:
            return b.product(x)
        if e.is_Pow:
            return self.power(e, x)
        if isinstance(e, s.Piecewise):
            return self.piecewise(e, x)
        if (e.is_Relational or e.is_Boolean) and self.rewritten.get(e) is None:
            return self.condition(e, x)
        if isinstance(e, self.to_write_out) or self.rewritten.get(e) is not None:
            return x[0]
        return self.function(e, x)

    def atom(self, e: Any) -> int:
        s = self.sympy
        if e.is_Integer or e.is_Rational:
            return self.b.number(f"{e.p}/{e.q}" if e.q != 1 else str(e.p))
        if e.is_Float:
            value = float(e)
            if not np.isfinite(value):
                raise ModelError(f"an expression cannot contain the number {e}")
            return self.b.real(value)
        if e is s.pi:
            return self.b.pi()
        if e is s.E:
            return self.call("exp", self.number(1))
        if e is s.true or e is s.false:
            return self.number(1 if e is s.true else 0)
        if e is s.nan:
            return self.not_a_number()
        if e.is_NumberSymbol:
            return self.b.real(float(e))
        if e.is_Symbol:
            return self.leaf(e)
        if e is s.I:
            raise ModelError("the expression is complex (it contains I); Kane computes with real numbers")
        raise ModelError(f"Kane has no number '{e}'")

    def leaf(self, e: Any) -> int:
        if not self.open:
            raise ModelError(f"the expression contains {e}, which is not among the arguments"
                             f"{suggestion(str(e), [str(k) for k in self.known if getattr(k, 'is_Symbol', False)])}")
        name = leaf_name(e)
        if self.named.setdefault(name, e) != e:
            raise ModelError(f"two different symbols are called '{name}'")
        return self.b.symbol(name)

    def power(self, e: Any, x: List[int]) -> int:
        if len(x) == 1:
            return self.b.rational_power(x[0], f"{e.exp.p}/{e.exp.q}" if e.exp.q != 1 else str(e.exp.p))
        if e.base is self.sympy.E:
            return self.call("exp", x[1])
        if e.base.is_positive:
            return self.b.power(x[0], x[1])
        return self.real_power(*x)

    def real_power(self, base: int, exponent: int) -> int:
        """|x|^y = exp(y log |x|) with 0^0 = 1; of negative x for whole y, with a sign where y is odd, else not a number."""
        b, number = self.b, self.number
        size = self.call("abs", base)
        at_zero = self.call("==", exponent, number(0))
        logarithm = self.call("log", self.call("select", self.call("==", size, number(0)), at_zero, size))
        magnitude = self.call("exp", b.product([exponent, logarithm]))
        whole = self.call("==", exponent, self.call("floor", exponent))
        odd = self.call("==", self.call("mod", exponent, number(2)), number(1))
        signed = self.call("select", odd, self.negative(magnitude), magnitude)
        below = self.call("select", whole, signed, self.not_a_number())
        return self.call("select", self.call("<", base, number(0)), below, magnitude)

    def not_a_number(self) -> int:
        """The logarithm of -1 - s^2, with any s: there is no constant for it."""
        s = next(iter(self.known.values())) if self.known else self.b.symbol("x")
        return self.call("log", self.b.sum([self.number(-1), self.negative(self.b.product([s, s]))]))

    def piecewise(self, e: Any, x: List[int]) -> int:
        if e.args[-1].cond is self.sympy.true:
            result, x = x[-2], x[:-2]
        else:  # as with lambdify
            result = self.not_a_number()
        for value, condition in zip(reversed(x[0::2]), reversed(x[1::2])):
            result = self.call("select", condition, value, result)
        return result

    def condition(self, e: Any, x: List[int]) -> int:
        s = self.sympy
        one, zero = self.number(1), self.number(0)
        if isinstance(e, s.StrictLessThan):
            return self.call("<", x[0], x[1])
        if isinstance(e, s.StrictGreaterThan):
            return self.call("<", x[1], x[0])
        if isinstance(e, s.LessThan):
            return self.call("<=", x[0], x[1])
        if isinstance(e, s.GreaterThan):
            return self.call("<=", x[1], x[0])
        if isinstance(e, s.Equality):
            return self.call("==", x[0], x[1])
        if isinstance(e, s.Unequality):
            return self.call("select", self.call("==", x[0], x[1]), zero, one)
        if isinstance(e, s.Not):
            return self.call("select", x[0], zero, one)
        if isinstance(e, s.And):
            result = one
            for c in reversed(x):
                result = self.call("select", c, result, zero)
            return result
        if isinstance(e, s.Or):
            result = zero
            for c in reversed(x):
                result = self.call("select", c, one, result)
            return result
        if isinstance(e, s.ITE):
            return self.call("select", *x)
        if isinstance(e, s.Xor):
            result = x[0]
            for c in x[1:]:
                result = self.call("select", self.call("==", result, c), zero, one)
            return result
        if isinstance(e, s.Implies):
            return self.call("select", x[0], x[1], one)
        if isinstance(e, s.Equivalent):
            result = one
            for c in x[1:]:
                result = self.call("select", self.call("==", x[0], c), result, zero)
            return result
        raise ModelError(f"Kane has no condition '{type(e).__name__}'")

    def function(self, e: Any, x: List[int]) -> int:
        s = self.sympy
        name = type(e).__name__
        if isinstance(e, s.IndexedBase) or name == "Indexed":
            raise ModelError(f"the expression contains {e}, which is not among the arguments")
        if name in _DIRECT and not (name == "log" and len(x) != 1):
            return self.call(_DIRECT[name], *x)
        if name in self.composed and len(x) == 1:
            return self.composed[name](*x)
        if isinstance(e, s.polygamma) and e.args[0] == 0:
            return self.call("digamma", x[1])
        if isinstance(e, (s.Min, s.Max)):
            result = x[0]
            for other in x[1:]:
                result = self.call("min" if isinstance(e, s.Min) else "max", result, other)
            return result
        if isinstance(e, s.KroneckerDelta) and len(x) == 2:
            return self.call("==", *x)
        if isinstance(e, s.Heaviside):
            at_zero = x[1] if len(x) > 1 else self.number("1/2")
            inside = self.call("select", self.call("==", x[0], self.number(0)), at_zero, self.number(1))
            return self.call("select", self.call("<", x[0], self.number(0)), self.number(0), inside)
        if isinstance(e, s.core.function.AppliedUndef):
            raise ModelError(f"the expression contains {e}, which is not among the arguments")
        raise ModelError(f"Kane has no function '{name}'; rewrite it with elementary functions")


def leaf_name(e: Any) -> str:
    """x for a symbol, q for q(t), q' for its derivative, q'' for the second one."""
    sympy = _sympy()
    if e.is_Symbol:
        return e.name
    if isinstance(e, sympy.Derivative):
        order = sum(int(n) for _, n in e.variable_count)
        if len(e.variable_count) != 1:
            raise ModelError(f"{e} is a derivative by several variables")
        return leaf_name(e.expr) + "'" * order
    return type(e).__name__


def _written_out(e: Any) -> Any:
    """A sum, product or integral with known limits, a derivative, a substitution; matrices of symbols by their entries."""
    sympy = _sympy()
    if isinstance(e, (sympy.Sum, sympy.Product, sympy.Integral, sympy.Subs, sympy.Derivative)):
        done = e.doit()
        if isinstance(done, type(e)) or isinstance(e, (sympy.Sum, sympy.Product, sympy.Integral)) and done.has(type(e)):
            raise ModelError(f"{e} cannot be written out as a finite expression")
        return done
    symbols = e.atoms(sympy.MatrixSymbol) if hasattr(e, "atoms") else set()
    return e.xreplace({m: m.as_explicit() for m in symbols}).doit() if symbols else e


# ---- both ways -----------------------------------------------------------------------------------------------------------

def from_sympy(expression: Any) -> Any:
    """Kane's expression of a SymPy one; nested lists of a matrix. Functions of time q(t) become symbols q, their
    derivatives q', q''.

    >>> import kane, sympy
    >>> x = sympy.Symbol("x")
    >>> kane.from_sympy(sympy.sin(x)**2 + sympy.cos(x)**2 + 2*x)
    2*x + 1
    """
    sympy = _sympy()
    builder = _kane.Builder()
    translate = _Translator(builder)

    def convert(e: Any) -> Any:
        if isinstance(e, sympy.MatrixBase):
            return [[convert(e[i, j]) for j in range(e.cols)] for i in range(e.rows)]
        if isinstance(e, (list, tuple)):
            return [convert(v) for v in e]
        if isinstance(e, Expr):
            return e
        return builder.expression(translate(_sympified(e)))
    return convert(expression)


def to_sympy(expression: Any, names: Optional[Mapping[str, Any]] = None) -> Any:
    """SymPy's form of Kane's expressions (a Matrix of a list of lists). ``names`` gives SymPy's objects for symbols:
    ``{"q": q(t), "q'": q(t).diff(t)}``; the others become symbols of the same name.

    >>> import kane
    >>> x = kane.symbols("x")
    >>> kane.to_sympy(kane.sin(x)/(1 + x**2))
    sin(x)/(x**2 + 1)
    """
    s = _sympy()
    entries, shape = _flatten_kane(expression)
    tape, ends = _kane.tape([e if isinstance(e, Expr) else _kane.number(e) for e in entries])
    values: List[Any] = []
    given = dict(names or {})
    unary = {"Neg": lambda x: -x, "Sqrt": s.sqrt, "Sin": s.sin, "Cos": s.cos, "Tan": s.tan, "Asin": s.asin,
             "Acos": s.acos, "Atan": s.atan, "Sinh": s.sinh, "Cosh": s.cosh, "Tanh": s.tanh, "Exp": s.exp, "Log": s.log,
             "Abs": s.Abs, "Sign": s.sign, "Floor": s.floor}
    binary = {"Add": lambda a, b: a + b, "Sub": lambda a, b: a - b, "Mul": lambda a, b: a * b,
              "Div": lambda a, b: a / b, "Atan2": s.atan2, "Min": s.Min, "Max": s.Max, "Mod": s.Mod}
    relation = {"Less": s.StrictLessThan, "LessEqual": s.LessThan, "Equal": s.Eq}
    conditions: Dict[int, Any] = {}
    for place, (op, operands, detail, exponent) in enumerate(tape):
        x = [values[i] for i in operands]
        if op == "Number":
            value = s.Rational(detail)
        elif op == "Symbol":
            value = given.get(detail) if detail in given else s.Symbol(detail)
        elif op == "Pi":
            value = s.pi
        elif op == "Pow":
            value = x[0] ** exponent
        elif op == "Root":
            value = s.root(x[0], exponent)
        elif op in unary:
            value = unary[op](x[0])
        elif op in binary:
            value = binary[op](*x)
        elif op in relation:
            conditions[place] = relation[op](*x)
            value = s.Piecewise((1, conditions[place]), (0, True))
        elif op == "Select":
            condition = conditions.get(operands[0], s.Ne(x[0], 0))
            value = s.Piecewise((x[1], condition), (x[2], True))
        else:
            value = s.Function(detail)(*x)
        values.append(value)
    found = [values[i] for i in ends]
    if shape == ():
        return found[0]
    if len(shape) == 2:
        return s.Matrix(shape[0], shape[1], found)
    return found


# ---- compiling -------------------------------------------------------------------------------------------------------------

class _Outputs:
    """The structure of the result: that of the expressions."""

    def __init__(self, expressions: Any) -> None:
        sympy = _sympy()
        self.entries: List[Any] = []
        self.shapes: List[Tuple[int, ...]] = []
        if isinstance(expressions, sympy.Tuple):
            expressions = tuple(expressions)
        self.single = not isinstance(expressions, (list, tuple))
        for one in [expressions] if self.single else expressions:
            if one is None or isinstance(one, (Mapping, set)):
                raise TypeError(f"expressions are an expression, a Matrix, or a list of these, not a {type(one).__name__}")
            if isinstance(one, (sympy.MatrixBase, sympy.MatrixExpr)):
                one = one.as_explicit() if isinstance(one, sympy.MatrixExpr) else one
                self.shapes.append(tuple(int(n) for n in one.shape))
                self.entries.extend(one[i, j] for i in range(one.rows) for j in range(one.cols))
            elif isinstance(one, (list, tuple, sympy.Tuple, np.ndarray)) or hasattr(one, "rank") and type(one).__name__ != "Indexed":
                array = sympy.Array(one)
                self.shapes.append(tuple(int(n) for n in array.shape))
                self.entries.extend(sympy.flatten(array.tolist()))
            else:
                one = _sympified(one)
                self.shapes.append(())
                self.entries.append(_written_out(one) if isinstance(one, (sympy.Trace, sympy.Determinant)) else one)


def _arguments(arguments: Any) -> Tuple[List[Any], List[str], Dict[Any, str]]:
    """Descriptions, names of all numbers, and the name of each leaf."""
    sympy = _sympy()
    groups = list(arguments) if isinstance(arguments, (list, tuple)) else [arguments]
    described, names, leaves = [], [], {}

    def add(leaf: Any) -> None:
        leaf = _sympified(leaf)
        if isinstance(leaf, sympy.IndexedBase):
            raise TypeError(f"the argument {leaf} has no size; give it a shape, or use a MatrixSymbol or a list of symbols")
        if not (isinstance(leaf, sympy.Basic)
                and (leaf.is_Symbol or isinstance(leaf, (sympy.Derivative, sympy.core.function.AppliedUndef))
                     or type(leaf).__name__ in ("MatrixElement", "Indexed"))):
            raise TypeError(f"arguments must be symbols, functions of time or their derivatives, not {leaf}")
        if leaf in leaves:
            raise ValueError(f"the argument {leaf} occurs twice")
        leaves[leaf] = f"a{len(names)}"
        names.append(leaves[leaf])

    for group in groups:
        if isinstance(group, sympy.MatrixSymbol):
            rows, columns = (int(n) for n in group.shape)
            for i in range(rows):
                for j in range(columns):
                    add(group[i, j])
            described.append(_kane.Argument(str(group), [rows, columns]))
        elif isinstance(group, sympy.IndexedBase) and group.shape and all(n.is_Integer for n in group.shape):
            shape = [int(n) for n in group.shape]
            for place in np.ndindex(*shape):
                add(group[place])
            described.append(_kane.Argument(str(group), shape))
        elif isinstance(group, sympy.MatrixBase):
            for e in group:
                add(e)
            shape = [group.rows] if group.cols == 1 else [group.cols] if group.rows == 1 else [group.rows, group.cols]
            described.append(_kane.Argument(_short(list(group)), shape))
        elif isinstance(group, (list, tuple)):
            leaves_of_group = list(_leaves_of(group))
            for e in leaves_of_group:
                add(e)
            described.append(_kane.Argument(_short(group), [len(leaves_of_group)]))
        else:
            add(group)
            described.append(_kane.Argument(str(group), []))
    return described, names, leaves


def _leaves_of(group: Any) -> Iterable[Any]:
    for e in group:
        if isinstance(e, (list, tuple)):
            yield from _leaves_of(e)
        else:
            yield e


def _nesting(group: Any) -> Any:
    """1 for a symbol, a tuple of these for a list."""
    return tuple(_nesting(e) for e in group) if isinstance(group, (list, tuple)) else 1


def _short(group: Iterable[Any]) -> str:
    text = ", ".join(str(e) for e in group)
    return "[" + (text if len(text) < 60 else text[:57] + "...") + "]"


def compile(expressions: Any, arguments: Any, *, jacobian: Any = None, threads: int = 0) -> CompiledFunction:
    """A compiled function of SymPy expressions (or of Kane's), called like that of ``sympy.lambdify``.

    ``expressions``: an expression, a Matrix, or a list of these. ``arguments``: symbols, functions of time, their
    derivatives, or lists and column matrices of these, which are passed as arrays. Arrays of arguments give arrays:
    see :class:`kane.CompiledFunction`. A column matrix (n, 1) gives arrays (..., n, 1), as NumPy's would.

    ``jacobian``: arguments by which the expressions (flattened) are differentiated, instead of their values: (..., m, k).

    >>> import kane, sympy
    >>> x, y = sympy.symbols("x y")
    >>> f = kane.compile([x*y, sympy.sin(x)], [x, y])
    >>> f(2.0, 3.0)
    [6.0, 0.9092974268256817]
    """
    if _is_kane(expressions):
        return compile_expressions(expressions, arguments, threads)
    outputs = _Outputs(expressions)
    described, names, leaves = _arguments(arguments)
    builder = _kane.Builder()
    translate = _Translator(builder, leaves)
    places = [translate(e) for e in outputs.entries]
    source = (compile, (expressions, arguments), {"jacobian": jacobian, "threads": threads})
    groups = list(arguments) if isinstance(arguments, (list, tuple)) else [arguments]
    form: Dict[str, Any] = {
        "columns": {k: g.rows for k, g in enumerate(groups)
                    if isinstance(g, _sympy().MatrixBase) and g.cols == 1 and g.rows > 1},
        "nested": {k: _nesting(g) for k, g in enumerate(groups)
                   if isinstance(g, (list, tuple)) and any(isinstance(e, (list, tuple)) for e in g)}}
    if jacobian is None:
        return CompiledFunction(builder.compile(places, described, names), outputs.shapes, outputs.single, threads, source, **form)
    _, _, by = _arguments([jacobian] if not isinstance(jacobian, (list, tuple)) else jacobian)
    columns = []
    for leaf in by:
        if leaf not in leaves:
            raise ValueError(f"{leaf} is not among the arguments")
        columns.append(translate(leaf))
    derivatives = builder.jacobian(places, columns)
    return CompiledFunction(builder.compile(derivatives, described, names), [(len(places), len(columns))], True, threads, source,
                            **form)


def lambdify(args: Any, expr: Any, modules: Any = None, printer: Any = None, use_imps: bool = True, dummify: bool = False,
             cse: bool = False) -> CompiledFunction:
    """:func:`compile` with the order of arguments of ``sympy.lambdify``; the other options have no meaning here.

    >>> import kane, sympy
    >>> x, y = sympy.symbols("x y")
    >>> kane.lambdify((x, y), sympy.sin(x) + y, "numpy", cse=True)(0.0, 3)
    3.0
    """
    return compile(expr, args)


def _is_kane(expressions: Any) -> bool:
    """Whether an expression of Kane is among these; the others may be numbers."""
    if isinstance(expressions, (list, tuple)) or isinstance(expressions, np.ndarray) and expressions.dtype == object:
        return any(_is_kane(e) for e in expressions)
    return isinstance(expressions, Expr)


# ---- KanesMethod, LagrangesMethod --------------------------------------------------------------------------------------------

def _leaves(time: Any, *matrices: Any) -> set:
    """Symbols, functions of time and derivatives that occur, without the time itself."""
    sympy = _sympy()
    found = set()
    undefined = sympy.core.function.AppliedUndef
    seen, stack = set(), [e for matrix in matrices for e in matrix]
    while stack:
        e = stack.pop()
        if e in seen:
            continue
        seen.add(e)
        if e.is_Symbol or isinstance(e, (sympy.Derivative, undefined)):
            found.add(e)
        else:
            stack.extend(e.args)
    found.discard(time)
    return found


def from_kanes_method(method: Any, parameters: Optional[Mapping] = None) -> EquationsOfMotion:
    """Compiles a finished ``sympy.physics.mechanics`` KanesMethod, LagrangesMethod or JointsMethod.

    >>> import kane, sympy
    >>> from sympy.physics.mechanics import dynamicsymbols, LagrangesMethod
    >>> m, l, g = sympy.symbols("m l g")
    >>> q = dynamicsymbols("q"); qd = q.diff()
    >>> LM = LagrangesMethod(m*l**2*qd**2/2 + m*g*l*sympy.cos(q), [q])
    >>> _ = LM.form_lagranges_equations()
    >>> eom = kane.from_kanes_method(LM, {m: 1, l: 2, g: 9.81})
    >>> eom.rhs(0.0, [0.1, 0.0]).round(6)
    array([ 0.      , -0.489683])
    """
    from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols
    for name in ("q", "mass_matrix_full", "forcing_full"):
        if not hasattr(type(method), name):
            raise TypeError(f"a KanesMethod or LagrangesMethod is needed, not {type(method).__name__}")
        if not hasattr(method, name):
            raise ModelError(f"the {type(method).__name__} has no equations yet: form them first")
    time = dynamicsymbols._t
    states = [*method.q, *(q.diff(time) for q in method.q)] if isinstance(method, LagrangesMethod) else [*method.q, *method.u]
    mass, forcing = method.mass_matrix_full, method.forcing_full
    leaves = _leaves(time, mass, forcing)
    constants = sorted((e for e in leaves if e.is_Symbol), key=str)
    specified = sorted((e for e in leaves if not e.is_Symbol and e not in states), key=str)
    described, names, known = _arguments([time, states, specified, constants])
    builder = _kane.Builder()
    translate = _Translator(builder, known)
    result = EquationsOfMotion(states, constants, specified, mass.rows,
                               lambda places: builder.compile(list(places), described, names),
                               [translate(e) for e in mass], [translate(e) for e in forcing], builder.solve)
    return result.set(parameters)
