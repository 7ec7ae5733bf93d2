# SPDX-License-Identifier: LGPL-3.0-or-later
"""Builds libmpgpu-gmp.so and puts it into the package, with the server of its devices."""
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
# A source distribution has the library's sources in a folder of its own.
PACKED = HERE / "sources"
SOURCES = PACKED if PACKED.exists() else HERE.parent
FILES = {
    ".libs/libmpgpu-gmp.so.0": "libmpgpu-gmp.so.0",
    "kernels/images.bin": "mpgpu-gmp/images.bin",
    "tools/mpgpu-run": "mpgpu-run",
    "tools/mpgpu-serve": "mpgpu-serve",
    "tools/mpgpu-replace": "mpgpu-gmp/mpgpu-replace",
    ".libs/mpgpu-gmp/replace/libgmp.so.10": "mpgpu-gmp/replace/libgmp.so.10",
    # Empty: auditwheel finds what libgmp.so.10 needs.  mpgpu-replace puts the real one before it.
    ".libs/mpgpu-gmp/libmpgpu-gmp-behind.so": "libmpgpu-gmp-behind.so",
}
# pip does not keep the times of an archive's files: make would run tools of autotools, which a user lacks.
AS_DISTRIBUTED = ("AUTOCONF=:", "AUTOMAKE=:", "AUTOHEADER=:", "ACLOCAL=:")


def run(*words, cwd):
    subprocess.run(words, cwd=cwd, check=True)


def configure(folder, *options):
    folder.mkdir(parents=True, exist_ok=True)
    if not (SOURCES / "configure").exists():
        run("autoreconf", "-fi", cwd=SOURCES)
    run("sh", str(SOURCES / "configure"), "-q", *options, cwd=folder)


def built(folder):
    """A folder with what FILES names: MPGPU_BUILD_DIR, or one where it is made now, with the options
    MPGPU_CONFIGURE of configure."""
    given = os.environ.get("MPGPU_BUILD_DIR")
    if given:
        return Path(given)
    # nvcc takes most of the time.  pip builds on the machine that will use the module.
    configure(folder, "--with-cuda-targets=native", *os.environ.get("MPGPU_CONFIGURE", "").split())
    made = ("libmpgpu-gmp.la", "kernels/images.bin", "tools/mpgpu-run", "tools/mpgpu-serve", "tools/mpgpu-replace", ".libs/mpgpu-gmp/replace/libgmp.so.10")
    fixed = AS_DISTRIBUTED if SOURCES == PACKED else ()
    run("make", f"-j{len(os.sched_getaffinity(0))}", *fixed, *made, cwd=folder)
    return folder


def distribute(target):
    """Puts the files of the library's tarball into the folder target."""
    if SOURCES == PACKED:
        shutil.copytree(SOURCES, target)
        return
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(os.environ.get("MPGPU_BUILD_DIR", folder))
        if not (tree / "Makefile").exists():
            configure(tree, "--without-cuda", "--without-mpi")
        run("make", "distdir", f"distdir={target}", cwd=tree)


class WithSources(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        distribute(Path(base_dir).resolve() / PACKED.name)


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


commands = {"build_py": BuildWithLibrary, "sdist": WithSources}
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
