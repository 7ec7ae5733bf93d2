#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Edits the Makefile of a build tree, so that a mutant recompiles only what it changes. Usage:
unchanged.py BUILD. With the edited Makefile, a generated file is replaced only if its content has
changed. Each object of the kernels as host C depends only on the kernel files that the compiler has
read for it."""
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
text, count = re.subn(r"(\$\(HOST_COMPILE\) \$\(HOST_ASAN_FLAGS\)) -c", r"\1 -MMD -MP -MF $@.d -c", text)
assert count == 1, count
text += "-include $(HOST_ASAN_OBJECTS:=.d)\n"
makefile.write_text(text)
os.utime(makefile, ns=(at, at))
