#!/bin/bash
# SPDX-License-Identifier: LGPL-3.0-or-later
# run.sh MINUTES JOBS OUT: runs mutate.py for both commits at the same time, with half of the jobs
# each. Writes their results (base.jsonl, main.jsonl) and output (base.log, main.log) to OUT. Also
# packs the built kernels into files of 15 MiB in OUT, homes.tar.gz.aa and so on: the device machine
# returns no file over 16 MiB, and 64 MiB in all. Continues an earlier run whose files are in this
# script's folder. prepare.sh creates that folder.
set -u
here=$(cd "$(dirname "$0")" && pwd)
minutes=$1 jobs=$2 out=$3
begin=$(date +%s)
top=/var/tmp/mutation
unpack() { if command -v xz >/dev/null; then xz -dc "$1"; else python3 -c 'import lzma,shutil,sys; shutil.copyfileobj(lzma.open(sys.argv[1]), sys.stdout.buffer)' "$1"; fi; }
mkdir -p $top
if [ ! -d $top/main/tree ]; then
    mountpoint -q $top || mount -t tmpfs -o size=48g tmpfs $top 2>/dev/null || echo "no tmpfs: the disk is used"
    for archive in trees support; do
        unpack "$here/$archive.tar.xz" | tar x -C $top || exit 1
    done
    [ ! -e "$here/homes.tar.gz.aa" ] || cat "$here"/homes.tar.gz.* | tar xz -C $top # kernels that an earlier run has built, if any
fi
export C_INCLUDE_PATH=$top/support/include LIBRARY_PATH=$top/support/lib LD_LIBRARY_PATH=$top/support/lib
export ACLOCAL=: AUTOMAKE=: AUTOCONF=: AUTOHEADER=: MAKEINFO=:
export CUDA_VISIBLE_DEVICES= # NVIDIA's OpenCL, if it is seen, has no device
unset OCL_ICD_VENDORS MPGPU_CONF MAKEFLAGS
for devices in basic cpu-minimal cpu; do
    mkdir -p $top/probe
    echo server:off >$top/probe/conf
    if POCL_DEVICES=$devices XDG_CACHE_HOME=$top/probe XDG_CONFIG_HOME=$top/probe POCL_CACHE_DIR=$top/probe \
        MPGPU_CONF="server:off,backend:opencl,open:wait,watchdog:600,mul:1,stats:text" \
        LD_PRELOAD=$top/main/tree/build/.libs/libmpgpu-gmp.so.0 timeout 120 $top/main/tree/build/examples/pi 300 2>&1 >/dev/null | tee $top/probe/log | grep "^mpgpu: device: opencl"; then
        export POCL_DEVICES=$devices
        break
    fi
done
[ -n "${POCL_DEVICES:-}" ] || { echo "no PoCL device:"; cat $top/probe/log; exit 1; }
echo "POCL_DEVICES=$POCL_DEVICES, unpacked and probed in $(($(date +%s) - begin)) s"
left=$(python3 -c "print($minutes - ($(date +%s) - $begin) / 60)")
for name in base main; do
    [ -e "$out/$name.jsonl" ] || cp "$here/$name.jsonl" "$out/" 2>/dev/null
    nice python3 "$here/mutate.py" "$out/$name.jsonl" --prepared --folder $top/$name --commit "$(cat "$here/$name.commit")" \
        --minutes "$left" --jobs $(((jobs + 1) / 2)) --count "${COUNT:-150}" --seed "${SEED:-1}" >"$out/$name.log" 2>&1 &
done
wait
tar cz -C $top base/tree/build/tests/home main/tree/build/tests/home | split -b 15M - "$out/homes.tar.gz."
for name in base main; do
    python3 "$here/mutate.py" "$out/$name.jsonl" --table | sed -n '1p;/^| all/p;$p'
    tail -n 3 "$out/$name.log"
done
echo "run.sh: $(($(date +%s) - begin)) s"
