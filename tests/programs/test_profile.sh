#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests mpgpu-run --profile: its sums must be those of --stats.  Tests processes that fork, crash or
# are killed; the places of calls in C, PARI/GP and Python; the HTML page; wrong values; and the
# cost of a profile.
. "$(dirname "$0")/../support/common.sh"
program=$builddir/tests/programs/profiled
need_command python3
cd "$work" || exit
mkdir tmp
export TMPDIR="$work/tmp"

# profile STATUS WORD...: runs mpgpu-run --profile WORD..., whose exit status must be STATUS.  The
# report is in $work/err.
profile() {
    wanted=$1
    shift
    status=0
    timeout 300 "$run" --backend none --profile=page.html "$@" >out 2>err || status=$?
    [ $status -eq "$wanted" ] || fail "$*: status $status, not $wanted: $(cat err)"
    [ -z "$(ls -A tmp)" ] || fail "$*: the folder of the profile is left: $(ls tmp)"
}

# rows: prints "FUNCTION CALLS SENT DEVICE GMP LIMBS PLACE" for each row of the report.
rows() {
    sed -n 's/^mpgpu-run: *\([0-9.]*\) *[0-9.]* % *\([0-9.]*\) *\([0-9.]*\) *\([0-9]*\) *\([0-9]*\)  \([-0-9]*\)  *\([a-z_]*\)  *\([^;]*\).*/\7 \4 \5 \2 \3 \6 \8/p' err
}

# has FUNCTION CALLS PLACE: the function's rows whose place matches the regular expression PLACE
# must have this number of calls in all.
has() {
    found=$(rows | grep "^$1 .*$3" | awk '{ sum += $2 } END { print sum + 0 }')
    [ "$found" -eq "$2" ] || fail "$1 from $3: $found calls, not $2: $(cat err)"
}

# The profile must have the same calls and times for each function as the statistics.
cat >compare.py <<'TEXT'
import json, sys
stats = json.loads(open("stats").read().splitlines()[-1])
sums, places = {}, {}
for line in open("rows"):
    name, calls, sent, device, gmp, limbs, place = line.rstrip("\n").split(" ", 6)
    row = sums.setdefault(name, [0, 0, 0.0, 0.0])
    row[0] += int(calls)
    row[1] += int(sent)
    row[2] += float(device)
    row[3] += float(gmp)
    places.setdefault(name, []).append(place)
everything = sums.pop("all")
assert len(stats["functions"]) == len(sums) and sums, (stats, sums)
for row in stats["functions"]:
    mine, rounding = sums[row["function"]], 0.001 * len(places[row["function"]])
    assert mine[:2] == [row["calls"], row["sent"]], (row, mine)
    assert abs(mine[2] - row["seconds"]["device"]) <= rounding, (row, mine)
    assert abs(mine[3] - row["seconds"]["gmp"]) <= rounding, (row, mine)
assert everything[:2] == [sum(row[key] for row in stats["functions"]) for key in ("calls", "sent")]
TEXT
agree() {
    rows >rows
    python3 compare.py || fail "$*: $(cat err stats)"
}
for backend in $(backends); do
    timeout 600 "$run" --backend "$backend" --conf server:off,dispatch:fixed,watchdog:600 --wait --threshold 100 --stats-file stats \
        --profile=page.html "$program" 1000 20 >out 2>err || fail "$backend: status $?: $(cat err)"
    agree "$backend"
    rows | grep -q '^mpz_mul 20 20 ' || fail "$backend: not sent: $(cat err)"
    echo "$backend: the sums agree"
done
profile 0 --stats-file stats --threshold 100 "$program" 1000 20
agree none
has mpz_mul 20 ' multiply .*profiled'
has mpz_tdiv_q 10 ' divide .*profiled'
grep -q 'divide.*; no device 10$' err || fail "no reason: $(cat err)"
if command -v addr2line >/dev/null 2>&1 && readelf -S "$program" 2>/dev/null | grep -q '\.debug_line'; then
    line=$(grep -n 'mpz_mul(r, x, y)' "$srcdir/tests/programs/profiled.c" | cut -d: -f1)
    has mpz_mul 20 "multiply profiled.c:$line < work profiled.c:"
else
    echo 'skipped: lines: there is no addr2line, or no debug information'
fi

# With threads, with children, and however a process ends, the profile must have each call that has
# returned.
profile 0 "$program" 1000 20 threads
has mpz_mul 80 multiply
profile 0 "$program" 1000 20 fork
has mpz_mul 80 multiply
[ "$(grep -c ', process [0-9]*, [0-9.]* s: 30 calls' err)" -eq 4 ] || fail "not four processes: $(cat err)"
profile 137 "$program" 1000 20 kill
has mpz_mul 20 multiply
grep -q 'ended by a signal: Killed' err || fail "$(cat err)"
profile 134 "$program" 1000 20 crash
has mpz_mul 20 multiply
profile 0 sh -c "'$program' 1000 2; '$program' 1000 4 kill; true"
has mpz_mul 6 multiply
profile 1 sh -c "'$program' 1000 2; exit 1"
has mpz_mul 2 multiply
"$run" --backend none --profile=page.html "$program" 1000 4 wait >out 2>err &
sleep 2
kill -TERM $!
status=0
wait $! || status=$?
[ $status -eq 143 ] || fail "TERM: status $status"
has mpz_mul 4 multiply
profile 0 true
grep -q 'true, process [0-9]*: no call of GMP was intercepted: no shared libgmp' err || fail "$(cat err)"
profile 0 "$program" 1 1
grep -q 'no process has called GMP with operands at or above the thresholds' err || grep -q 'in them$' err || fail "$(cat err)"

# The HTML page must have all rows and load nothing, and its texts must be escaped.
profile 0 --conf "log:0" "$program" 1000 20 '<b>&"'
python3 - page.html <<'TEXT' || fail "$(cat page.html)"
import re, sys
from html.parser import HTMLParser
page = open(sys.argv[1], encoding="utf-8").read()
class Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.cells, self.heads = [], [], []
    def handle_starttag(self, tag, attributes):
        assert not any(name in ("src", "href") for name, _ in attributes), (tag, attributes)
        assert tag not in ("script", "link", "img", "iframe", "b"), tag
        if tag not in ("meta", "br"):
            self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
    def handle_data(self, data):
        (self.heads if "h1" in self.open else self.cells).append(data)
reader = Reader()
reader.feed(page)
reader.close()
assert not reader.open and "url(" not in page and "@import" not in page
assert "".join(reader.heads).endswith('1000 20 <b>&"'), reader.heads
text = " ".join(reader.cells)
for word in ("mpz_mul", "multiply", "no device", "20", "profiled"):
    assert word in text, word
TEXT

# A file in the folder that is no profile must be reported; so must a profile that exceeds the limit
# of file sizes.
profile 0 sh -c "echo junk >\"\${MPGPU_CONF##*stats_sites:}/junk\"; '$program' 1000 20"
grep -q 'junk: not a profile of this version' err || fail "junk: $(cat err)"
has mpz_mul 20 multiply
profile 0 sh -c "ulimit -f 1; '$program' 1000 20"
grep -q '^mpgpu: no profile in .*: File too large$' err || fail "a limit of file sizes: $(cat err)"

# If nobody reads the report, the page must be written, and the status be the program's.
mkfifo closed
(exec 3<closed 3<&-) &
(status=0; "$run" --backend none --profile=unread.html "$program" 1000 20 >out 2>closed || status=$?; echo $status >status)
wait $!
[ "$(cat status)" = 0 ] && grep -q '</html>' unread.html && [ -z "$(ls -A tmp)" ] ||
    fail "an unread report: status $(cat status), $(wc -c <unread.html) bytes, $(ls -A tmp)"

# wrong TEXT WORD...: mpgpu-run must end with status 125 and one line that contains TEXT.
wrong() {
    text=$1
    shift
    status=0
    "$run" "$@" "$program" 10 1 >out 2>err || status=$?
    [ $status -eq 125 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q -e "$text" err || fail "$*: status $status: $(cat err)"
}
wrong "--profile: 'none/page.html' cannot be written: No such file" --profile=none/page.html
wrong '--profile needs a value' --profile=
TMPDIR=$work/none wrong "no folder for the profile in '$work/none'" --profile=page.html
TMPDIR=$work/a,b wrong "$work/a,b' is too long or has a comma" --profile=page.html
wrong '--require-device: backend:none' --require-device --backend none
wrong '--require-device: none for backend auto, device NOSUCH' --require-device --device NOSUCH

# The place of a call must be a line in Python, also for calls by ctypes. In gp it must be a
# function.
python=/usr/bin/python3 # the one that Debian's modules are for
cat >script.py <<'TEXT'
import gmpy2
def power(x):
    return x * x
for i in range(3):
    power(gmpy2.mpz(3) ** 200000)
TEXT
if $python -c 'import gmpy2.gmpy2' >/dev/null 2>&1; then
    profile 0 $python script.py
    has mpz_mul 3 'script.py:3 power'
    has mpz_pow_ui 3 'script.py:5 <module>'
    PYTHONPATH=$srcdir/python MPGPU_LIBRARY=$library MPGPU_CONF=backend:none PYTHONDONTWRITEBYTECODE=1 \
        $python -m mpgpu run --profile=page.html script.py 2>err || fail "python -m mpgpu run: $(cat err)"
    has mpz_mul 3 'script.py:3 power'
else
    echo "skipped: lines of gmpy2: $python has no gmpy2 (Debian: python3-gmpy2)"
fi
cat >module.py <<'TEXT'
import mpgpu

def square(u):
    return u * u

with mpgpu.Batch([3**100000] * 9) as u:
    square(u)
TEXT
PYTHONPATH=$srcdir/python MPGPU_LIBRARY=$library MPGPU_CONF=backend:none,batch:1 PYTHONDONTWRITEBYTECODE=1 \
    python3 -m mpgpu run --profile=page.html module.py 2>err || fail "the module: $(cat err)"
has mpgpu_batch_mul 1 'module.py:4 square'
if command -v gp >/dev/null 2>&1; then
    echo 'a = 7^300000; b = a * (a + 1)' >script.gp
    profile 0 gp -fq -s 100M script.gp
    rows | grep -q '^mpn_mul .* in \(gp\|libpari\)' || fail "gp: $(cat err)"
else
    echo 'skipped: gp is not installed (Debian: pari-gp)'
fi

# A profile may cost at most 3 % in a program with large calls.  Because other programs disturb the
# times, one good run suffices.
cost() {
    "$run" --backend none --stats-file stats "$program" 6000 8 time >plain 2>/dev/null
    "$run" --backend none --profile=page.html "$program" 6000 8 time >profiled 2>/dev/null
    awk 'NR == FNR { plain = $1; next } { printf "cost: %.1f %%\n", 100 * ($1 / plain - 1); exit $1 > 1.03 * plain }' plain profiled
}
for try in 1 2 3 4 5 6; do
    ! cost || exit 0
done
fail 'more than 3 %, six times'
