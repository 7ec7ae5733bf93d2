#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Checks that kernels/compile-fatbin.sh makes nvcc compile for the GPU targets that configure's
# --with-cuda-targets names.  A mock nvcc, which knows some targets, prints its arguments.
. "$(dirname "$0")/../support/common.sh"
[ -f "$srcdir/kernels/compile-fatbin.sh" ] || skip 'no kernels/compile-fatbin.sh in this package'

cat >"$work/nvcc" <<'TEXT'
#!/bin/sh
case $1 in
--list-gpu-arch) printf 'compute_%s\n' 75 80 86 90 120 ;;
--help) echo sm_90a ;;
*) echo "$@" ;;
esac
TEXT
chmod +x "$work/nvcc"

# check TARGETS EXPECTED: compiles a program for TARGETS and compares the targets that the mock nvcc
# prints with EXPECTED.
check() {
    found=$(CUDA_TARGETS=$1 sh "$srcdir/kernels/compile-fatbin.sh" "$work/nvcc" "$srcdir" "$work/halves.fatbin" |
        sed 's/ -o .*//; s/^.* -I [^ ]* //; s/-gencode arch=//g; s/ *$//')
    [ "$found" = "$2" ] || fail "targets '$1': '$found' instead of '$2'"
}

lower='compute_75,code=[compute_75,sm_80]'
own='compute_90,code=[compute_90,sm_90]'
check '' "$lower $own -fatbin"
check 90 "$own -fatbin"
check '86 90' "compute_86,code=[compute_86,sm_86] $own -fatbin"
check 120 'compute_120,code=[compute_120,sm_120] -fatbin'
