#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests mpgpu-run --stats and --stats-file: the report must name its process.  If nothing is
# intercepted, one line must give the reason.  Children without GMP must print nothing.
. "$(dirname "$0")/../support/common.sh"

# nothing TEXT PROGRAM [ARGUMENT]...: --stats must print one line that contains TEXT.  The same
# reason must be in the file, unless the program cannot write it.
nothing() {
    text=$1
    shift
    rm -f "$work/file"
    "$run" --backend none --stats --stats-file "$work/file" "$@" >"$work/out" 2>"$work/err" || fail "$*: status $?"
    [ "$(wc -l <"$work/err")" -eq 1 ] && grep -q -e "$text" "$work/err" || fail "$*: no line with '$text': $(cat "$work/err")"
    case $text in
    'no statistics of'*) [ ! -s "$work/file" ] || fail "$*: $(cat "$work/file")" ;;
    *)
        [ "$(wc -l <"$work/file")" -eq 1 ] || fail "$*: $(cat "$work/file")"
        grep -q '"functions":\[\]}$' "$work/file" && grep -q '"reason":"' "$work/file" || fail "$*: $(cat "$work/file")"
        ;;
    esac
    "$run" --backend none --conf log:0 "$@" >"$work/out" 2>"$work/err" || fail "$*: status $?"
    [ ! -s "$work/err" ] || fail "$*: unasked: $(cat "$work/err")"
}
nothing 'true, process [0-9]*, 0\.[0-9]* s: no call of GMP was intercepted: no shared libgmp' env true
nothing 'handles, process .*: no call of GMP was intercepted: libgmp is loaded' \
    "$builddir/tests/process/handles" libgmp.so.10 10000
if php -r 'exit(extension_loaded("gmp") ? 0 : 1);' >/dev/null 2>&1; then
    nothing 'php, process .*: no call of GMP was intercepted: .*--replace' php -r 'gmp_mul(gmp_pow(3, 300000), 5);'
else
    echo "skipped: PHP: there is no php with gmp (Debian: php-cli, php-gmp)"
fi
echo 'int main(void) { return 0; }' >"$work/program.c"
# links NAME COMPILER...: links $work/NAME with this compiler; returns false if that fails.
links() {
    name=$1
    shift
    "$@" "$work/program.c" -o "$work/$name" 2>/dev/null || ! echo "skipped: $name: $* does not link"
}
# shellcheck disable=SC2086 # with flags
! links static ${CC:=cc} -static || nothing "no statistics of $work/static: it is statically linked" "$work/static"
! links musl musl-gcc || nothing "no statistics of $work/musl: it is loaded by /.*, not by glibc" "$work/musl"
# shellcheck disable=SC2086
! links 32-bit $CC -m32 || nothing "no statistics of $work/32-bit: it is for another" "$work/32-bit"

# Runs a script with three child processes, two of which call GMP. The file must have a JSON object
# of each of the two, one a line; the script may have one, too.
need_command python3
cat >"$work/script" <<TEXT
#!/bin/sh
"$builddir/examples/pi" 3000
cat /dev/null
"$builddir/examples/pi" 2000
TEXT
chmod +x "$work/script"
cd "$work" || exit
rm -f file
"$run" --backend none --threshold 1 --stats-file file ./script >out 2>err || fail "status $?"
[ ! -s err ] || fail "--stats-file prints $(cat err)"
python3 - file <<'TEXT' || fail "$(cat file)"
import json, sys
reports = [json.loads(line) for line in open(sys.argv[1])]
reports = [report for report in reports if report["program"] != "script"]
assert [report["program"] for report in reports] == ["pi", "pi"], reports
assert len({report["process"] for report in reports}) == 2, reports
for report in reports:
    rows = {row["function"]: row for row in report["functions"]}
    assert rows["mpz_mul"]["calls"] > 0 and "reason" not in report, report
    assert 0 < report["seconds"] < 100, report
TEXT
"$run" --backend none --threshold 1 --stats=json --stats-file file "$builddir/examples/pi" 3000 >out 2>err || fail "status $?"
sed -n 's/^mpgpu: //p' err | tr -d '\n' >printed
tail -n 1 file | tr -d '\n' >written
python3 - printed written <<'TEXT' || fail "$(cat printed written)"
import json, sys
one, two = (json.load(open(path)) for path in sys.argv[1:])
one["seconds"] = two["seconds"] = 0
assert one == two, (one, two)
TEXT
# The folder of the file is removed during the run: one line must report it.
mkdir gone
"$run" --backend none --threshold 1 --stats-file gone/file sh -c "rm -r gone; '$builddir/examples/pi' 3000" >out 2>err ||
    fail "status $?"
[ "$(grep -c 'no statistics in .*gone/file: No such file' err)" -ge 1 ] || fail "a file that cannot be made: $(cat err)"

# The JSON must be UTF-8, whatever bytes the program's name has.
for bytes in '\303\274' '\377' 'x\303' '\355\240\200' '\360\237\230\200'; do
    name=$(printf "$bytes")
    cp "$builddir/examples/pi" "$name"
    rm -f file
    "$run" --backend none --threshold 1 --stats-file file "./$name" 3000 >out || fail "status $?"
    python3 - "$name" <<'TEXT' || fail "$bytes: $(cat file)"
import json, os, sys
report = json.loads(open("file", "rb").read().decode())
name = os.fsencode(sys.argv[1])
assert report["program"] == name.decode(errors="replace"), report["program"]
TEXT
done
