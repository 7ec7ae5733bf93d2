#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Builds Debian's packages, checks them by lintian, installs them in a minimal root file system,
# runs debian/tests/gp there on PoCL, and checks that removing them leaves nothing.  Takes minutes,
# so `make check` leaves it out.
# Usage: tests/packages/check.sh [FOLDER]
#   FOLDER   has packages that were built before; nothing is built then
# Exit status 77: a tool is missing.  MIRROR is the source of the root file system; CUDA says
# whether the packages get CUDA kernels (no; auto, yes or a folder). Without root or mmdebstrap the
# packages are unpacked into a folder, and the library runs from there.
set -eu
srcdir=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/mpgpu-packages-XXXXXX")
root=$work/root
trap 'leave' EXIT

leave() {
    for place in proc dev sys; do
        ! mountpoint -q "$root/$place" 2>/dev/null || umount -l "$root/$place"
    done
    rm -rf --one-file-system "$work"
}

skip() {
    echo "skipped: $*"
    exit 77
}

fail() {
    echo "FAILED: $*"
    exit 1
}

# Runs "$@" with its output in $work/log; prints the end of the log if the command fails.
quiet() {
    "$@" >"$work/log" 2>&1 </dev/null || {
        tail -n 30 "$work/log"
        fail "$*"
    }
}

# Copies the sources to folder $1, without built files if they are a git checkout.
copy_sources() {
    mkdir "$1"
    if [ -e "$srcdir/.git" ]; then
        (cd "$srcdir" && git ls-files -z --cached --others --exclude-standard |
            tar -cf - --null --ignore-failed-read -T - 2>/dev/null) | tar -xf - -C "$1"
    else
        (cd "$srcdir" && tar -cf - .) | tar -xf - -C "$1"
    fi
}

build_packages() {
    command -v dpkg-buildpackage >/dev/null || skip 'dpkg-buildpackage (dpkg-dev) is not installed'
    copy_sources "$work/source"
    (cd "$work/source" && dpkg-checkbuilddeps 2>"$work/log") || skip "$(cat "$work/log")"
    (cd "$work/source" && MPGPU_CUDA=${CUDA:-no} DEB_BUILD_OPTIONS=parallel=$(nproc) \
        quiet dpkg-buildpackage -b -us -uc)
    grep '^debian/rules: \|^# \(PASS\|SKIP\|FAIL\)' "$work/log" || true
    grep -q '^# PASS: *[1-9]' "$work/log" || fail 'the build has run no test'
    ls -s --block-size=K "$work"/*.deb
}

examine() {
    if command -v lintian >/dev/null; then
        lintian --allow-root --pedantic --fail-on error,warning "$work"/*.changes || fail 'lintian'
        echo 'passed: lintian'
    else
        echo 'skipped: lintian is not installed'
    fi
}

# Checks that the packages have the kernels in one file.
check_kernels() {
    for package in "$work"/*.deb; do
        dpkg -x "$package" "$work/unpacked"
    done
    files=$(grep -rl '^#line 1 "kernels/common/platform.h"' "$work/unpacked")
    [ "$(basename "$files")" = images.bin ] || fail "kernels in $files"
    echo 'passed: the kernels lie once on the disk'
}

make_root() {
    quiet mmdebstrap --variant=apt --include=pari-gp,pocl-opencl-icd,ocl-icd-libopencl1 \
        "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" "$root" ${MIRROR:+"$MIRROR"}
    mount -t proc proc "$root/proc"
    mount -t sysfs -o ro sysfs "$root/sys" # PoCL reads the CPUs from /sys
    mount --rbind /dev "$root/dev" && mount --make-rslave "$root/dev"
    find "$root" -xdev \( -type f -o -type l \) >"$work/before"
}

in_root() {
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive HOME=/root LC_ALL=C.UTF-8 \
        chroot "$root" "$@"
}

# Checks that purging the packages leaves no file, except in apt's and dpkg's own folders.
check_purged() {
    find "$root" -xdev \( -type f -o -type l \) >"$work/after"
    left=$(sort "$work/before" "$work/before" "$work/after" | uniq -u |
        grep -vE "^$root/(var/(cache|log|lib/apt|lib/dpkg/(status|available|lock|triggers|diversions|statoverride|alternatives|updates)|tmp)|tmp|root|etc/ld.so.cache|proc|dev|sys)" || true)
    [ -z "$left" ] || fail "purge leaves $left"
    ! in_root dpkg -l 2>/dev/null | grep mpgpu || fail 'dpkg still knows a package'
    echo 'passed: purge leaves nothing'
}

in_bare_root() {
    make_root
    mkdir "$root/tmp/packages"
    cp "$work"/libmpgpu-gmp0_*.deb "$work"/mpgpu-gmp_*.deb "$root/tmp/packages"
    quiet in_root dpkg -i -R /tmp/packages
    quiet in_root apt-get check
    [ -z "$(find "$root/etc/systemd" -name 'mpgpu-serve*')" ] || fail 'a unit is enabled for all users'
    mkdir "$root/tmp/tests"
    cp "$srcdir"/debian/tests/gp "$root/tmp/tests"
    in_root /tmp/tests/gp || fail 'gp in the bare root'
    in_root mpgpu-info | sed -n '1,3p;/^backend/p'
    quiet in_root apt-get -y purge mpgpu-gmp libmpgpu-gmp0
    check_purged
}

# Tests the unpacked packages: programs find the library by a path relative to their own.
in_folder() {
    command -v gp >/dev/null || skip 'gp is not installed, nor mmdebstrap with root'
    PATH=$work/unpacked/usr/bin:$PATH sh "$srcdir/debian/tests/gp" || fail 'gp with the unpacked packages'
}

if [ $# -gt 0 ]; then
    cp "$1"/*.deb "$1"/*.changes "$1"/*.buildinfo "$work"
else
    build_packages
fi
examine
check_kernels
if [ "$(id -u)" = 0 ] && command -v mmdebstrap >/dev/null; then
    in_bare_root
else
    echo 'skipped: a bare root needs root and mmdebstrap: the packages are unpacked instead'
    in_folder
fi
