# SPDX-License-Identifier: LGPL-3.0-or-later
"""Builds libmpgpu-gmp.so and puts it into the package, with the program of the CPU's device."""
import os
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parent
FILES = {
    ".libs/libmpgpu-gmp.so.0": "libmpgpu-gmp.so.0",
    "tools/mpgpu-cpu": "mpgpu-cpu",
    "tools/mpgpu-replace": "mpgpu-gmp/mpgpu-replace",
    ".libs/mpgpu-gmp/replace/libgmp.so.10": "mpgpu-gmp/replace/libgmp.so.10",
}


def run(*words, cwd):
    subprocess.run(words, cwd=cwd, check=True)


def built(folder):
    """A folder with what FILES names: MPGPU_BUILD_DIR, or one where it is made now."""
    given = os.environ.get("MPGPU_BUILD_DIR")
    if given:
        return Path(given)
    folder.mkdir(parents=True, exist_ok=True)
    if not (SOURCES / "configure").exists():
        run("autoreconf", "-fi", cwd=SOURCES)
    run(str(SOURCES / "configure"), "-q", cwd=folder)
    made = ("libmpgpu-gmp.la", "tools/mpgpu-cpu", "tools/mpgpu-replace", ".libs/mpgpu-gmp/replace/libgmp.so.10")
    run("make", f"-j{os.cpu_count() or 1}", *made, cwd=folder)
    return folder


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        source = built(Path("build", "library").resolve())
        target = Path(self.build_lib, "mpgpu")
        for name, file in FILES.items():
            if not (source / name).exists():
                raise SystemExit(f"mpgpu: {source / name} is missing: what MPGPU_BUILD_DIR names is no build")
            (target / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(os.path.realpath(source / name), target / file)


class BinaryDistribution(Distribution):
    def has_ext_modules(self):
        return True


commands = {"build_py": BuildWithLibrary}
try:
    from wheel.bdist_wheel import bdist_wheel

    class AnyPython(bdist_wheel):
        """No extension module: one wheel for every Python 3 of the machine's kind."""

        def get_tag(self):
            return "py3", "none", super().get_tag()[2]

    commands["bdist_wheel"] = AnyPython
except ImportError:
    pass

setup(cmdclass=commands, distclass=BinaryDistribution)
