# SPDX-License-Identifier: LGPL-3.0-or-later
"""NVIDIA's Multi-Process Service, if this machine has it and it helps.  With it processes compute on a
GPU at once; without it they take turns, and calls of microseconds wait for milliseconds."""
import os
import subprocess
import time

from place import shell

CONTROL = "nvidia-cuda-mps-control"
RUNS = 4000  # calls of a probe's process; some seconds
MANY = 6  # processes of the probe
WORTH = 2.5  # the service helps if MANY take at most so many times as long as one
TIMEOUT = 30  # seconds for a probe


class Service:
    """The daemon, with its files in `folder`; `env` is what its clients need, empty if there is none."""

    def __init__(self, folder, env, probe):
        self.env = {}
        self.daemon = dict(env, CUDA_MPS_PIPE_DIRECTORY=folder, CUDA_MPS_LOG_DIRECTORY=folder)
        self.probe = probe
        os.makedirs(folder, exist_ok=True)
        self.told = self.start()

    def start(self):
        """Start and probe it: a message with the outcome."""
        if not shell(f"command -v {CONTROL}", self.daemon):
            return f"no {CONTROL}"
        try:
            subprocess.run([CONTROL, "-d"], env=self.daemon, check=True, timeout=TIMEOUT)
            self.seconds(1)  # it starts a server for its first client
            one, many = self.seconds(1), self.seconds(MANY)
        except (OSError, subprocess.SubprocessError) as error:
            self.stop()
            return f"not used: {error}"
        told = f"{MANY} processes take {many:.1f} s where one takes {one:.1f} s"
        if many > WORTH * one:
            self.stop()
            return f"not used: {told}"
        self.env = {k: self.daemon[k] for k in ("CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY")}
        return f"used: {told}"

    def seconds(self, processes):
        """Seconds of the probe in so many processes at once."""
        start = time.time()
        argv = [self.probe, "--runs", str(RUNS), "--seed", "1"]
        env = dict(self.daemon, MPGPU_CONF="backend:cuda,watchdog:600")
        running = [subprocess.Popen(argv, env=env, stdout=subprocess.DEVNULL) for _ in range(processes)]
        try:
            if any(process.wait(TIMEOUT) for process in running):
                raise OSError(f"{self.probe} fails under it")
        finally:
            for process in running:
                process.kill()
        return time.time() - start

    def stop(self):
        try:
            subprocess.run([CONTROL], input=b"quit -t 5\n", env=self.daemon, timeout=TIMEOUT, check=False)
        except (OSError, subprocess.SubprocessError):
            pass
