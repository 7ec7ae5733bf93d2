# SPDX-License-Identifier: LGPL-3.0-or-later
"""Builds libmpgpu-gmp.so and the server mpgpu-serve, and puts both into the Python package."""
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
# In a source distribution, the library's sources are in this folder.
PACKED = HERE / "sources"
SOURCES = PACKED if PACKED.exists() else HERE.parent
FILES = {
    ".libs/libmpgpu-gmp.so.0": "libmpgpu-gmp.so.0",
    "kernels/images.bin": "mpgpu-gmp/images.bin",
    "tools/mpgpu-run": "mpgpu-run",
    "tools/mpgpu-serve": "mpgpu-serve",
    "tools/mpgpu-replace": "mpgpu-gmp/mpgpu-replace",
    ".libs/mpgpu-gmp/replace/libgmp.so.10": "mpgpu-gmp/replace/libgmp.so.10",
    # An empty library. The package's libgmp.so.10 depends on this name, so auditwheel needs such a
    # file. At run time mpgpu-replace creates a link of this name to the real libgmp, and the loader
    # finds the link first.
    ".libs/mpgpu-gmp/libmpgpu-gmp-behind.so": "libmpgpu-gmp-behind.so",
}
# pip does not preserve the modification times of an archive's files.  So make would run tools of
# autotools, which a user may lack; these variables disable them.
AS_DISTRIBUTED = ("AUTOCONF=:", "AUTOMAKE=:", "AUTOHEADER=:", "ACLOCAL=:")


def run(*words, cwd):
    subprocess.run(words, cwd=cwd, check=True)


def configure(folder, *options):
    folder.mkdir(parents=True, exist_ok=True)
    if not (SOURCES / "configure").exists():
        run("autoreconf", "-fi", cwd=SOURCES)
    run("sh", str(SOURCES / "configure"), "-q", *options, cwd=folder)


def built(folder):
    """Returns a folder with the files that FILES names: MPGPU_BUILD_DIR if set, otherwise `folder`,
    in which it builds them.  The environment variable MPGPU_CONFIGURE has options for configure."""
    given = os.environ.get("MPGPU_BUILD_DIR")
    if given:
        return Path(given)
    # nvcc takes most of the build time.  pip builds on the machine that will use the module, so
    # kernels for its own GPUs suffice.
    configure(folder, "--with-cuda-targets=native", *os.environ.get("MPGPU_CONFIGURE", "").split())
    made = ("libmpgpu-gmp.la", "kernels/images.bin", "tools/mpgpu-run", "tools/mpgpu-serve", "tools/mpgpu-replace", ".libs/mpgpu-gmp/replace/libgmp.so.10")
    fixed = AS_DISTRIBUTED if SOURCES == PACKED else ()
    run("make", f"-j{len(os.sched_getaffinity(0))}", *fixed, *made, cwd=folder)
    return folder


def distribute(target):
    """Writes the files of the library's release tarball to the folder `target`."""
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
        """Tags one wheel for every Python 3 on this machine's architecture, because the package has
        no extension module."""

        def get_tag(self):
            return "py3", "none", super().get_tag()[2]

    commands["bdist_wheel"] = AnyPython
except ImportError:
    pass

setup(cmdclass=commands, distclass=BinaryDistribution)
