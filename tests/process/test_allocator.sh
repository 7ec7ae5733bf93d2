#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Checks programs with a malloc of their own. If a program's malloc has no aligned_alloc, the
# library loads no driver into the program, and the statistics give the reason. A driver in such a
# program would free by one allocator what another allocated.
#
# mpgpu-serve can compute for such a program. The library then has no thread in the program and does
# not call its malloc during GMP's calls. The program may leave GMP's calls by longjmp at any
# allocation of a result.
#
# A program with libc's malloc gets a driver, even if the address of free is in the program. The
# library does not call the program's malloc before main, nor change its dlerror. A program whose
# own malloc is complete gets a device, in its own process or by mpgpu-serve. During GMP's calls the
# library calls this malloc only in threads that block signals, unless GMP calls it too.
. "$(dirname "$0")/../support/common.sh"
as_alone "$builddir/tests/process/allocator"
as_alone "$builddir/tests/process/allocator" collect
need_opencl_or_cuda
MORE=stats:text as_alone "$builddir/tests/process/allocator"
grep -q '^mpgpu: device: none: the program has a malloc of its own' "$work/wait.err" ||
    fail "the statistics don't say why there was no device: $(cat "$work/wait.err")"
MORE=stats:text as_alone "$builddir/tests/process/fixed"
[ "$(sent "$work/wait.err")" -ge 1 ] || fail "at a fixed address: nothing was sent: $(cat "$work/wait.err")"
MORE=stats:text as_alone "$builddir/tests/process/allocator_complete"
[ "$(sent "$work/wait.err")" -ge 1 ] || fail "a complete malloc: nothing was sent: $(cat "$work/wait.err")"

. "$srcdir/tests/support/serve.sh"
# by_client PROGRAM...: runs the program as a client, with profiles and a file of options, which the
# library must read without the program's malloc. The variable MODE is the value of the option
# `server`: the library starts a server if MODE is `auto`, and starts none if it is `only`.
mkdir -p "$work/config/mpgpu-gmp"
printf 'mul: 300\n' >"$work/config/mpgpu-gmp/b.profile"
printf 'device: nothing\nmul: 400\n' >"$work/config/mpgpu-gmp/a.profile"
printf '# options\nverify:device\n' >"$work/config/mpgpu-gmp/mpgpu.conf"
by_client() {
    MORE=stats:text,mul:40,sqr:40,backend:$backend,watchdog:600 SERVER=$MODE OPENS=wait as_alone env XDG_CONFIG_HOME="$work/config" "$@"
    by_server "$work/wait.err"
}
begin
MODE=only
by_client "$builddir/tests/process/allocator"
by_client "$builddir/tests/process/allocator" collect
by_client "$builddir/tests/process/allocator" successors
awk '$2 == "mpz_mul" && $3 == 15 && $4 == 15 { found = 1 } END { exit !found }' "$work/wait.err" ||
    fail "not all products were sent: $(cat "$work/wait.err")"
by_client "$builddir/tests/process/allocator_complete"
by_client "$builddir/tests/process/allocator_complete" collect
by_client "$builddir/tests/process/allocator_complete" successors
all_are_gone
end
MODE=auto
trap '"$serve" --end 2>/dev/null || true; stop' EXIT
by_client "$builddir/tests/process/allocator" collect
"$serve" --end
by_client "$builddir/tests/process/allocator" successors
"$serve" --end
