#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# quickstart must run configure in a fresh clone.  It must run configure again, with the same
# options, after an optional package was installed or removed.  The compiler, make and the Autotools
# are mocks here.
. "$(dirname "$0")/../support/common.sh"
[ -f "$srcdir/quickstart" ] || skip 'no quickstart in this package'
top=$work/top
bin=$work/bin
there=$work/there # the headers, modules and commands that the mocks report as installed
calls=$work/calls
mkdir -p "$top" "$bin" "$there" "$work/vendors"
: >"$work/vendors/one.icd"
cp "$srcdir/quickstart" "$top"
for tool in sh env cat cmp mkdir rm mv tr ls id dirname nproc sed grep tail touch date awk; do
    path=$(command -v $tool) || skip "$tool is not installed"
    ln -s "$path" "$bin/$tool"
done

# stand_in PATH: creates a mock command with the text of standard input.
stand_in() {
    { echo "#!/bin/sh" && cat; } >"$1"
    chmod +x "$1"
}
for tool in autoconf automake libtoolize; do
    echo exit 0 | stand_in "$bin/$tool"
done
echo 'echo "libOpenCL.so.1 (libc6)"' | stand_in "$bin/ldconfig"
stand_in "$bin/cc" <<E2
header=\$(sed -n 's/.*<\(.*\)>.*/\1/p')
case \$header in stdio.h | gmp.h | CL/cl.h) exit 0 ;; esac
[ -e "$there/\$(echo "\$header" | tr / _)" ]
E2
stand_in "$bin/pkg-config" <<E2
[ -e "$there/\$2" ]
E2
echo "echo make >>$calls" | stand_in "$bin/make"
stand_in "$bin/autoreconf" <<E2
cat configure.new >configure && touch Makefile.in
/bin/chmod +x configure
E2
: >"$top/configure.ac"
: >"$top/Makefile.am"
stand_in "$top/configure.new" <<E2
echo configure "\$@" >>$calls
: >Makefile
echo "#!/bin/sh" >config.status
echo "[ \\"\\\${1-}\\" != --recheck ] || echo recheck >>$calls; touch Makefile" >>config.status
/bin/chmod +x config.status
E2

# Runs `quickstart check`; $1 describes the case. The calls of configure so far must be the list $2.
check() {
    (cd "$top" && PATH=$bin OCL_ICD_VENDORS=$work/vendors sh ./quickstart check) >"$work/out" 2>&1 ||
        fail "$1: exit status $?: $(cat "$work/out")"
    got=$(grep -v '^make' "$calls" | tr '\n' ',')
    [ "$got" = "$2" ] || fail "$1: configured $got, not $2"
}
first='configure --with-cuda-targets=fewest'
check 'a fresh clone' "$first,"
check 'nothing has changed' "$first,"
: >"$there/check"
check 'libcheck has come' "$first,recheck,"
check 'nothing has changed since' "$first,recheck,"
: >"$there/mpfr.h"
: >"$there/ompi-c"
check 'MPFR and MPI have come' "$first,recheck,recheck,"
rm "$there/check"
check 'libcheck is gone' "$first,recheck,recheck,recheck,"
# If the user has configured the build tree, its options are kept.
rm "$top/build/quickstart.found"
check 'a build tree of another configure' "$first,recheck,recheck,recheck,recheck,"
echo 'passed'
