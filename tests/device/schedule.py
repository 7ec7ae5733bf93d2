# SPDX-License-Identifier: LGPL-3.0-or-later
"""Distributes the parts over the GPUs, in the order of the list, until a given time.

If there are several GPUs, the last one prefers parts that need a whole GPU, and the others
prefer parts that share a GPU.  Under the Multi-Process Service (mps.py), the last GPU prefers
parts that cannot use the service, the others parts that can.  Meanwhile, the parts that need no
GPU run one after the other."""
import os
import threading
import time
import traceback

from parts import NONE
from step import run_step

RESERVE = 6  # seconds before the end during which no step runs


class Scheduler:
    def __init__(self, parts, gpus, until, pace, workspaces, state, report):
        self.waiting = list(parts)
        # parts that were interrupted after `cap` seconds and have steps left: they continue after
        # all other parts
        self.second = []
        self.gpus = gpus
        self.until, self.pace = until - RESERVE, pace
        self.workspaces, self.state, self.report = workspaces, state, report
        self.running = {gpu: [] for gpu in [None, *range(gpus)]}
        self.threads = []
        self.changed = threading.Condition()

    def stop(self):
        """Begins no more steps, and ends the running steps."""
        self.until = 0

    def left(self):
        return self.until - time.time()

    def begins(self, part, step):
        """Returns whether the step has no result yet and the remaining time suffices for it."""
        return not self.state.is_done(part.name, step.name) and step.may_begin(self.left() / self.pace)

    def candidates(self, gpu):
        """Returns the waiting parts for a GPU, preferred parts first.  None as `gpu` selects parts
        that need no GPU."""
        todo = self.waiting or self.second
        if gpu is None:
            return [p for p in self.waiting + self.second if p.share == NONE][:1]
        if self.gpus == 1:
            return [p for p in todo if p.share != NONE]
        if self.workspaces.service:
            return sorted((p for p in todo if p.share != NONE), key=lambda p: p.mps == (gpu == self.gpus - 1))
        alone = [p for p in todo if p.share == 1]
        shared = [p for p in todo if NONE < p.share < 1]
        return alone + shared if gpu == self.gpus - 1 else shared + alone

    def pick(self, gpu):
        """Returns the next part for a GPU.  Returns None unless the parts that run on this GPU
        leave enough of it free."""
        for part in self.candidates(gpu):
            if not any(self.begins(part, step) for step in part.steps):
                continue
            used = sum(p.share for p in self.running[gpu])
            if gpu is None:
                return part if not self.running[None] else None
            return part if used + part.share < 1.01 else None
        return None

    def start(self, part, gpu):
        again = part in self.second
        (self.second if again else self.waiting).remove(part)
        self.running[gpu].append(part)
        thread = threading.Thread(target=self.attend, args=(part, gpu, 1e9 if again else part.cap))
        self.threads.append(thread)
        thread.start()

    def run(self):
        with self.changed:
            while True:
                for gpu in [*reversed(range(self.gpus)), None]:
                    while self.left() > 0 and (part := self.pick(gpu)):
                        self.start(part, gpu)
                if not any(self.running.values()):
                    break
                self.changed.wait(5)
        for thread in self.threads:
            thread.join()

    # ---- functions that run in the thread of a part

    def attend(self, part, gpu, cap):
        """Runs a part.  An exception in run.py's own code is reported, and ends only this part."""
        start = time.time()
        self.report.begun(part, gpu)
        try:
            self.run_part(part, gpu, cap)
        except Exception:  # pylint: disable=broad-except
            self.report.say(f"{part.name}: {traceback.format_exc()}")
            cap = 0
        self.report.ended(part, gpu, time.time() - start)
        with self.changed:
            self.running[gpu].remove(part)
            if cap and any(self.begins(part, step) for step in part.steps):
                self.second.append(part)
            self.changed.notify()

    def run_part(self, part, gpu, cap):
        start = time.time()
        env, copy = self.workspaces.make(part, gpu)
        lock, todo = threading.Lock(), iter(part.steps)

        def take():
            with lock:
                for step in todo:
                    if time.time() - start < cap and self.begins(part, step):
                        return step
            return None

        def work():
            while step := take():
                self.run_step(part, step, env, copy)

        workers = [threading.Thread(target=work) for _ in range(min(part.jobs, len(part.steps)))]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    def run_step(self, part, step, env, copy):
        logs = f"{self.workspaces.work}/logs/{part.name}"
        os.makedirs(logs, exist_ok=True)
        folders = {"copy": copy, "out": f"{logs}/{step.name}.out"}
        result = run_step(step, env, folders, f"{logs}/{step.name}.log", self.left)
        self.state.put(part.name, step.name, result)
        try:
            # fails if the folder is not empty, because the step has left files in it
            os.rmdir(folders["out"])
        except OSError:
            pass
