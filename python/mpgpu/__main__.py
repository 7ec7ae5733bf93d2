# SPDX-License-Identifier: LGPL-3.0-or-later
"""python -m mpgpu run SCRIPT...: Python with the library in front of every GMP and FLINT."""
import os
import sys

USAGE = """Usage: python -m mpgpu run [PYTHON'S OPTIONS] SCRIPT [ARGUMENT]...
       python -m mpgpu library     print the path of the library
Options of the library: MPGPU_CONF, as mpgpu-gmp(7) tells."""


def run(words):
    """In place of this process.  What is preloaded already stays behind the library."""
    from .library import options, path

    before = os.environ.get("LD_PRELOAD")
    environment = dict(os.environ, LD_PRELOAD=path() + (f":{before}" if before else ""))
    if options():
        environment["MPGPU_CONF"] = options()
    os.execve(sys.executable, [sys.executable, *words], environment)


def main(words):
    if words[:1] == ["run"] and len(words) > 1:
        run(words[1:])
    if words == ["library"]:
        from .library import path

        print(path())
        return 0
    print(USAGE, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
