#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Checks that kernels/compile-fatbin.sh makes nvcc compile for the GPU targets that configure's
# --with-cuda-targets names, and that it compiles kernels that begin with FOLLOW_LAUNCH(). A mock
# nvcc, which knows some targets, prints its arguments, or the kernels in its input.
. "$(dirname "$0")/../support/common.sh"
[ -f "$srcdir/kernels/compile-fatbin.sh" ] || skip 'no kernels/compile-fatbin.sh in this package'

cat >"$work/nvcc" <<'TEXT'
#!/bin/sh
case $1 in
--list-gpu-arch) printf 'compute_%s\n' 75 80 86 90 120 ;;
--help) echo sm_90a ;;
*) if [ -n "${KERNELS-}" ]; then
    defines=
    for input; do
        case $input in -D*) defines="$defines $input" ;; esac
    done
    # shellcheck disable=SC2086 # a list of words
    $CC -std=c11 -E -P -DKERNEL_HEADS $defines -I "$KERNELS" -x c "$input" | tr '\n' ' ' |
        sed 's/kernel_head/\n&/g; $s/$/\n/'
   else
    echo "$@"
   fi ;;
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

if [ -z "${CC-}" ]; then
    echo 'skipped: FOLLOW_LAUNCH(): no compiler is named in CC'
    exit 0
fi
sh "$srcdir/kernels/programs.sh" | sort -s -u -k 2,2 >"$work/programs"
count=0
while read -r id file _; do
    KERNELS=$srcdir sh "$srcdir/kernels/compile-fatbin.sh" "$work/nvcc" "$srcdir" "$work/$id.fatbin" |
        grep '^kernel_head' >"$work/kernels" || fail "kernels/$file: no kernel"
    ! grep -vE '^kernel_head *\[[^]]*\] *[a-z0-9_]+ *\([^()]*\) *\{ *FOLLOW_LAUNCH\(\);' "$work/kernels" >&2 ||
        fail "kernels/$file: a kernel that does not begin with FOLLOW_LAUNCH()"
    ! grep -E 'FOLLOW_LAUNCH.*FOLLOW_LAUNCH' "$work/kernels" >&2 || fail "kernels/$file: FOLLOW_LAUNCH() twice"
    count=$((count + $(grep -c . "$work/kernels")))
done <"$work/programs"
[ "$count" -ge 150 ] || fail "only $count kernels"

# A kernel file with an unreadable header must not compile.
mkdir -p "$work/copy/kernels/sums"
cp "$srcdir"/kernels/*.sh "$srcdir/kernels/programs.def" "$work/copy/kernels"
echo '#include "kernels/none.h"' >"$work/copy/kernels/sums/halves.cl"
! sh "$work/copy/kernels/compile-fatbin.sh" "$work/nvcc" "$work/copy" "$work/halves.fatbin" >/dev/null 2>&1 ||
    fail 'a missing header'
echo "passed: $count kernels"
