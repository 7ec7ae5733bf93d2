#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# compile-fatbin.sh NVCC SOURCE_DIR FOLDER/ID.fatbin: compile the program ID of
# kernels/programs.def.  PTX for the lowest target that this nvcc has, from 7.0 on,
# and for 9.0 (platform.h: BARRIER_CLUSTER), which newer devices compile when it is
# loaded, and machine code for those that we measure on.  More options may be given in NVCCFLAGS.
# Of a program whose groups wait for one another there, or are all of one size, FOLDER/ID.cubin too:
# code for 9.0 without that, which NVIDIA's OpenCL can launch.
set -eu
nvcc=$1 dir=$2 out=$3
id=$(basename "$out" .fatbin)

entry=$(sh "$dir/kernels/programs.sh" "$id")
if test -z "$entry"; then
    echo "compile-fatbin.sh: kernels/programs.def has no program $id" >&2
    exit 1
fi
entry=${entry#* }
file=${entry%% *}
defines=${entry#* }

targets=$("$nvcc" --list-gpu-arch | sed -n 's/^compute_\([0-9]*\)$/\1/p' | sort -n)
lowest=
gencode=
for target in $targets; do
    if test -z "$lowest" && test "$target" -ge 70; then
        lowest=$target
        gencode="-gencode arch=compute_$target,code=compute_$target"
    fi
    case $target in
    80) gencode="$gencode -gencode arch=compute_$target,code=sm_$target" ;;
    90) gencode="$gencode -gencode arch=compute_$target,code=[compute_$target,sm_$target]" ;;
    esac
done

# Of 9.0 alone, as configure.ac asks (HAVE_SM_90A): kernels/common/matrix_group.h.
if grep -q matrix_group.h "$dir/kernels/$file" && "$nvcc" --help | grep sm_90a >/dev/null; then
    gencode="-gencode arch=compute_90a,code=sm_90a"
fi

# compile OPTION...: the defines and the flags are lists of words.
compile() {
    # shellcheck disable=SC2086
    "$nvcc" -x cu -std=c++14 -O3 -I "$dir" $defines ${NVCCFLAGS-} "$@" "$dir/kernels/$file"
}

if grep -qE '^KERNEL_(CLUSTER|EXACT)\(' "$dir/kernels/$file" &&
    echo "$targets" | grep -qx 80 && echo "$targets" | grep -qx 90; then
    compile -gencode arch=compute_80,code=sm_90 -cubin -o "${out%.fatbin}.cubin"
fi
# shellcheck disable=SC2086
compile $gencode -fatbin -o "$out"
