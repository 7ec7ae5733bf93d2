#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# heads.sh CC SOURCE_DIR: prints a line "PROGRAM|DEFINE|KERNEL|THREADS|SIMD_THREADS|PARAMETERS|BYTES"
# for every kernel of every program in kernels/programs.def, from the kernel's preprocessed
# declaration. THREADS, the work-items of a group, is a C expression. SIMD_THREADS is the same
# expression if ON_CPU is defined, or 0 for a kernel that is not compiled then. PARAMETERS is "KIND
# NAME, ..."; KIND is mem, read (memory that the kernel only reads), u32 or u64. BYTES is that of
# KERNEL_LARGE (kernels/common/platform.h), or 0.
set -eu
LC_ALL=C # ranges such as [a-z] and the order of lines depend on the locale
export LC_ALL
cc=$1
source=$2

# heads FILE OPTION...: prints a line "KERNEL|THREADS|PARAMETERS|BYTES" for each kernel of a file.
heads() {
    file=$source/kernels/$1
    shift
    # shellcheck disable=SC2086 # CC may be several words
    text=$($cc -std=c11 -E -P -DKERNEL_HEADS "$@" -I"$source" -x c "$file") || return 1
    echo "$text" | tr '\n' ' ' | sed 's/kernel_head/\n&/g' | awk '/^kernel_head/ {
        if (!match($0, /^kernel_head *\[[^]]*\] *[a-z0-9_]+ *\([^()]*\)/)) {
            print "heads.sh: no head of a kernel: " substr($0, 1, 200) > "/dev/stderr"
            exit 1
        }
        split(substr($0, 1, RLENGTH - 1), part, /[][]/)
        gsub(/ /, "", part[2])
        large = split(part[2], size, ",") > 1 ? size[2] : 0
        name = list = part[3]
        sub(/^[^(]*\(/, "", list)
        sub(/\(.*/, "", name)
        gsub(/ /, "", name)
        line = name "|" size[1] "|"
        count = split(list, parameter, ",")
        for (i = 1; i <= count; i++) {
            kind = parameter[i] ~ /const [^*]*\*/ ? "read" : parameter[i] ~ /\*/ ? "mem" : \
                parameter[i] ~ /^ *u(32|64) / ? parameter[i] : ""
            if (!kind) {
                print "heads.sh: " name ": no pointer, u32 or u64: " parameter[i] > "/dev/stderr"
                exit 1
            }
            sub(/^ */, "", kind)
            sub(/ .*/, "", kind)
            sub(/.*[ *]/, "", parameter[i])
            line = line (i > 1 ? ", " : "") kind " " parameter[i]
        }
        print line "|" large
    }'
}

# Preprocesses each program without and with ON_CPU, and joins the two lines of each kernel to one.
# Both lines must have the same kinds of parameters.
sh "$source/kernels/programs.sh" | while read -r program file define; do
    simd=$(heads "$file" ${define:+"$define"} -DON_CPU)
    plain=$(heads "$file" ${define:+"$define"})
    printf '%s\n\n%s\n' "$simd" "$plain" |
        awk -F '|' -v program="$program" -v define="${define#-D}" '
        function kinds(list) {
            gsub(/ [a-z0-9_]+/, "", list)
            return list
        }
        NF == 0 { is_plain = 1; next }
        !is_plain { threads[$1] = $2; parameters[$1] = kinds($3); next }
        $1 in threads && parameters[$1] != kinds($3) {
            print "heads.sh: " program ": " $1 " takes something else with ON_CPU" > "/dev/stderr"
            exit 1
        }
        { print program "|" define "|" $1 "|" $2 "|" ($1 in threads ? threads[$1] : 0) "|" $3 "|" $4; found = 1 }
        END { exit !found }'
done
