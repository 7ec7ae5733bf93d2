#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Builds the same sources twice, in two folders, with different umask, locale, time zone, clock, home
# folder and number of jobs. Everything that `make install` installs must
# be equal byte for byte: libraries, kernels, programs, headers, manual pages, Python module. So must
# the files' modes. Takes minutes, so `make check` leaves it out.
# Usage: tests/packages/reproducible.sh [--with-cuda] [OPTION_OF_CONFIGURE...]
#   --with-cuda   also builds CUDA's kernels, for the fewest GPUs (nvcc)
# CFLAGS (-g -O2) are the compiler's options; the script adds -ffile-prefix-map, as Debian's builds do,
# because debugging information has the folder's name. The clock needs faketime.
# Exit status 77: autoreconf is missing.
set -eu
srcdir=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/mpgpu-reproducible-XXXXXX")
trap 'rm -rf "$work"' EXIT
command -v autoreconf >/dev/null || { echo 'skipped: autoreconf is not installed'; exit 77; }
cuda=--without-cuda
if [ "${1-}" = --with-cuda ]; then
    cuda='--with-cuda --with-cuda-targets=fewest'
    shift
fi
export CCACHE_DISABLE=1 # an object from a cache would hide a difference
SOURCE_DATE_EPOCH=$(git -C "$srcdir" log -1 --format=%ct 2>/dev/null || stat -c %Y "$srcdir/configure.ac")
export SOURCE_DATE_EPOCH

# Copies the sources, without built files, to folder $1.
copy_sources() {
    mkdir -p "$1"
    if [ -e "$srcdir/.git" ]; then
        (cd "$srcdir" && git ls-files -z --cached --others --exclude-standard |
            tar -cf - --null --ignore-failed-read -T - 2>/dev/null) | tar -xf - -C "$1"
    else
        (cd "$srcdir" && tar -cf - .) | tar -xf - -C "$1"
    fi
}

# Builds in folder $1 with $2 jobs, and installs to $work/$1-installed. Runs make by the command $3...
build() {
    folder=$1
    jobs=$2
    shift 2
    mkdir "$work/$folder-home"
    HOME=$work/$folder-home
    export HOME
    copy_sources "$work/$folder/source"
    cd "$work/$folder/source"
    autoreconf -fi
    mkdir build
    cd build
    # shellcheck disable=SC2086 # $cuda and $options may be several words
    ../configure --prefix=/usr $cuda $options \
        CFLAGS="${CFLAGS--g -O2} -ffile-prefix-map=$work/$folder/source=/source"
    "$@" make -j"$jobs" all
    "$@" make install DESTDIR="$work/$folder-installed"
}

# Runs "$@" with its output in $work/log; prints the end of the log if the command fails.
quiet() {
    "$@" >"$work/log" 2>&1 </dev/null || {
        tail -n 30 "$work/log"
        echo "FAILED: $*"
        exit 1
    }
}

options=$*
locale=$(locale -a 2>/dev/null | grep -v -e '^C$' -e POSIX | tail -n 1)
clock='env'
if command -v faketime >/dev/null; then
    clock='faketime +400d'
else
    echo 'the same clock in both: faketime is not installed'
fi
echo "SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH; umask 022 and 027, C and ${locale:-C}, UTC and Asia/Kolkata"
(umask 022 && export LC_ALL=C TZ=UTC && quiet build one 1 env)
# shellcheck disable=SC2086 # $clock may be several words
(umask 027 && export LC_ALL="${locale:-C}" TZ=Asia/Kolkata && quiet build two-with-a-longer-name "${JOBS:-3}" $clock)

cd "$work"
for folder in one two-with-a-longer-name; do
    (cd "$folder-installed" && find . ! -type d -printf '%P %m %l\n' | LC_ALL=C sort) >"$folder.list"
done
status=0
diff one.list two-with-a-longer-name.list || status=1
(cd one-installed && find . -type f | LC_ALL=C sort) >files
while read -r file; do
    cmp "one-installed/$file" "two-with-a-longer-name-installed/$file" || status=1
done <files
[ $status -eq 0 ] || { echo 'FAILED: the builds differ'; exit 1; }
echo "the same in both builds: $(wc -l <files) files, $(du -sh --apparent-size one-installed | cut -f 1)"
sha256sum "one-installed/usr/lib/libmpgpu-gmp.so.0" | sed 's/ .*/ libmpgpu-gmp.so.0/'
