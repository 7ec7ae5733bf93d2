#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# compile-fatbin.sh NVCC SOURCE_DIR FOLDER/ID.fatbin: compiles the program ID of
# kernels/programs.def.
# The fatbin contains PTX for the lowest target of this nvcc that is at least 7.0, and for 9.0
# (platform.h: BARRIER_CLUSTER); the drivers of newer devices compile the PTX at load time. It also
# contains machine code for the devices that the project measures on. NVCCFLAGS may contain more
# options. CUDA_TARGETS="90 120" compiles only for devices of these compute capabilities.
set -eu
LC_ALL=C # ranges such as [a-z] and the order of lines depend on the locale
export LC_ALL
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

# Returns whether nvcc knows a target and CUDA_TARGETS does not exclude it.
has_target() {
    echo "$targets" | grep -qx "$1" && case " ${CUDA_TARGETS:-$1} " in *" $1 "*) ;; *) false ;; esac
}

# If a program uses no features of 8.0, its PTX is the same for 8.0 and for the lowest target, and
# so is its machine code. The compiler then compiles the program once for both.
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

# If nvcc has the target 9.0a (configure.ac: HAVE_SM_90A), a program that includes
# kernels/common/matrix_group.h is compiled for this target only.
if has_target 90 && grep -q matrix_group.h "$dir/kernels/$file" && "$nvcc" --help | grep sm_90a >/dev/null; then
    gencode="-gencode arch=compute_90a,code=sm_90a"
fi

# Each kernel begins with FOLLOW_LAUNCH() (kernels/common/platform.h). A kernel's head begins with
# KERNEL and ends at the first line that ends with a brace. Behind the brace may be the backslash of
# a macro. The copy has the kernel file's name, because nvcc makes slightly different code for
# another name.
source=$out.d/${file##*/}
mkdir -p "$out.d"
trap 'rm -rf "$out.d"' EXIT
trap 'exit 1' HUP INT TERM
sh "$dir/kernels/flatten.sh" "$dir" "kernels/$file" >"$out.d/flat"
awk '
/^ *KERNEL[A-Z_]*\(/ { is_head = 1 }
is_head && /[{] *\\?$/ { sub(/[{]/, "{ FOLLOW_LAUNCH();"); is_head = 0 }
{ print }' "$out.d/flat" >"$source"

# $defines and the flags are lists of words, so they are not quoted.
# shellcheck disable=SC2086
"$nvcc" -x cu -std=c++14 -O3 -I "$dir" $defines ${NVCCFLAGS-} $gencode -fatbin -o "$out" "$source"
