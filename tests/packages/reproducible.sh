#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Builds the same sources twice, with another folder, home folder, umask, locale, time zone, clock,
# host name, age of the sources and number of jobs. Everything that `make install` installs must be
# equal byte for byte: libraries, kernels, programs, headers, manual pages. Modes and links of files
# must be equal, too. Takes minutes, so `make check` leaves it out.
# Usage: tests/packages/reproducible.sh [--without-cuda] [OPTION_OF_CONFIGURE...]
#   --without-cuda   builds no kernels for CUDA; otherwise nvcc builds those for the fewest GPUs
# CFLAGS (-g -O2) are the compiler's options; the script adds -ffile-prefix-map, as Debian's builds
# do, because debugging information has the folder's name. JOBS (3) is the number of jobs of the
# second build. nvcc has the same clock in both builds, because its compiler waits forever for a
# lock under libfaketime 0.9.10. The script prints what it could not vary on this machine. To vary
# the clock it needs faketime; for the host name, root and unshare; for the locale, localedef with
# the locales' sources. After a failure the builds are kept. Exit status 77: autoreconf is missing,
# or nvcc without --without-cuda.
set -eu
srcdir=$(cd "$(dirname "$0")/../.." && pwd)
skip() {
    echo "skipped: $*"
    exit 77
}
nvcc=
cuda='--with-cuda --with-cuda-targets=fewest'
if [ "${1-}" = --without-cuda ]; then
    cuda=--without-cuda
    shift
else
    nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc) || skip 'nvcc is not installed; see --without-cuda'
fi
command -v autoreconf >/dev/null || skip 'autoreconf is not installed'
work=$(mktemp -d "${TMPDIR:-/tmp}/mpgpu-reproducible-XXXXXX")
export CCACHE_DISABLE=1 # an object from a cache would hide a difference
SOURCE_DATE_EPOCH=$(git -C "$srcdir" log -1 --format=%ct 2>/dev/null || stat -c %Y "$srcdir/configure.ac")
export SOURCE_DATE_EPOCH

# Copies the sources to folder $1, without built files if they are a git checkout.
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
# Returns false after a failure; the shell ignores `set -e` in it.
build() {
    folder=$1
    jobs=$2
    shift 2
    mkdir "$work/$folder-home"
    HOME=$work/$folder-home
    export HOME
    mkdir "$work/$folder"
    cp -R "$work/sources" "$work/$folder/source"
    cd "$work/$folder/source"
    [ "$folder" = one ] || find . -type f -exec touch -d 2019-02-03 {} +
    autoreconf -fi && mkdir build && cd build || return 1
    # shellcheck disable=SC2086 # $cuda and $options may be several words
    ../configure --prefix=/usr $cuda $options \
        CFLAGS="${CFLAGS--g -O2} -ffile-prefix-map=$work/$folder/source=/source" &&
        "$@" make -j"$jobs" ${nvcc:+NVCC="$work/nvcc"} all &&
        "$@" make ${nvcc:+NVCC="$work/nvcc"} install DESTDIR="$work/$folder-installed"
}

# Runs "$@" with its output in $work/log; prints the end of the log if the command fails.
quiet() {
    "$@" >"$work/log" 2>&1 </dev/null || {
        tail -n 30 "$work/log"
        echo "FAILED: $*; the builds are in $work"
        exit 1
    }
}

# Prints the locale of the second build, which collates and capitalises unlike C: Turkish if localedef
# can make it, otherwise an installed one.
other_locale() {
    if localedef -i tr_TR -f UTF-8 "$work/locales/tr_TR.UTF-8" >/dev/null 2>&1; then
        echo tr_TR.UTF-8
    else
        locale -a 2>/dev/null | grep -v -e '^C$' -e POSIX | tail -n 1
    fi
}

options=$*
printf '#!/bin/sh\nunset LD_PRELOAD FAKETIME\nexec %s "$@"\n' "$nvcc" >"$work/nvcc"
chmod +x "$work/nvcc"
mkdir "$work/locales"
copy_sources "$work/sources"
locale=$(other_locale)
locale=${locale:-C}
wrapper=
host=$(hostname)
if unshare --uts true 2>/dev/null; then
    # shellcheck disable=SC2016 # the inner shell's
    wrapper='unshare --uts sh -euc "hostname another && exec \"\$@\"" sh'
    host="$host and another"
else
    echo 'the same host name in both: unshare needs root'
fi
if command -v faketime >/dev/null; then
    # faketime needs the locale C, because its options are in English
    wrapper="$wrapper env LC_ALL=C faketime -f +400d env LC_ALL=$locale"
else
    echo 'the same clock in both: faketime is not installed'
fi
echo "SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH; umask 022 and 027, C and $locale, UTC and Asia/Kolkata, $host"
(umask 022 && export LC_ALL=C TZ=UTC && quiet build one 2 env)
(umask 027 && export LC_ALL="$locale" LOCPATH="$work/locales" TZ=Asia/Kolkata &&
    eval quiet build two-with-a-longer-name "${JOBS:-3}" "${wrapper:-env}")

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
[ $status -eq 0 ] || {
    echo "FAILED: the builds differ; they are in $work"
    exit 1
}
echo "the same in both builds: $(wc -l <files) files, $(du -sh --apparent-size one-installed | cut -f 1)"
sha256sum one-installed/usr/lib/libmpgpu-gmp.so.0 one-installed/usr/lib/mpgpu-gmp/images.bin |
    sed 's| .*/| |'
rm -rf "$work"
