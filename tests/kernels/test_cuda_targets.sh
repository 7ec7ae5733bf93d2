#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# kernels/compile-fatbin.sh asks nvcc for the devices that configure's --with-cuda-targets names.  A
# stand-in for nvcc, which knows some targets, prints its arguments.
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

# check TARGETS PROGRAM EXPECTED: the targets of each run of nvcc for the program.
check() {
    found=$(CUDA_TARGETS=$1 sh "$srcdir/kernels/compile-fatbin.sh" "$work/nvcc" "$srcdir" "$work/$2.fatbin" |
        sed 's/ -o .*//; s/^.* -I [^ ]* //; s/-DLOG_N=8 //; s/-gencode arch=//g; s/ *$//')
    [ "$found" = "$3" ] || fail "targets '$1', $2: '$found' instead of '$3'"
}

lower='compute_75,code=[compute_75,sm_80]'
own='compute_90,code=[compute_90,sm_90]'
without_clusters='compute_80,code=sm_90 -cubin'
check '' halves "$lower $own -fatbin"
check '' small_ntt_8 "$without_clusters
$lower $own -fatbin"
check 90 halves "$own -fatbin"
check 90 small_ntt_8 "$without_clusters
$own -fatbin"
check '86 90' halves "compute_86,code=[compute_86,sm_86] $own -fatbin"
check 120 small_ntt_8 'compute_120,code=[compute_120,sm_120] -fatbin'
