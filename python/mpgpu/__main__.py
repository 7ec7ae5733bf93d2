# SPDX-License-Identifier: LGPL-3.0-or-later
"""python -m mpgpu run SCRIPT...: runs Python with the library preloaded, so that the library
intercepts all calls of GMP and FLINT."""
import os
import subprocess
import sys
from pathlib import Path

from . import profile

USAGE = """Usage: python -m mpgpu run [OPTION]... [PYTHON'S OPTIONS] SCRIPT [ARGUMENT]...
       python -m mpgpu library     print the path of the library
--replace: also for modules that open libgmp by themselves (ctypes), as mpgpu-run's.
--profile[=FILE]: report at exit which line's calls took how long where, and write a page to FILE
                  (mpgpu-profile.html).
--estimate[=TIMES]: report at exit what the script would take on a device.
Options of the library: MPGPU_CONF, as mpgpu-gmp(7) tells."""


def put_stand_in(library, environment):
    """Carries out the option --replace: adds a folder to LD_LIBRARY_PATH whose libgmp.so.10
    takes the place of the real one.  Runs mpgpu-replace, which finds the real libgmp.  Returns
    False if mpgpu-replace fails; it has then printed the reason."""
    home = Path(library).parent
    replacer = next((x for x in (home / "mpgpu-gmp/mpgpu-replace", home / "../tools/mpgpu-replace") if x.exists()), None)
    folder = home / "mpgpu-gmp/replace"
    if replacer is None or not (folder / "libgmp.so.10").exists():
        print(f"mpgpu: --replace: {folder}: not found; the program runs with GMP alone", file=sys.stderr)
        return False
    bare = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "LD_LIBRARY_PATH")}
    words = [str(replacer), str(folder.resolve()), sys.executable, os.environ.get("LD_LIBRARY_PATH", "")]
    done = subprocess.run(words, env=bare, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == 0:
        environment["LD_LIBRARY_PATH"] = done.stdout.rstrip("\n")
    return done.returncode == 0


def run(words):
    """Replaces this process by Python with the library preloaded.  The library comes before the
    libraries that LD_PRELOAD already names."""
    from .library import path

    chosen = profile.options(words)
    words = words[len(chosen) :]
    if chosen not in ([], ["--replace"]):
        profile.run(path(), chosen, words)
    environment, before = dict(os.environ), os.environ.get("LD_PRELOAD")
    replaces = bool(chosen)
    if not replaces or put_stand_in(path(), environment):
        environment["LD_PRELOAD"] = path() + (f":{before}" if before else "")
    os.execve(sys.executable, [sys.executable, *words], environment)


def complaint(words):
    if not words:
        return "no word that says what to do"
    if words[0] == "run":
        return "run: SCRIPT is missing"
    if words[0] in ("library", "--help", "-h"):
        return f"one argument too many: {words[1]}"
    return f"unknown word: {words[0]}"


def main(words):
    if words[:1] == ["run"] and len(words[1:]) > len(profile.options(words[1:])):
        run(words[1:])
    if words == ["library"]:
        from .library import path

        print(path())
        return 0
    if words in (["--help"], ["-h"]):
        print(USAGE)
        return 0
    print(f"mpgpu: {complaint(words)}\n{USAGE}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
