#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Runs jobs of the CI matrix; .github/workflows/ci.yml and `make check` (test_lint.sh) call it.
# Usage:
#   job.sh JOB...              runs the jobs, in build-matrix/JOB
#   job.sh --install JOB...    installs what the jobs need: Debian packages (as root) and ruff
#   job.sh --list              lists the jobs: name, what it proves, packages
# Prints one line for each job, with its elapsed time and CPU time. Exit status: 1 if a job failed,
# otherwise 77 if the machine lacks a tool that a job needs, otherwise 0. Environment: JOBS is the
# number of parallel processes, MATRIX_BUILDS another folder than build-matrix, MATRIX_ROOT another
# folder than MATRIX_BUILDS/debian-13 for the chroot, MIRROR another mirror of Debian. ccache, with
# CCACHE_DIR, is used if it is installed. The output of a job's commands is in build-matrix/JOB.log.
set -eu
srcdir=$(cd "$(dirname "$0")/../.." && pwd)
builds=${MATRIX_BUILDS:-$srcdir/build-matrix}
processes=${JOBS:-$(nproc)}

# Each row: name of the job | what the job proves | Debian packages.
jobs_table() {
    cat <<'TABLE'
gcc | gcc 12: no warning, the exported symbols, tests without a device | gcc BUILD MORE
gcc-13 | gcc 13: the same; in a chroot of Debian 13 if gcc 13 is not installed | gcc-13 BUILD libpng-dev libmpfr-dev
clang | clang 14: the same | clang-14 BUILD MORE
cuda | CUDA and OpenCL: no warning, the exported symbols | gcc BUILD
cuda-alone | CUDA without OpenCL: the same | gcc BUILD
bare | without CUDA, OpenCL, MPI, Check and libpng: the same | gcc BUILD
aarch64 | cross-compiled for arm64, libraries of the build machine ignored; preloaded programs and unit tests by qemu-user | gcc-aarch64-linux-gnu gcc BUILD qemu-user
tidy | clang-tidy 14: the checks of .clang-tidy | clang-tidy-14 clang-14 BUILD MORE
format | clang-format 14: C, headers and kernels | clang-format-14 git
shellcheck | shellcheck: no warning in a script | shellcheck git
codespell | codespell: no misspelt word | codespell git
ruff | ruff: the checks of ruff.toml | python3-venv
mandoc | mandoc: no warning in a manual page | mandoc
groff | groff: no warning in a manual page | groff-base
TABLE
}
BUILD='autoconf automake libtool make pkg-config libc6-dev libgmp-dev check opencl-headers ccache binutils python3 git'
MORE='libpng-dev libmpfr-dev libflint-dev libopenmpi-dev'

skip() {
    echo "skipped: $*"
    exit 77
}

fail() {
    echo "FAILED: $*"
    exit 1
}

# Skips the job if command $1 is not installed.
need() {
    command -v "$1" >/dev/null 2>&1 || skip "$1 is not installed"
}

# Lists the project's files that match the patterns, each terminated by a zero byte.
files() {
    need git
    [ -e "$srcdir/.git" ] || skip 'the sources are not a git checkout'
    git -c safe.directory="$srcdir" ls-files -z -- "$@"
}

# Prints "ccache COMPILER", or the compiler alone if ccache is not installed.
cached() {
    if command -v ccache >/dev/null 2>&1; then echo "ccache $1"; else echo "$1"; fi
}

# Configures the folder $1 for the compiler $2; the remaining arguments are configure's.
configure() {
    folder=$1 compiler=$2
    shift 2
    [ -x "$srcdir/configure" ] || (cd "$srcdir" && autoreconf -fi)
    mkdir -p "$folder"
    cd "$folder"
    [ -f Makefile ] || "$srcdir/configure" -q CC="$(cached "$compiler")" "$@"
}

# Runs make in $build with -Werror. configure does not get this flag, because its own test programs
# would fail with it.
make_all() {
    make -s -C "$build" -j"$processes" CFLAGS='-g -O2 -Werror' "$@"
}

# Builds the library and programs with compiler $1, without a warning. Compares the exported symbols
# with the list of compat/intercept/exports.sh, so that all builds export the same symbols.
build() {
    configure "$build" "$@"
    make_all
    CC=$1 abs_top_srcdir=$srcdir abs_top_builddir=$build sh "$srcdir/tests/programs/test_exports.sh"
}

# Builds all test programs of $build, without a warning, and runs tests.
run_tests() {
    make_all check TESTS=
    make_all check TESTS="$*"
}
host_tests='tests/unit/algorithms/test_divide tests/unit/algorithms/test_theory tests/unit/base/test_conf
    tests/unit/base/test_extents tests/unit/base/test_profile tests/unit/fixed/test_fixed tests/unit/multiply/test_plan'

compiler_job() {
    need "$1"
    build "$@" --without-cuda --with-opencl=yes
    # shellcheck disable=SC2086 # a list of words
    run_tests tests/programs/test_hardening.sh $host_tests
}

job_gcc() {
    compiler_job gcc-12
}

job_clang() {
    compiler_job clang-14
}

job_gcc_13() {
    if command -v gcc-13 >/dev/null 2>&1; then
        compiler_job gcc-13
    else
        in_debian_13 gcc-13
    fi
}

# Runs job $1 in a chroot of Debian 13, in a separate mount namespace, so that the mounts disappear
# when the job ends.
in_debian_13() {
    root=${MATRIX_ROOT:-$builds/debian-13}
    need mmdebstrap
    need unshare
    [ "$(id -u)" = 0 ] || skip "no $1, and a chroot needs root"
    if [ ! -e "$root/complete" ]; then
        mkdir -p "$builds"
        mmdebstrap --variant=minbase --include="$(packages_of "$1" | tr ' ' ,)" trixie "$root" \
            "${MIRROR:-http://deb.debian.org/debian}"
        : >"$root/complete"
    fi
    CCACHE_DIR=${CCACHE_DIR:-$HOME/.cache/ccache}
    export CCACHE_DIR srcdir builds
    mkdir -p "$CCACHE_DIR"
    # shellcheck disable=SC2016 # the inner shell's
    unshare --mount sh -euc '
        root=$1
        shift
        for folder in /proc /dev "$CCACHE_DIR" "$srcdir" "$builds"; do
            mkdir -p "$root$folder"
            mount --rbind "$folder" "$root$folder"
        done
        exec chroot "$root" "$@"' sh "$root" "$srcdir/tests/matrix/job.sh" --one "$1"
}

job_cuda() {
    need_nvcc
    build gcc --with-cuda="$cuda" --with-opencl=yes
}

job_cuda_alone() {
    need_nvcc
    build gcc --with-cuda="$cuda" --without-opencl
}

# Sets cuda to the CUDA toolkit's folder; skips the job if no toolkit is found.
need_nvcc() {
    nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc) || skip 'nvcc is not installed'
    cuda=$(cd "$(dirname "$nvcc")/.." && pwd)
}

job_bare() {
    build gcc --without-cuda --without-opencl --without-mpi PKG_CONFIG=false \
        ac_cv_header_mpfr_h=no ac_cv_header_flint_fmpz_h=no
}

# Packages with the arm64 libraries. They are unpacked into a folder, so the build machine's own
# packages do not change.
arm64_packages='libc6 libc6-dev linux-libc-dev libgcc-s1 libgmp10 libgmp-dev check libsubunit0 libsubunit-dev
    ocl-icd-libopencl1 opencl-c-headers'

fetch_arm64() {
    [ ! -e "$root/complete" ] || return 0
    need apt-get
    mkdir -p "$root" "$build/apt/lists/partial" "$build/apt/cache/archives/partial" "$build/debs/partial"
    : >"$build/apt/status"
    (
        cd "$build/debs"
        set -- -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$build/apt" \
            -o Dir::State::status="$build/apt/status" -o Dir::Cache="$build/apt/cache" -o APT::Sandbox::User=root
        apt-get "$@" update
        # shellcheck disable=SC2086 # a list of words
        apt-get "$@" download $arm64_packages
        for package in *.deb; do
            dpkg-deb -x "$package" "$root"
        done
    )
    : >"$root/complete"
}

# Prints the unit tests that qemu-user cannot run, each with the reason.
left_out_on_arm64() {
    cat <<'TABLE'
test_no_memory qemu-user ignores the limit of the address space (RLIMIT_AS)
test_signal_guard under qemu-user a signal for the process does not reach its main thread in time
TABLE
}

# Runs programs with the library preloaded, without a device, and compares their output and results
# with those of GMP alone. This covers the interception (PLT) and the library's thread-local data (TLS).
preloaded_on_arm64() {
    # qemu's own option -E would split the value at its comma
    on_arm64="env MPGPU_CONF=backend:none,mul:1,sqr:1,add:1,stats:text qemu-aarch64 -L $root"
    library=$build/.libs/libmpgpu-gmp.so.0
    $on_arm64 "$build/examples/pi" 3000 >"$build/alone.out"
    $on_arm64 -E LD_PRELOAD="$library" "$build/examples/pi" 3000 >"$build/preloaded.out" 2>"$build/preloaded.err"
    cmp "$build/alone.out" "$build/preloaded.out" || fail 'examples/pi prints something else with the library'
    awk '$2 == "mpz_mul" && $3 > 0 { found = 1 } END { exit !found }' "$build/preloaded.err" ||
        fail "no call was intercepted: $(cat "$build/preloaded.err")"
    $on_arm64 -E LD_PRELOAD="$library" "$build/tests/differential/differential" --backend none --sent 0 --count 3000 \
        --max-limbs 200 --threads 3 --seed 1 2>"$build/differential.err" ||
        fail "differential: $(tail -n 20 "$build/differential.err")"
    awk '$2 == "all" && $3 > 1000 { found = 1 } END { exit !found }' "$build/differential.err" ||
        fail "too few calls were intercepted: $(tail -n 1 "$build/differential.err")"
}

job_aarch64() {
    need aarch64-linux-gnu-gcc
    need qemu-aarch64
    root=$builds/arm64
    fetch_arm64
    # pkg-config and mpicc are still the build machine's, so configure must reject libraries that do
    # not link for arm64.
    build "aarch64-linux-gnu-gcc --sysroot=$root" --host=aarch64-linux-gnu --without-cuda --with-opencl=yes
    left_out_on_arm64
    tests=$(tests_on_arm64 | tr '\n' ' ')
    # shellcheck disable=SC2086 # a list of words
    make_all examples/pi tests/differential/differential $tests
    preloaded_on_arm64
    export CK_TIMEOUT_MULTIPLIER=30 # Check's time limits are for a real processor
    make_all -k check-TESTS check_PROGRAMS= LOG_COMPILER="qemu-aarch64 -L $root" TESTS="$tests"
}

# Prints the unit tests that need no device, one a line. A test needs a device if it includes one of
# the headers that find devices.
tests_on_arm64() {
    unit_tests | while read -r name; do
        left_out_on_arm64 | grep -q "^${name##*/} " ||
            grep -q 'support/\(backends\|devices\|session_anew\).h\|fault_.*h"\|_device.h"' "$srcdir/$name.c" ||
            echo "$name"
    done
}

# Prints the unit tests of $build's Makefile, one a line.
unit_tests() {
    # shellcheck disable=SC2016 # make's own $
    printf '%s\n' 'include Makefile' 'list-unit-tests: ; @echo $(UNIT_TESTS)' |
        make -s -C "$build" -f - list-unit-tests | tr ' ' '\n' | grep '^tests/' # drops other output
}

# Runs clang-tidy. It needs the build tree of job clang for config.h and the generated headers. Only
# the library's files are checked with LIBRARY defined.
job_tidy() {
    need clang-tidy-14
    need clang-14
    build=$builds/clang
    configure "$build" clang-14 --without-cuda --with-opencl=yes
    make_all kernels/kernels.def lib/device/launches.h
    tidy "$build/tidy-library" -DLIBRARY='"library"' 'gpu/*.c' 'lib/*.c' 'compat/*.c'
    tidy "$build/tidy-tools" -DBINDIR='"/"' 'tools/*.c' ':(exclude)tools/serve/mpgpu-serve-mpi.c'
}

# Runs clang-tidy from folder $1, with flag $2, on the files that match the remaining patterns.
tidy() {
    mkdir -p "$1"
    printf '%s\n' -std=gnu11 -DHAVE_CONFIG_H -DLIBDIR='"/"' -DLIBDIR_NAME='"lib"' "$2" \
        -I"$build" -I"$srcdir" -I"$srcdir/include" >"$1/compile_flags.txt"
    folder=$1
    shift 2
    cd "$srcdir"
    files "$@" >"$folder/files"
    xargs -0 -r -P "$processes" -n 10 clang-tidy-14 --quiet -p "$folder" --warnings-as-errors='*' <"$folder/files"
}

job_format() {
    clang_format=clang-format-14
    command -v $clang_format >/dev/null 2>&1 || clang_format=clang-format
    need $clang_format
    # Other versions of clang-format break lines differently.
    $clang_format --version | grep -q ' version 14\.' || skip "$($clang_format --version): not version 14"
    files '*.c' '*.h' '*.cc' '*.cl' >"$build.files"
    xargs -0 -r -P "$processes" -n 100 "$clang_format" --dry-run -Werror <"$build.files"
}

job_shellcheck() {
    need shellcheck
    files '*.sh' quickstart .ci/run debian/tests/gp debian/tests/linked >"$build.files"
    xargs -0 -r -P "$processes" -n 20 shellcheck -S warning <"$build.files"
}

job_codespell() {
    need codespell
    files ':!*.svg' ':!*.csv' ':!*.png' ':!COPYING*' >"$build.files"
    xargs -0 codespell <"$build.files"
}

job_ruff() {
    PATH=$PATH:$builds/python/bin
    need ruff
    ruff check "$srcdir"
}

manual_pages() {
    abs_top_srcdir=$srcdir abs_top_builddir=$builds/pages sh "$srcdir/tests/programs/test_$1.sh"
}

job_mandoc() {
    manual_pages mandoc
}

job_groff() {
    manual_pages groff
}

# Prints the Debian packages that job $1 needs, in one line.
packages_of() {
    jobs_table | awk -F ' [|] ' -v job="$1" -v BUILD="$BUILD" -v MORE="$MORE" \
        '$1 == job { sub(/BUILD/, BUILD, $3); sub(/MORE/, MORE, $3); print $3 }'
}

is_job() {
    jobs_table | grep -q "^$1 | "
}

# Prints the CPU seconds that ended child processes have used.
processor_seconds() {
    times >"$builds/times"
    tail -n 1 "$builds/times" | awk -F '[ms ]+' '{ printf "%d", 60 * ($1 + $3) + $2 + $4 }'
}

# Runs job $1 in a subshell and prints its result line; returns the subshell's exit status.
run_job() {
    log=$builds/$1.log
    status=0 begin=$(date +%s)
    processor_seconds >"$builds/before"
    "$srcdir/tests/matrix/job.sh" --one "$1" >"$log" 2>&1 </dev/null || status=$?
    processor_seconds >"$builds/after"
    seconds="$(($(date +%s) - begin)) s, processors $(($(cat "$builds/after") - $(cat "$builds/before"))) s"
    case $status in
    0) echo "passed: $1 ($seconds)" ;;
    77) echo "$1: $(tail -n 1 "$log")" ;;
    *)
        tail -n 40 "$log"
        echo "FAILED: $1 ($seconds), $log"
        status=1
        ;;
    esac
    return $status
}

for job; do
    case $job in
    --*) ;;
    *) is_job "$job" || fail "there is no job '$job'; job.sh --list prints them" ;;
    esac
done
case ${1-} in
--list) jobs_table ;;
--install)
    shift
    for job; do
        packages_of "$job"
    done | xargs env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends
    mkdir -p "$builds"
    case " $* " in *' ruff '*) "$srcdir/tests/support/from-pypi.sh" "$builds/python" ruff ;; esac
    ;;
--one)
    job=$2
    build=$builds/$job
    cd "$srcdir"
    "job_$(echo "$job" | tr - _)"
    ;;
-* | '')
    sed -n 's/^# //; 3,11p' "$0"
    exit 2
    ;;
*)
    mkdir -p "$builds"
    outcome=0
    for job; do
        status=0
        run_job "$job" || status=$?
        [ $status -eq 0 ] || [ $outcome -eq 1 ] || outcome=$status
    done
    exit $outcome
    ;;
esac
