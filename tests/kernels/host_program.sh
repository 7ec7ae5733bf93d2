#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Prints a kernel program as host C.
# Usage, in the build folder: host_program.sh CC SOURCE_DIR FORM_ID
#
# ID is a program of kernels/programs.def, or the file ID.cl in this script's folder. FORM is host
# or cluster (host_backend.h); a program without a cluster form is the same in both.
#
# The output includes the program's file. For each kernel, it defines a function that calls the
# kernel with a launch's arguments. FORM_ID() returns the table of these functions. The script
# finds the kernels in the preprocessed program.
set -eu
cc=$1
source=$2
name=$3
form=${name%%_*}
id=${name#*_}
entry=$(sh "$source/kernels/programs.sh" "$id" | cut -d' ' -f2-)
file=kernels/${entry%% *}
defines=${entry#* }
[ -n "$entry" ] || file=tests/kernels/$id.cl
[ "$form" = host ] || defines="$defines -DHOST_CLUSTER"

# The preprocessed program in one line; in it each kernel's declaration reads "host_entry[threads,
# groups] name(...)".
# shellcheck disable=SC2086
text=$($cc -std=c11 -E -P -DHOST_ENTRIES $defines -I. -I"$source" \
    -include "$source/tests/kernels/host_kernel.h" -x c "$source/$file" | tr '\n' ' ')

echo "/* Made by tests/kernels/host_program.sh. */"
case $form$(echo "$text" | sed 's/.*void \*host_memory//') in
host* | *host_ballot* | *host_exchange* | *host_multiply* | *host_barrier_cluster*) ;;
*)
    echo '#include "tests/kernels/host_kernel.h"'
    echo "const struct host_kernel *host_$id(void);"
    echo "const struct host_kernel *$name(void);"
    echo "const struct host_kernel *$name(void) { return host_$id(); }"
    exit 0
    ;;
esac
for define in $defines; do
    echo "$define" | sed -n 's/^-D\([^=]*\)=*\(.*\)/#define \1 \2/p'
done
echo '#include "tests/kernels/host_kernel.h"'
echo "#include \"$file\""
echo "$text" | sed 's/host_entry/\n&/g' |
    sed -n 's/^host_entry *\[\([^]]*\)\] *\([a-z0-9_]*\) *(\([^)]*\)).*/\2@\1@\3/p' |
    awk -F @ -v name="$name" '{
        count = split($3, parameter, ",")
        print "static void call_" $1 "(const struct gpu_arg *args) {"
        printf "    %s(", $1
        for (i = 1; i <= count; i++) {
            take = parameter[i] ~ /\*/ ? "memory" : parameter[i] ~ /u64/ ? "u64" : "u32"
            printf "%shost_%s(&args[%d])", (i > 1 ? ", " : ""), take, i - 1
        }
        print ");\n}"
        table = table "    {\"" $1 "\", " $2 ", " count ", call_" $1 "},\n"
    }
    END {
        print "static const struct host_kernel kernels[] = {\n" table "    {0}};"
        print "const struct host_kernel *" name "(void);"
        print "const struct host_kernel *" name "(void) { return kernels; }"
    }'
