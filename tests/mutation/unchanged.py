#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Edits the Makefile of a build tree: usage unchanged.py BUILD.

Lists of kernels and kernels as host C then replace their files only if they differ, so that a changed
kernel does not recompile what it has not changed."""
import os
import re
import sys
from pathlib import Path

makefile = Path(sys.argv[1]) / "Makefile"
at = makefile.stat().st_mtime_ns
text = makefile.read_text()
pattern = r"((?:launches|host_program)\.sh [^\n]*> \$@\.tmp) && mv \$@\.tmp \$@$"
text, count = re.subn(pattern, r"\1 && { cmp -s $@.tmp $@ || mv $@.tmp $@; }", text, flags=re.M)
assert count == 3, count
makefile.write_text(text)
os.utime(makefile, ns=(at, at))
