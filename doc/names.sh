#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Prints "PAGE NAME" for each name in the NAME section of a manual page, unless the name is the
# page's own.  The pages are FOLDER/mpgpu-*.SECTION; `make install` creates a link for each line.
# Usage: names.sh FOLDER SECTION
set -eu
LC_ALL=C # ranges such as [a-z] and the order of lines depend on the locale
export LC_ALL
for file in "$1"/mpgpu-*."$2"; do
    page=$(basename "$file" ".$2")
    sed -n '/^\.SH NAME$/,/^\.SH SYNOPSIS$/{/^\./d;s/ *\\-.*//;p;}' "$file" | tr ',' '\n' |
        sed -n "s/^ *\([a-z0-9_-][a-z0-9_-]*\) *\$/\1/p" | sed "/^$page\$/d; s/^/$page /"
done
