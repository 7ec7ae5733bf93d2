#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# launches.sh list HEADS: prints a line "KERNEL_OF(program, name, threads, simd_threads, takes, bytes)"
# for every line of HEADS, which kernels/heads.sh wrote. gpu/gpu.h and gpu/kernels.c include this list
# of kernels.
# launches.sh functions HEADS: prints a C header with a function launch_NAME for every kernel, which
# takes the kernel's parameters (lib/device/launch.h). If several programs have the kernel,
# `variant` is the value of the define by which they differ.
set -eu
LC_ALL=C # ranges such as [a-z] and the order of lines depend on the locale
export LC_ALL
case $1 in
list)
    echo '/* Made by kernels/launches.sh. */'
    exec awk -F '|' '{
        takes = $6 ", "
        gsub(/mem [^,]*, /, "m", takes)
        gsub(/read [^,]*, /, "r", takes)
        gsub(/u32 [^,]*, /, "w", takes)
        gsub(/u64 [^,]*, /, "l", takes)
        print "KERNEL_OF(" $1 ", " $3 ", " $4 ", " $5 ", \"" takes "\", " $7 ")"
    }' "$2"
    ;;
functions) ;;
*) exit 2 ;;
esac

echo '/* Made by kernels/launches.sh. */'
awk -F '|' '
{
    if ($3 in parameters && parameters[$3] != $6) {
        print "launches.sh: two kernels " $3 " take different arguments" > "/dev/stderr"
        exit failed = 1
    }
    if (!($3 in parameters))
        name[++names] = $3
    parameters[$3] = $6
    id[$3] = "GPU_KERNEL_" $1 "_" $3
    split($2, define, "=")
    if (define[1] != "") {
        variable[$3] = define[1]
        cases[$3] = cases[$3] "    case " define[2] ":\n        kernel = " id[$3] ";\n        break;\n"
    }
}
function put(k,    parameter, part, count, i, type, line, kernel) {
    count = split(parameters[k], parameter, ", ")
    for (i = 1; i <= count; i++) {
        split(parameter[i], part, " ")
        sub(/^read$/, "mem", part[1])
        type = part[1] == "mem" ? "gpu_mem" : part[1] == "u32" ? "uint32_t" : "uint64_t"
        line = line ", " type " " part[2]
        list = (i > 1 ? list ", " : "") "gpu_arg_" part[1] "(" part[2] ")"
    }
    print ""
    if (k in variable)
        print "/* variant: " variable[k] " */"
    print "static inline enum gpu_status launch_" k "(struct context *s, " (k in variable ? "unsigned variant, " : "") \
        "struct launch_groups groups" line ") {"
    print "    const struct gpu_arg args[] = {" list "};"
    kernel = id[k]
    if (k in variable) {
        print "    enum gpu_kernel kernel = GPU_KERNELS;\n    switch (variant) {\n" cases[k] "    }"
        kernel = "kernel"
    }
    print "    return launch_kernel(s, " kernel ", groups, args, " count ");\n}"
}
END {
    if (failed || !names)
        exit 1
    for (i = 1; i <= names; i++)
        put(name[i])
}' "$2"
