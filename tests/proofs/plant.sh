# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2154 # the script that sources this file sets srcdir
# Plants a fault in a copy of the headers. faults.sh and test_proofs.sh source this file.

# plant_fault COPY FILE OLD NEW [FUNCTION]: copies everything that prove.sh reads in $srcdir to the
# folder COPY. Replaces the first OLD in FILE by NEW; if FILE defines FUNCTION, the first OLD from
# there on. Returns 1 if there is no OLD.
plant_fault() {
    from=$(grep -nE "^ *(FN|NOINLINE) .*[ *]${5-}\(|^${5-}\(" "$srcdir/$2" | head -n 1 | cut -d : -f 1)
    [ "${5-}" ] || from=1
    tail -n "+${from:-1}" "$srcdir/$2" | grep -qF -e "$3" || return 1
    rm -rf "$1"
    mkdir -p "$1/tests" "$1/kernels/batch"
    cp "$srcdir/kernels/batch/batch.h" "$1/kernels/batch/"
    cp -R "$srcdir/kernels/common" "$srcdir/kernels/modular" "$srcdir/kernels/check" "$1/kernels/"
    cp -R "$srcdir/tests/proofs" "$1/tests/"
    # The tests that the list names may be empty files, because prove.sh only checks that they
    # exist.
    awk '$3 ~ /^(composed|memory|exchange|instruction|rounding)$/ { print $4 }' \
        "$srcdir/tests/proofs/functions" | sort -u | while read -r file; do
        mkdir -p "$1/$(dirname "$file")"
        : >"$1/$file"
    done
    awk -v old="$3" -v new="$4" -v from="${from:-1}" 'NR >= from && !done && (at = index($0, old)) {
        $0 = substr($0, 1, at - 1) new substr($0, at + length(old)); done = 1 } { print }' \
        "$srcdir/$2" >"$1/$2"
}
