# SPDX-License-Identifier: LGPL-3.0-or-later
"""Starts NVIDIA's Multi-Process Service, if this machine has it and if it helps.  With the service,
several processes compute on a GPU at the same time.  Without it processes alternate, and calls of
microseconds wait for milliseconds."""
import os
import subprocess
import time

from workspace import shell

CONTROL = "nvidia-cuda-mps-control"
RUNS = 4000  # calls of a probe's process; some seconds
# number of processes that run the probe at the same time
MANY = 6
WORTH = 2.5  # the service is used if MANY processes take at most this many times as long as one
TIMEOUT = 30  # seconds allowed for a probe


class Service:
    """The daemon of NVIDIA's Multi-Process Service, which keeps its files in `folder`.  `env`
    has the variables by which CUDA programs find the daemon; it is empty if the service is not
    used."""

    def __init__(self, folder, env, probe):
        self.env = {}
        self.daemon = dict(env, CUDA_MPS_PIPE_DIRECTORY=folder, CUDA_MPS_LOG_DIRECTORY=folder)
        self.probe = probe
        os.makedirs(folder, exist_ok=True)
        self.told = self.start()

    def start(self):
        """Starts the daemon, and measures whether several processes compute faster with it.
        Returns a message with the result."""
        if not shell(f"command -v {CONTROL}", self.daemon):
            return f"no {CONTROL}"
        try:
            subprocess.run([CONTROL, "-d"], env=self.daemon, check=True, timeout=TIMEOUT)
            # the daemon starts a server for its first client, which must not be timed
            self.seconds(1)
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
        """Returns the seconds that the probe takes in `processes` processes at once."""
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
