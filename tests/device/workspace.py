# SPDX-License-Identifier: LGPL-3.0-or-later
"""The workspace in which a part runs: its own copy of the bundle, and the environment for its backend, its
libgmp and its GPU."""
import os
import subprocess

TOOLS = "/usr/local/nvidia/bin:/usr/local/cuda/bin"  # nvidia-smi, compute-sanitizer
VENDORS = "/etc/OpenCL/vendors"


def shell(command, env=None):
    """Returns the command's standard output; its standard error goes to this program's log."""
    return subprocess.run(["sh", "-c", command], env=env, stdout=subprocess.PIPE, text=True).stdout.strip()


class Workspaces:
    """The workspaces of all parts, in folder `work`; the bundle is {work}/bundle."""

    def __init__(self, work):
        self.work = work
        self.bundle = f"{work}/bundle"
        self.vendors = self.find_vendors()
        self.service = {}  # environment of clients of NVIDIA's Multi-Process Service

    def find_vendors(self):
        """Returns for each backend the folder of drivers that OpenCL's loader must use: only
        NVIDIA's for CUDA and OpenCL, only PoCL for PoCL.  "" if that driver is missing."""
        ask = f"nvidia_opencl_only {self.work}/nvidia {self.bundle}/tools/mpgpu-info; echo $OCL_ICD_VENDORS"
        nvidia = shell(f". {self.bundle}/tests/support/nvidia_opencl.sh; {ask}", self.environment("opencl", "system"))
        pocl = f"{self.work}/pocl"
        os.makedirs(pocl, exist_ok=True)
        shell(f"cp {VENDORS}/pocl.icd {pocl}/")
        return {"cuda": nvidia, "opencl": nvidia, "pocl": pocl if os.listdir(pocl) else ""}

    def environment(self, backend, kind, gpu=None, folders=()):
        """Returns the environment for the programs of a part; {copy} in its values is not replaced
        yet."""
        own = ("MPGPU_CONF", "LD_PRELOAD", "LD_LIBRARY_PATH", "XDG_RUNTIME_DIR")
        env = {k: v for k, v in os.environ.items() if k not in own}
        libraries = [f"{self.work}/symbolic/{os.path.basename(f)}" for f in folders if kind == "symbolic"]
        libraries += list(folders)
        libraries += [f"{self.bundle}/libgmp-debian"] if kind == "debian" else []
        libraries += [f"{self.bundle}/lib", os.environ.get("LD_LIBRARY_PATH", ""), f"{self.bundle}/clients"]
        env["LD_LIBRARY_PATH"] = ":".join(filter(None, libraries))
        env["PATH"] = f"{env.get('PATH', '/usr/bin:/bin')}:{TOOLS}:{self.bundle}/clients"
        env["XDG_CACHE_HOME"] = f"{self.work}/cache/{backend}"
        env["MPGPU_TEST_BACKENDS"] = "opencl" if backend == "pocl" else backend
        if gpu is not None:
            env["CUDA_VISIBLE_DEVICES"] = str(gpu)
        if getattr(self, "vendors", {}).get(backend):
            env["OCL_ICD_VENDORS"] = self.vendors[backend]
            # some OpenCL loaders read this variable before OCL_ICD_VENDORS
            env["OCL_ICD_FILENAMES"] = shell(f"cat {self.vendors[backend]}/*.icd")
        os.makedirs(env["XDG_CACHE_HOME"], exist_ok=True)
        return env

    def devices(self):
        """Returns the first device of each backend, "" if it has none.  If there is a GPU, OpenCL
        must use this GPU or nothing, so that a CPU is not tested as `opencl`."""
        found = {backend: self.device(backend) for backend in ("cuda", "opencl", "pocl")}
        if found["cuda"] and "(the CPU)" in found["opencl"]:
            found["opencl"] = ""
        return found

    def device(self, backend):
        """Returns the name of a backend's first device. Asks mpgpu-info, which does not open the
        device for this."""
        env = dict(self.environment(backend, "system"), MPGPU_CONF="backend:none")
        api = env["MPGPU_TEST_BACKENDS"]
        return shell(f"{self.bundle}/tools/mpgpu-info | sed -n '/^backend {api}:/{{n;s/^ *0: //p;}}'", env)

    def make_symbolic(self):
        """Makes a copy of each suite's libgmp whose inner calls cannot be intercepted
        (tests/programs/symbolic)."""
        shell(f"""for suite in {self.bundle}/suites-lib/*; do
            [ -e $suite ] || continue
            copy={self.work}/symbolic/$(basename $suite)
            mkdir -p $copy
            {self.bundle}/tests/programs/symbolic $suite/libgmp.so.10 $copy/libgmp.so.10
        done""")

    def make(self, part, gpu):
        """Creates the folder of a part.  Returns the environment and the copy of the bundle for its
        steps."""
        folder = f"{self.work}/parts/{part.name}"
        copy = f"{folder}/bundle"
        for name in ("tmp", "home"):
            os.makedirs(f"{folder}/{name}", exist_ok=True)
        if not os.path.isdir(copy):  # hard links suffice, because no file is changed
            subprocess.run(["cp", "-al", self.bundle, copy], check=True)
        folders = [f.replace("{copy}", self.bundle) for f in part.folders]
        os.makedirs(f"{folder}/home/mpgpu-gmp", exist_ok=True)
        with open(f"{folder}/home/mpgpu-gmp/mpgpu.conf", "w") as options:
            # no test may use a server that another test has started
            options.write("server:off\n")
        env = self.environment(part.backend, part.kind, gpu, folders)
        env.update(abs_top_srcdir=copy, abs_top_builddir=copy, TMPDIR=f"{folder}/tmp", XDG_CONFIG_HOME=f"{folder}/home")
        # A part runs only if its backend has a device.  So a test that finds no device must fail.
        env["MPGPU_TEST_REQUIRE_DEVICE"] = env["MPGPU_TEST_BACKENDS"]
        env.update(self.service if part.mps else {})
        if part.backend == "pocl":
            env["POCL_MAX_PTHREAD_COUNT"] = "4"
        return env, copy
