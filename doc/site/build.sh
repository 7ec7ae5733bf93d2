#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Builds the web site: links the pages into FOLDER/source, then runs Sphinx, which writes
# FOLDER/html.  Any warning is an error.
# Usage: build.sh SRCDIR VERSION FOLDER PYTHON
set -eu
srcdir=$(cd "$1" && pwd)
folder=$3
source=$folder/source

rm -rf "$source" "$folder/doctrees" "$folder/html"
mkdir -p "$source/python"
# Each page is linked under its path in the repository, so that relative links between pages work.
for page in doc README.md CHANGELOG.md CONTRIBUTING.md HACKING.md SECURITY.md python/README.md; do
    ln -s "$srcdir/$page" "$source/$page"
done
ln -s "$srcdir/doc/site/index.md" "$source/index.md"
"$4" -B -m sphinx -q -W --keep-going -j auto -c "$srcdir/doc/site" -D html_title="mpgpu-gmp $2" -d "$folder/doctrees" \
    "$source" "$folder/html"
