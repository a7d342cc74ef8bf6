"""The wheel that `pip install .` makes."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

SOURCE = os.environ.get("KANE_SOURCE_DIR", str(Path(__file__).resolve().parents[2]))


@pytest.mark.skipif("KANE_BUILD_DIR" not in os.environ, reason="only within a build folder")
def test_wheel_works_by_itself(tmp_path):
    backend = f"import sys; sys.path.insert(0, {SOURCE + '/python'!r}); import build_backend; print(build_backend.build_wheel({str(tmp_path)!r}))"
    answer = subprocess.run([sys.executable, "-B", "-c", backend], check=True, capture_output=True, text=True)
    wheel = tmp_path / answer.stdout.strip().splitlines()[-1]
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        file.extractall(tmp_path / "site")
    assert "kane/__init__.py" in names and "kane/py.typed" in names and "kane/_kane.pyi" in names
    assert any(n.startswith("kane/_kane.") and n.endswith(".so") for n in names)
    assert any(n.endswith(".dist-info/RECORD") for n in names)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment["PYTHONPATH"] = str(tmp_path / "site")
    # Shapes that touch need a library of their own, which must not be found in the build folder.
    program = ("import kane; m = kane.load(kane.example('fourbar')); print(m.simulate(0.1).columns[0], kane.__file__); "
               "r = kane.load(kane.example('dominoes')).simulate(0.05, inputs={}); maps = open('/proc/self/maps').read(); "
               "print([line.split()[-1] for line in maps.splitlines() if 'kane_shape_distances' in line][0])")
    answer = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, env=environment, cwd=tmp_path)
    first, second = answer.stdout.splitlines()
    assert first.startswith("t ") and str(tmp_path) in first and str(tmp_path) in second
