#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests mpgpu-run --replace with programs that open libgmp by dlopen and call it only through
# dlopen's handle. Their calls must be sent to the device, and their output must not change. Also
# tests what --replace reports when it cannot replace libgmp.
. "$(dirname "$0")/../support/common.sh"
. "$(dirname "$0")/../clients/clients.sh"
handles=$builddir/tests/process/handles
replace=$builddir/.libs/mpgpu-gmp/replace
[ -f "$replace/libgmp.so.10" ] || fail "there is no stand-in in $replace"
unset LD_LIBRARY_PATH
# --replace makes its symbolic links in this folder.
export XDG_CACHE_HOME="$work/cache"
mkdir -p "$XDG_CACHE_HOME"
# The cache with the built kernels; a bundle has none. The library ignores links in folders that
# other users may write to.
mkdir -p "$builddir/tests/home/mpgpu-gmp"
chmod go-w "$builddir/tests/home/mpgpu-gmp"
ln -s "$builddir/tests/home/mpgpu-gmp" "$XDG_CACHE_HOME/mpgpu-gmp"

# The system's libgmp.
plugin=$builddir/tests/process/.libs/plugin.so
gmp=$(ldd "$plugin" | awk '$1 == "libgmp.so.10" { print $3 }')
[ -f "$gmp" ] || fail "where is libgmp.so.10?"

# Prints how many calls of function $1 the device has computed, according to the statistics in
# $work/err.
sent_of() {
    awk -v name="$1" '$1 == "mpgpu:" && $2 == name { print $4 + 0; found = 1 } END { if (!found) print 0 }' "$work/err"
}

# check FUNCTIONS PROGRAM [ARGUMENT]...: the program's output must not change, and calls of each of
# the functions must be sent.  With WITHOUT=yes also checks that without --replace none is sent.
check() {
    functions=$1
    shift
    timeout 300 "$@" >"$work/alone" 2>"$work/alone.err" || fail "$*: status $? alone"
    [ -s "$work/alone" ] || fail "$*: no output"
    if [ -n "${WITHOUT-}" ]; then
        timeout 600 "$run" --backend "$backend" --wait --stats --conf "$small" "$@" \
            >"$work/out" 2>"$work/err" || fail "$*: status $? without --replace"
        same "$work/alone" "$work/out"
        # calls of other functions may be sent, too, because GMP calls them itself
        for function in $functions; do
            [ "$(sent_of "$function")" -eq 0 ] || fail "$*: $function is sent without --replace too"
        done
    fi
    timeout 600 "$run" --replace --backend "$backend" --wait --stats --conf "$small" "$@" \
        >"$work/out" 2>"$work/err" || fail "$*: status $?: $(cat "$work/err")"
    echo "$backend, --replace, $kind libgmp: $*"
    cat "$work/err"
    same "$work/alone" "$work/out"
    for function in $functions; do
        [ "$(sent_of "$function")" -gt 0 ] || fail "$*: no call of $function was sent"
    done
}

cat >"$work/numbers.php" <<'TEXT'
<?php
$a = gmp_pow(gmp_init(3), 100000);
$b = gmp_pow(gmp_init(7), 40000);
$x = $a * $b;
list($q, $r) = gmp_div_qr($x + 12345, $b);
foreach ([$x, $q, $r, gmp_sqrt($x), gmp_gcd($x, $b * 6), gmp_powm($b, 65537, $a + 2)] as $n)
    echo strlen(gmp_strval($n)), " ", md5(gmp_strval($n)), "\n";
TEXT
cat >"$work/numbers.py" <<'TEXT'
import ctypes, sys
gmp = ctypes.CDLL(sys.argv[1])
class Integer(ctypes.Structure):
    _fields_ = [("alloc", ctypes.c_int), ("size", ctypes.c_int), ("limbs", ctypes.c_void_p)]
def new():
    x = Integer()
    gmp.__gmpz_init(ctypes.byref(x))
    return x
def text(x):
    buffer = ctypes.create_string_buffer(gmp.__gmpz_sizeinbase(ctypes.byref(x), 62) + 2)
    gmp.__gmpz_get_str(buffer, 62, ctypes.byref(x))
    return buffer.value.decode()
gmp.__gmpz_sizeinbase.restype = ctypes.c_size_t
a, b, x, y = new(), new(), new(), new()
gmp.__gmpz_ui_pow_ui(ctypes.byref(a), ctypes.c_ulong(3), ctypes.c_ulong(100000))
gmp.__gmpz_ui_pow_ui(ctypes.byref(b), ctypes.c_ulong(7), ctypes.c_ulong(40000))
gmp.__gmpz_mul(*map(ctypes.byref, (x, a, b)))
print(text(x))
gmp.__gmpz_add_ui(ctypes.byref(x), ctypes.byref(x), ctypes.c_ulong(12345))
gmp.__gmpz_tdiv_qr(*map(ctypes.byref, (x, y, x, b)))
print(text(x), text(y))
print(ctypes.c_char_p.in_dll(gmp, "__gmp_version").value.decode())
TEXT

# Runs all programs above with the libgmp found by the linker.
check_all() {
    WITHOUT=yes check 'mpz_mul mpz_tdiv_qr' "$handles" libgmp.so.10 200000
    check 'mpz_mul mpz_tdiv_qr' "$handles" libgmp.so.10 200000 plain
    check 'mpz_mul mpz_tdiv_qr' "$handles" libgmp.so.10 200000 own data
    grep -q '^0 blocks left' "$work/out" || fail "blocks are left"
    # The replaced libgmp loads the library even if the program starts without LD_PRELOAD.
    check 'mpz_mul mpz_tdiv_qr' env -u LD_PRELOAD "$handles" libgmp.so.10 200000 own
    if command -v python3 >/dev/null 2>&1; then
        WITHOUT=yes check 'mpz_mul mpz_tdiv_qr' python3 "$work/numbers.py" libgmp.so.10
    else
        echo "skipped: ctypes: python3 is not installed"
    fi
    if php -r 'exit(extension_loaded("gmp") ? 0 : 1);' >/dev/null 2>&1; then
        check 'mpz_mul mpz_tdiv_qr mpz_sqrt' php "$work/numbers.php"
    else
        echo "skipped: PHP: there is no php with gmp (Debian: php-cli, php-gmp)"
    fi
    # Tests a program that is linked with libgmp, and an mpgpu-run that another mpgpu-run starts.
    check mpz_mul "$builddir/examples/pi" 3000
    check mpz_mul "$run" --replace "$handles" libgmp.so.10 200000
}
libgmp_kinds >"$work/kinds"
present=$(backends)
for backend in $present; do
    while read -r kind folder; do
        unset LD_LIBRARY_PATH
        # shellcheck disable=SC2030
        [ "$folder" = "$(dirname "$gmp")" ] || export LD_LIBRARY_PATH="$folder"
        check_all
    done <"$work/kinds"
done
unset LD_LIBRARY_PATH

# Loads plug-ins with a libgmp and memory functions of their own, next to plug-ins that use the
# replaced libgmp.
mkdir "$work/own"
for file in "$gmp" "$plugin"; do
    name=libgm1.so.10
    [ "$file" = "$gmp" ] || name=plugin-$name
    sed "s/libgmp\.so\.10/libgm1.so.10/g" "$file" >"$work/own/$name"
    chmod +x "$work/own/$name"
done
export LD_LIBRARY_PATH="$work/own"
one=$work/own/plugin-libgm1.so.10
for backend in $present; do
    kind=own
    for steps in "$one $plugin gmp:libgmp.so.10" "own:$one $one grow:$one $plugin grow:$plugin grow:$one" \
        "grow:$one own:$plugin $plugin grow:$plugin $one grow:$one grow:$plugin" \
        "own:$plugin grow:$plugin own:$one $one grow:$one $plugin grow:$plugin"; do
        # shellcheck disable=SC2086 # split on purpose
        check mpz_mul "$builddir/tests/process/plugged" $steps "end:$one" "end:$plugin"
        ! grep -q '^[1-9][0-9]* blocks left' "$work/out" || fail "blocks are left"
    done
done
unset LD_LIBRARY_PATH

# ---- cases in which libgmp cannot be replaced: mpgpu-run prints one line, and the program runs
# unchanged

# A copy of the installed tree, whose mpgpu-replace looks for libgmp.so.99.
mkdir -p "$work/tree/bin" "$work/tree/lib/mpgpu-gmp" "$work/gmps"
cp "$run" "$work/tree/bin/mpgpu-run"
ln -s "$library" "$work/tree/lib/libmpgpu-gmp.so.0"
ln -s "$replace" "$work/tree/lib/mpgpu-gmp/replace"
sed 's/libgmp\.so\.10/libgmp.so.99/g' "$builddir/tools/mpgpu-replace" >"$work/tree/lib/mpgpu-gmp/mpgpu-replace"
chmod +x "$work/tree/lib/mpgpu-gmp/mpgpu-replace"

# refuse TEXT RUN PROGRAM [ARGUMENT]...: mpgpu-run must print TEXT in its only line, preload nothing
# and leave the program's output unchanged.
refuse() {
    text=$1 launcher=$2
    shift 2
    status=0 bare=0
    timeout 300 "$@" >"$work/alone" 2>"$work/alone.err" || bare=$?
    timeout 300 "$launcher" --replace --stats --wait "$@" >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq $bare ] || fail "$*: status $status, not $bare"
    same "$work/alone" "$work/out"
    sed 1d "$work/err" >"$work/rest"
    same "$work/alone.err" "$work/rest"
    sed 1q "$work/err" | grep -q "^mpgpu-run: --replace: .*$text.*; the program runs with GMP alone\$" ||
        fail "no '$text' in: $(cat "$work/err")"
    sed 1q "$work/err"
}
empty_gmps() {
    rm -rf "$work/gmps"
    mkdir "$work/gmps"
    LD_LIBRARY_PATH=$work/gmps
    export LD_LIBRARY_PATH
}
# shellcheck disable=SC2016 # for the inner shell
refuse 'no libgmp.so.99 is found' "$work/tree/bin/mpgpu-run" sh -c 'echo "${LD_PRELOAD-unset}"'
refuse 'no libgmp.so.99 is found' "$work/tree/bin/mpgpu-run" "$handles" libgmp.so.10 10000
empty_gmps
cp "$gmp" "$work/gmps/libgmp.so.99"
# writes a machine type that does not exist into the ELF header
printf '\002\001' | dd of="$work/gmps/libgmp.so.99" bs=1 seek=18 conv=notrunc 2>/dev/null
refuse "$work/gmps/libgmp.so.99 is for another machine" "$work/tree/bin/mpgpu-run" "$handles" libgmp.so.10 10000
mv "$work/gmps/libgmp.so.99" "$work/gmps/libgmp.so.10"
"$run" --replace --conf backend:none "$handles" libgmp.so.10 10000 >"$work/out" 2>"$work/err" || fail "status $?"
[ ! -s "$work/err" ] || fail "another machine's libgmp is passed over: $(cat "$work/err")"
same "$work/alone" "$work/out"
empty_gmps
sed 's/__gmpn_popcount/__gmpn_poqcount/g' "$gmp" >"$work/gmps/libgmp.so.10"
refuse 'gmps/libgmp.so.10 is another GMP.*no __gmpn_popcount' "$run" "$handles" libgmp.so.10 10000
sed 's/__gmp_bits_per_limb/__gmq_bits_per_limb/g' "$gmp" >"$work/gmps/libgmp.so.10"
refuse 'no GMP: it has no mp_bits_per_limb' "$run" "$handles" libgmp.so.10 10000
echo 'no library' >"$work/gmps/libgmp.so.10"
refuse 'gmps/libgmp.so.10: .*file' "$run" "$handles" libgmp.so.10 10000
empty_gmps
cp "$gmp" "$work/gmps/libgmp.so.10"
echo >"$work/file"
XDG_CACHE_HOME=$work/file refuse 'cannot be made' "$run" "$handles" libgmp.so.10 10000
(unset HOME XDG_CACHE_HOME && refuse 'nor HOME names a usable one' "$run" "$handles" libgmp.so.10 10000) || exit
mkdir -p "$work/open/mpgpu-gmp/behind"
for folder in "$work/cache/mpgpu-gmp/behind"/*; do
    mkdir "$work/open/mpgpu-gmp/behind/$(basename "$folder")"
done
XDG_CACHE_HOME=$work/open "$run" --replace --conf backend:none "$handles" libgmp.so.10 10000 >"$work/out" ||
    fail "a cache of another place: status $?"
same "$work/alone" "$work/out"
chmod -R go+w "$work/open/mpgpu-gmp/behind"
XDG_CACHE_HOME=$work/open refuse 'others can write it' "$run" "$handles" libgmp.so.10 10000

# Tests programs whose run path names a folder with a libgmp. If the linker searches LD_LIBRARY_PATH
# before that folder, calls that the device does not compute must go to that folder's libgmp. If the
# linker searches the folder first, --replace must report that it can do nothing.
unset LD_LIBRARY_PATH
if command -v "${CC:=cc}" >/dev/null 2>&1 && [ -f "$srcdir/tests/process/handles.c" ] &&
    echo '#include <gmp.h>' | $CC -E - >/dev/null 2>&1; then
    for tags in enable disable; do
        # shellcheck disable=SC2016 # the dynamic linker's $ORIGIN
        $CC -o "$work/$tags" "$srcdir/tests/process/handles.c" -Wl,--$tags-new-dtags '-Wl,-rpath,$ORIGIN/gmps' ||
            fail "cannot link"
    done
    refuse "$work/disable asks for .*gmps/libgmp.so.10.* before" "$run" "$work/disable" libgmp.so.10 10000
    # shellcheck disable=SC2016 # for the inner shell
    "$run" --replace --conf backend:none sh -c 'echo "$LD_LIBRARY_PATH"' >"$work/system"
    [ "$(cat "$work/system")" = "$replace" ] || [ ! -h "$replace/libmpgpu-gmp-behind.so" ] ||
        fail "a link for the system's libgmp: $(cat "$work/system")"
    "$work/enable" libgmp.so.10 10000 data >"$work/alone"
    grep "errno 1: $work/gmps/libgmp.so.10" "$work/alone" || fail "not the libgmp that the program names"
    "$run" --replace --conf backend:none "$work/enable" libgmp.so.10 10000 data >"$work/out" || fail "status $?"
    same "$work/alone" "$work/out"
    # Runs the same program as the interpreter of a script.
    echo "#!$work/enable libgmp.so.10" >"$work/script"
    chmod +x "$work/script"
    "$work/script" data >"$work/alone"
    grep -q "errno 1: $work/gmps/libgmp.so.10" "$work/alone" || fail "a script does not work as it should"
    "$run" --replace --conf backend:none "$work/script" data >"$work/out" || fail "status $?"
    same "$work/alone" "$work/out"
    # A statically linked program must run as without --replace.
    if printf 'int main(void) { return 7; }\n' | $CC -static -o "$work/static" -x c - 2>/dev/null; then
        status=0
        "$run" --replace "$work/static" 2>"$work/err" || status=$?
        [ $status -eq 7 ] && [ ! -s "$work/err" ] || fail "a static program: status $status, $(cat "$work/err")"
    fi
fi
