"""The typed stub of the compiled part names exactly what the compiled part has."""

import ast
import inspect
from pathlib import Path

import kane
from kane import _kane

STUB = ast.parse((Path(kane.__file__).resolve().parent / "_kane.pyi").read_text())


def stub_names(body):
    names = {}
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names[node.name] = node
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names[node.target.id] = node
    return names


def public(names):
    return {n for n in names if not n.startswith("_")}


def test_names_of_the_module():
    assert public(stub_names(STUB.body)) == public(dir(_kane))
    assert "__getattr__" not in stub_names(STUB.body)


def test_members_of_classes():
    for name, node in stub_names(STUB.body).items():
        if isinstance(node, ast.ClassDef):
            members = public(stub_names(node.body))
            assert members == public(vars(getattr(_kane, name))), name


def test_operators_of_expressions():
    stub = {n for n in stub_names(stub_names(STUB.body)["Expr"].body) if n.startswith("__")}
    for operator in stub:
        assert operator in vars(_kane.Expr), operator


def test_package_is_annotated():
    """Every public function and method of the package says what it returns."""
    missing = []
    for name in dir(kane):
        thing = getattr(kane, name)
        if name.startswith("_") or not getattr(thing, "__module__", "").startswith("kane.") or thing.__module__ == "kane._kane":
            continue
        members = [(name, thing)] if inspect.isfunction(thing) else []
        if inspect.isclass(thing):
            members = [(f"{name}.{k}", v.fget if isinstance(v, property) else v) for k, v in vars(thing).items()
                       if not k.startswith("_") and (isinstance(v, property) or inspect.isfunction(v))]
        missing += [key for key, f in members if "return" not in getattr(f, "__annotations__", {})]
    assert missing == []
