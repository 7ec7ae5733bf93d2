# SPDX-License-Identifier: LGPL-3.0-or-later
from spack.package import *


class MpgpuGmp(AutotoolsPackage):
    """A layer over GMP that computes products of large integers on a GPU, by the CUDA driver or
    OpenCL.  Programs need no change."""

    # The folder of your clone of the repository; `spack develop -p PATH mpgpu-gmp@main` uses a
    # source folder instead.
    git = "file:///srv/git/mpgpu-gmp.git"

    license("LGPL-3.0-or-later")

    version("main", branch="main")

    variant("cuda", default=False, description="Kernels for CUDA; the driver is opened at run time")
    variant("opencl", default=True, description="Kernels for OpenCL; the loader is opened at run time")

    depends_on("c", type="build")
    depends_on("autoconf", type="build")
    depends_on("automake", type="build")
    depends_on("libtool", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("gmp@6.1:")
    # The build needs only CUDA's headers and nvcc; nothing of CUDA is linked.
    depends_on("cuda@11:", type="build", when="+cuda")
    depends_on("opencl-c-headers", type="build", when="+opencl")
    depends_on("check", type="test")

    conflicts("~cuda~opencl", msg="without kernels everything is computed by GMP")
    conflicts("platform=darwin")
    conflicts("platform=windows")

    def configure_args(self):
        args = ["--with-opencl=yes" if self.spec.satisfies("+opencl") else "--with-opencl=no"]
        args.append("--with-mpi=no")
        args.append("--with-ucx=no")
        if self.spec.satisfies("+cuda"):
            args.append("--with-cuda={0}".format(self.spec["cuda"].prefix))
        else:
            args.append("--with-cuda=no")
        return args

    # There is no setup_run_environment, because it would set LD_PRELOAD for all programs of the
    # environment (doc/packaging/README.md).
