#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# The library may use at most 64 bytes of static thread-local storage (TLS). A plug-in linked with
# the library must then still load when other plug-ins have left only 64 bytes.
. "$(dirname "$0")/../support/common.sh"
plugged=$builddir/tests/process/plugged
filler=$builddir/tests/process/.libs/filler.so
plugin=$builddir/tests/process/.libs/linked.so
LD_LIBRARY_PATH=$builddir/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

# Prints the size of the TLS segment of file $1, in bytes.
static_tls() {
    echo $(($("${READELF:-readelf}" -lW "$1" | awk '$1 == "TLS" { size = $6 } END { print size ? size : 0 }')))
}
[ "$(static_tls "$filler")" -eq 64 ] || fail "$filler takes $(static_tls "$filler") bytes"
bytes=$(static_tls "$library")
echo "static TLS of the library: $bytes bytes"
[ "$bytes" -gt 0 ] || fail "the library has no TLS segment"
case " ${HARDENING-} " in
*-fsanitize=*) echo 'skipped: a sanitizer brings its own' && exit 0 ;;
esac
[ "$bytes" -le 64 ] || fail "over 64"

# Loads plug-ins of 64 bytes of TLS each, until one more does not fit. `fillers` lists the plug-ins
# that fit; `before` lists the same plug-ins without the last one.
more='' fillers='' before='' count=0
while :; do
    count=$((count + 1))
    [ $count -le 1000 ] || skip "1000 plug-ins of 64 bytes leave room"
    cp "$filler" "$work/filler-$count.so"
    more="$fillers $work/filler-$count.so"
    # shellcheck disable=SC2086 # split on purpose
    "$plugged" $more >"$work/fillers.out" || break
    before=$fillers fillers=$more
done
grep -q 'static TLS' "$work/fillers.out" || fail "$(cat "$work/fillers.out")"
echo "$((count - 1)) plug-ins of 64 bytes fit, one more does not: $(cat "$work/fillers.out")"
[ $count -gt 2 ] || fail "no room for two"

# Replaces the last plug-in that fitted by the plug-in that is linked with the library.
ldd "$plugin" | grep -q "$builddir/.libs/libmpgpu-gmp" || fail "the plug-in is not linked with $library"
"$plugged" "$plugin" >"$work/first.out" || fail "$(cat "$work/first.out")"
# shellcheck disable=SC2086 # split on purpose
MPGPU_CONF=mul:1,sqr:1,open:wait "$plugged" $before "$plugin" >"$work/late.out" || fail "$(cat "$work/late.out")"
same "$work/first.out" "$work/late.out"
cat "$work/late.out"
