"""Kane: multibody dynamics by Kane's method.

>>> import kane
>>> model = kane.load(kane.example("planar2r"))
>>> run = model.simulate(2.0, q1=0.3)
>>> run["q1"][0]
0.3
"""

from __future__ import annotations

from pathlib import Path as _Path

from . import _kane
from .errors import InternalError, LimitError, ModelError, RunError
from .expr import (Abs, Expr, Rational, S, Symbol, acos, asin, atan, atan2, cos, cosh, exp, floor, log, maximum, minimum, number, parse,
                   select, sign, simplify, sin, sinh, sqrt, symbols, tan, tanh, trigsimp)
from .function import CompiledFunction, MotionFunction
from .matrices import Matrix
from .mechanics import (Dyadic, KanesMethod, LagrangesMethod, Particle, Point, ReferenceFrame, RigidBody, Vector, cross, dot,
                        dynamicsymbols, inertia, outer, time_derivative)
from .mechanism import Mechanism
from .model import Model, load, loads, read_sweep
from .numeric import EquationsOfMotion
from .results import (Derivation, Equilibrium, EquilibriumList, Evaluation, Fit, FrequencyResponse, HapticReport,
                      InverseResult, JointForces, LinearModel, Page, Reach, Report, Result, RootLocus, SensitivityResult,
                      SourceCode, SweepResult, Table, TaskJacobian, TickReport)
from .simulation import Simulation
from .states import State
from .sympy_bridge import compile, from_kanes_method, from_sympy, lambdify, to_sympy
from .ticks import Ticks

__version__: str = _kane.__version__


def example(name: str) -> str:
    """The path of one of the example models that come with Kane: ``kane.example("planar2r")``."""
    folders = [parent / "models" for parent in _Path(__file__).resolve().parents]
    folders += [parent / "share" / "kane" / "models" for parent in _Path(__file__).resolve().parents]
    for folder in folders:
        for file in (folder / name, folder / f"{name}.yaml"):
            if file.is_file():
                return str(file)
    raise FileNotFoundError(f"there is no example model '{name}'")


def __getattr__(name: str):
    if name == "pi":
        return _kane.parse("pi")
    raise AttributeError(f"module 'kane' has no attribute '{name}'")
