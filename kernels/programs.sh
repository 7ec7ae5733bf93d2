#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# programs.sh [ID]: print a line "ID FILE [DEFINE]" for every program in programs.def, or for that one.
# FILE is relative to this folder.
exec sed -n "s/^PROGRAM(\\(${1-[A-Za-z0-9_]*}\\), *\"\\([^\"]*\\)\", *\"\\([^\"]*\\)\").*/\\1 \\2 \\3/p" \
    "$(dirname "$0")/programs.def"
