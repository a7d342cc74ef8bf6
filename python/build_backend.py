"""Builds the wheel for pip (PEP 517) with CMake and the standard library alone, so that nothing has to be downloaded.

An existing folder `build` that was configured for the same interpreter is used; otherwise build/wheel is made.
KANE_BUILD_DIR names another folder, KANE_BUILD_JOBS the number of processes.
"""

import base64
import csv
import hashlib
import io
import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUMMARY = "Multibody dynamics by Kane's method: models, machine code, SymPy's names"


def version():
    return re.search(r"project\(Kane VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def same_interpreter(folder):
    try:
        found = re.search(r"^Python3_EXECUTABLE:\w+=(.*)$", (folder / "CMakeCache.txt").read_text(), re.M)
    except OSError:
        return False
    return found is not None and os.path.realpath(found[1]) == os.path.realpath(sys.executable)


def run(*command):
    print("+", *command, flush=True)
    try:
        subprocess.run([str(c) for c in command], check=True, cwd=ROOT)
    except FileNotFoundError:
        raise SystemExit(f"'{command[0]}' is missing: scripts/install_dependencies.sh build installs what the build needs") from None


def build_module():
    """The build folder with the finished package."""
    folder = ROOT / "build"
    if "KANE_BUILD_DIR" in os.environ:
        folder = Path(os.environ["KANE_BUILD_DIR"]).resolve()
    elif not same_interpreter(folder):
        folder = ROOT / "build" / "wheel"
    if not same_interpreter(folder):
        ninja = ["-G", "Ninja"] if any((Path(p) / "ninja").exists() for p in os.get_exec_path()) else []
        run("cmake", "-S", ROOT, "-B", folder, *ninja, "-DCMAKE_BUILD_TYPE=Release", "-DKANE_UNITY=ON", "-DKANE_BUILD_TESTS=OFF",
            "-DKANE_BUILD_APPS=OFF", "-DKANE_BUILD_PYTHON=ON", f"-DPython3_EXECUTABLE={os.path.realpath(sys.executable)}")
    run("cmake", "--build", folder, "--target", "kane_python", "-j", os.environ.get("KANE_BUILD_JOBS", str(os.cpu_count() or 1)))
    return folder


def metadata():
    return (f"Metadata-Version: 2.1\nName: kane\nVersion: {version()}\nSummary: {SUMMARY}\nRequires-Python: >=3.9\n"
            "Requires-Dist: numpy\n")


class Wheel:
    """A zip file with a list of hashes."""

    def __init__(self, path):
        self.zip, self.records = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED), []

    def add(self, name, data):
        data = data.encode() if isinstance(data, str) else data
        info = zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0))
        info.external_attr, info.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
        self.zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.records.append((name, f"sha256={digest}", str(len(data))))

    def close(self, name):
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([*self.records, (name, "", "")])
        self.add(name, text.getvalue())
        self.zip.close()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    built = build_module()
    package = built / "python" / "kane"
    name = f"kane-{version()}-{tag()}.whl"
    wheel = Wheel(Path(wheel_directory) / name)
    for file in sorted(package.iterdir()):
        if file.suffix in (".py", ".pyi", ".so") or file.name == "py.typed":
            wheel.add(f"kane/{file.name}", file.read_bytes())
    # Loaded when shapes may touch; it is looked for beside the extension.
    wheel.add("kane/kane_shape_distances.so", (built / "bin" / "kane_shape_distances.so").read_bytes())
    for file in sorted((ROOT / "models").rglob("*")):
        if file.is_file():
            wheel.add(f"kane/models/{file.relative_to(ROOT / 'models').as_posix()}", file.read_bytes())
    info = f"kane-{version()}.dist-info"
    wheel.add(f"{info}/METADATA", metadata())
    wheel.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: kane\nRoot-Is-Purelib: false\nTag: {tag()}\n")
    wheel.add(f"{info}/top_level.txt", "kane\n")
    wheel.close(f"{info}/RECORD")
    return name


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("Kane is installed from a checkout: pip install .")
