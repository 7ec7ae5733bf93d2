#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# programs.sh [ID]: prints a line "ID FILE [DEFINE]" for the program ID of programs.def, or for
# every program if there is no ID. FILE is relative to this folder.
# In a Turkish locale the range [a-z] has no i.
LC_ALL=C exec sed -n "s/^PROGRAM(\\(${1-[A-Za-z0-9_]*}\\), *\"\\([^\"]*\\)\", *\"\\([^\"]*\\)\").*/\\1 \\2 \\3/p" \
    "$(dirname "$0")/programs.def"
