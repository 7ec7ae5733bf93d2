# SPDX-License-Identifier: LGPL-3.0-or-later
"""Carries out `python -m mpgpu run --profile` and `--estimate`: starts mpgpu-run, which runs Python
and prints a report when Python has ended."""
import os
import shutil
import sys
from pathlib import Path

REPORTS = ("--profile", "--estimate")
# True if the library records a profile of this process.
IS_ON = "stats_sites:" in os.environ.get("MPGPU_CONF", "")


def options(words):
    """Returns the leading words that are options of mpgpu-run."""
    count = 0
    while count < len(words) and words[count].split("=")[0] in (*REPORTS, "--replace"):
        count += 1
    return words[:count]


def launcher(library):
    """Returns the path of mpgpu-run in the package, the build tree or PATH; None if there is
    none."""
    home = Path(library).parent
    near = (home / "mpgpu-run", home / "../tools/mpgpu-run")
    return next((str(x) for x in near if os.access(x, os.X_OK)), shutil.which("mpgpu-run"))


def run(library, chosen, words):
    """Replaces this process by mpgpu-run, which starts Python with the chosen options."""
    program = launcher(library)
    if program is None:
        print(f"mpgpu: {chosen[0]}: no mpgpu-run beside {library} or in PATH", file=sys.stderr)
        sys.exit(125)
    os.execv(program, [program, *chosen, "--", sys.executable, *words])
