# SPDX-License-Identifier: LGPL-3.0-or-later
"""python -m mpgpu run --profile and --estimate: mpgpu-run starts Python, and reports on it."""
import os
import shutil
import sys
from pathlib import Path

REPORTS = ("--profile", "--estimate")
# The library writes a profile of this process.
IS_ON = "stats_sites:" in os.environ.get("MPGPU_CONF", "")


def options(words):
    """The leading words that are options of mpgpu-run."""
    count = 0
    while count < len(words) and words[count].split("=")[0] in (*REPORTS, "--replace"):
        count += 1
    return words[:count]


def launcher(library):
    """mpgpu-run: of the package, of the build tree or of the system; None without."""
    home = Path(library).parent
    near = (home / "mpgpu-run", home / "../tools/mpgpu-run")
    return next((str(x) for x in near if os.access(x, os.X_OK)), shutil.which("mpgpu-run"))


def run(library, chosen, words):
    """In place of this process: Python by mpgpu-run with the chosen options."""
    program = launcher(library)
    if program is None:
        print(f"mpgpu: {chosen[0]}: no mpgpu-run beside {library} or in PATH", file=sys.stderr)
        sys.exit(125)
    os.execv(program, [program, *chosen, "--", sys.executable, *words])
