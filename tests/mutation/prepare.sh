#!/bin/bash
# SPDX-License-Identifier: LGPL-3.0-or-later
# prepare.sh FOLDER BASE MAIN: builds two commits in /var/tmp/mutation and packs them into FOLDER.
# run.sh then tries mutants of both commits on a machine with more processors.  That machine needs a
# C compiler, make, python3 and PoCL, but neither autotools nor headers of GMP and Check.
set -eu
scripts=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
here=$(cd "$1" && pwd) BASE=$2 MAIN=$3
cp "$scripts"/{mutate.py,run.sh} "$here"
top=/var/tmp/mutation
repository=$scripts/../..
export PATH=/usr/lib/ccache:$PATH CCACHE_BASEDIR=$top
for name in base main; do
    commit=$([ $name = base ] && echo "$BASE" || echo "$MAIN")
    tree=$top/$name/tree
    git -C "$repository" rev-parse "$commit" >"$here/$name.commit"
    if [ "$(cat "$top/$name/commit" 2>/dev/null)" != "$(cat "$here/$name.commit")" ]; then
        rm -rf "${top:?}/$name"
        mkdir -p "$tree/build"
        git -C "$repository" archive "$commit" | tar x -C "$tree"
        (cd "$tree" && autoreconf -fi >/dev/null 2>&1)
        (cd "$tree/build" && AWK=awk CFLAGS="-O1 -g0" ../configure -q --without-cuda --without-mpi CC=gcc)
        python3 "$scripts/unchanged.py" "$tree/build"
        cp "$here/$name.commit" "$top/$name/commit"
    fi
    # Takes the list of tests from mutate.py.
    tests=$(PYTHONPATH=$here python3 - "$tree" <<'P'
import sys
from pathlib import Path
import mutate
tree = object.__new__(mutate.Tree)
tree.source = Path(sys.argv[1])
print(*sorted({t for _, path, *_ in mutate.chosen(tree.source, 1, [""])[:300] for t in tree.tests_of(path) if not t.endswith(".sh")}))
P
)
    cd "$tree/build"
    nice make -s -j3 all
    # shellcheck disable=SC2086
    nice make -s -j3 $tests tests/differential/differential HOST_COMPILE='gcc -std=c11 -O1 -g0 -Wall -fno-strict-aliasing -I. -I..'
done
rm -rf "$top/support" "$top/staged"
mkdir -p "$top/support/include" "$top/support/lib"
cp /usr/include/x86_64-linux-gnu/gmp.h /usr/include/check.h /usr/include/check_stdint.h "$top/support/include"
cp -r /usr/include/CL "$top/support/include"
cd "$top/support/lib"
cp /usr/lib/x86_64-linux-gnu/libcheck_pic.a /usr/lib/x86_64-linux-gnu/libsubunit.a /usr/lib/x86_64-linux-gnu/libgmp.so.10 \
    /usr/lib/x86_64-linux-gnu/libsubunit.so.0 .
ln -s libgmp.so.10 libgmp.so
tar cJ --owner=0 --group=0 -C "$top" -f "$here/support.tar.xz" support
# Makes the copies that are packed. Removes dependencies on system headers, which differ on the
# other machine. Moves all file times five years back, in the same order, because the other
# machine's clock may be behind.
mkdir "$top/staged"
for name in base main; do
    mkdir -p "$top/staged/$name"
    cp -a "$top/$name/tree" "$top/staged/$name/"
done
cd "$top/staged"
rm -rf ./*/tree/build/tests/home ./*/tree/tmp ./*/tree/build/autom4te.cache ./*/tree/autom4te.cache
find . -name "*.log" -delete
find . -name "*.trs" -delete
python3 - <<'P'
import os
import re
for folder, _, names in os.walk("."):
    for name in names:
        path = os.path.join(folder, name)
        at = os.lstat(path).st_mtime_ns - 5 * 365 * 86400 * 10**9
        if name.endswith((".Po", ".Plo")):
            text = open(path).read()
            text = re.sub(r"^/usr/\S*:\n", "", text, flags=re.M)
            open(path, "w").write(re.sub(r" /usr/[^\s:]*", "", text))
        os.utime(path, ns=(at, at), follow_symlinks=False)
P
tar c --format=posix --pax-option=delete=atime,delete=ctime --sort=name --owner=0 --group=0 base main | xz -T1 --lzma2=preset=3,dict=256MiB >"$here/trees.tar.xz"
rm -rf "$top/staged"
ls -l "$here/trees.tar.xz"
