#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# compile-fatbin.sh NVCC SOURCE_DIR FOLDER/ID.fatbin: compiles the program ID of
# kernels/programs.def.  The result has PTX for the lowest target of this nvcc from 7.0, and for 9.0
# (platform.h: BARRIER_CLUSTER), which the drivers of newer devices compile at load time.  It has
# machine code for the devices that the project measures on.  NVCCFLAGS may have more options.
# CUDA_TARGETS="90 120" compiles for devices of these compute capabilities alone.
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
lowest=$(echo "$targets" | awk '$1 >= 70 { print; exit }')

# nvcc knows the target, and CUDA_TARGETS does not exclude it.
has_target() {
    echo "$targets" | grep -qx "$1" && case " ${CUDA_TARGETS:-$1} " in *" $1 "*) ;; *) false ;; esac
}

# A program that asks for nothing of 8.0 has the same PTX for that as for the lowest target, and so
# the same machine code; the compiler works once for both.
gencode="-gencode arch=compute_$lowest,code=compute_$lowest"
if [ -n "${CUDA_TARGETS-}" ]; then
    gencode=
    for target in $CUDA_TARGETS; do
        [ "$target" = 90 ] || gencode="$gencode -gencode arch=compute_$target,code=[compute_$target,sm_$target]"
    done
elif ! has_target 80; then
    :
elif sh "$dir/kernels/flatten.sh" "$dir" "kernels/$file" | grep -q '__CUDA_ARCH__ >= 800'; then
    gencode="$gencode -gencode arch=compute_80,code=sm_80"
else
    gencode="-gencode arch=compute_$lowest,code=[compute_$lowest,sm_80]"
fi
if has_target 90; then
    gencode="$gencode -gencode arch=compute_90,code=[compute_90,sm_90]"
fi

# Of 9.0 alone, as configure.ac asks (HAVE_SM_90A): kernels/common/matrix_group.h.
if has_target 90 && grep -q matrix_group.h "$dir/kernels/$file" && "$nvcc" --help | grep sm_90a >/dev/null; then
    gencode="-gencode arch=compute_90a,code=sm_90a"
fi

# The defines and the flags are lists of words.
# shellcheck disable=SC2086
exec "$nvcc" -x cu -std=c++14 -O3 -I "$dir" $defines ${NVCCFLAGS-} $gencode -fatbin -o "$out" "$dir/kernels/$file"
