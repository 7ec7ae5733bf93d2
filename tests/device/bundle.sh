#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Fills a folder with everything that tests/device/run.py needs on a machine with a GPU, but without
# compiler, Check or PARI/GP.  `make device-bundle` calls it in the build tree:
# bundle.sh SOURCE_DIR BUNDLE_DIR STRIP PROGRAM...
# The variables SUITES and PYTHON_SUITES name test suites to include (see the loops over them).
set -eu
source=$1
bundle=$2
strip=$3
shift 3

rm -rf "$bundle"
mkdir -p "$bundle/.libs" "$bundle/lib" "$bundle/libgmp-debian" "$bundle/compat/intercept" \
    "$bundle/include" "$bundle/lib/gmp" "$bundle/kernels"
for program; do
    mkdir -p "$bundle/$(dirname "$program")"
    real=$(dirname "$program")/.libs/$(basename "$program") # behind libtool's script
    [ -f "$real" ] || real=$program
    cp "$real" "$bundle/$program"
    "$strip" "$bundle/$program"
done
cp .libs/libmpgpu-gmp.so.0 "$bundle/.libs/"
"$strip" --strip-unneeded "$bundle/.libs/libmpgpu-gmp.so.0"
cp kernels/images.bin "$bundle/kernels/"
for file in tests/*/.libs/*.so; do
    mkdir -p "$bundle/$(dirname "$file")"
    cp "$file" "$bundle/$file"
done
cp -r .libs/mpgpu-gmp "$bundle/.libs/"
cp -r "$source"/tests/device "$bundle/tests/"
(cd "$source" && find tests -name '*.sh' -o -path 'tests/performance/*.py') | while read -r script; do
    mkdir -p "$bundle/$(dirname "$script")"
    cp "$source/$script" "$bundle/$script"
done
(cd "$source/kernels" && find . -name '*.cl') | while read -r file; do
    mkdir -p "$bundle/kernels/$(dirname "$file")"
    cp "$source/kernels/$file" "$bundle/kernels/$file"
done
mkdir -p "$bundle/tools/bench"
cp "$source"/tools/bench/mpgpu-bench-report "$bundle/tools/bench/"
cp "$source"/kernels/programs.def "$source"/kernels/programs.sh "$bundle/kernels/"
cp -r "$source"/tests/fuzz/corpus "$bundle/tests/fuzz/"
cp "$source"/compat/intercept/exports.sh "$bundle/compat/intercept/"
cp "$source"/lib/gmp/functions.def "$bundle/lib/gmp/"
cp "$source"/include/mpgpu.h "$bundle/include/"
mkdir "$bundle/python"
cp -r "$source"/python/mpgpu "$source"/python/tests "$bundle/python/"

# Copies the libraries of program $1 whose paths match the pattern $2 into folder $3.
copy_libraries() {
    ldd "$1" | awk '$2 == "=>" { print $3 }' | grep -E "$2" | while read -r library; do
        cp -L "$library" "$3/"
    done
}
for program; do
    copy_libraries "$program" 'lib(check|subunit|mpfr|flint|ntl|gf2x|png16|z)\.' "$bundle/lib"
done
copy_libraries "$1" 'libgmp\.' "$bundle/libgmp-debian"

# Copy programs of other projects, if they are installed here.
mkdir "$bundle/clients"
for client in gp ecm; do
    if path=$(command -v "$client"); then
        cp -L "$path" "$bundle/clients/"
        copy_libraries "$path" 'lib(pari|ecm|readline|tinfo|X11|xcb|Xau|Xdmcp|bsd|md)' "$bundle/clients"
    fi
done

# Copy test suites of other libraries.  SUITES names the folders of built suites, such as
# gmp-6.2.1/tests.  Programs and their data are copied, and the tested libraries if they are in a
# folder beside the suite, such as gmp-6.2.1/lib.  The suite may have a file `calls` from an earlier
# run, with a line "CALLS PROGRAM" for each program.
for suite in ${SUITES-}; do
    name=$(basename "$(cd "$suite/.." && pwd)")
    mkdir -p "$bundle/suites-lib/$name"
    (cd "$suite" && find . -type f \( -perm -u+x -o -name '*.dat' -o -name calls \) ! -name '*.sh' ! -path '*/.libs/*') |
        while read -r file; do
            mkdir -p "$bundle/suites/$name/$(dirname "$file")"
            cp "$suite/$file" "$bundle/suites/$name/$file"
            case $file in
            *.dat | */calls) continue ;;
            esac
            "$strip" "$bundle/suites/$name/$file"
            (
                export LD_LIBRARY_PATH="$suite/../lib"
                copy_libraries "$suite/$file" 'lib(gmp|gmpxx|mpfr)\.' "$bundle/suites-lib/$name"
            )
        done
done

# Copy test suites of Python modules.  Each folder has a module, built for the other machine's
# Python, and its tests in the subfolder `test`.
for suite in ${PYTHON_SUITES-}; do
    mkdir -p "$bundle/suites-python"
    cp -r "$suite" "$bundle/suites-python/"
done
du -sh "$bundle"
