#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# embed-sources.sh SOURCE_DIR: print a C file that holds the OpenCL source of every
# program in kernels/programs.def.  #include "x" is replaced by the file x of SOURCE_DIR,
# each file once, with #line directives, so that a driver's messages name the
# file and line.  The text is an array of numbers, since C limits the length of
# a string literal.
set -eu
dir=$1

# flatten FILE: FILE with what it includes.
flatten() {
    awk -v dir="$dir" '
    function put(name,    path, line, number, other, got) {
        seen[name] = 1
        path = dir "/" name
        print "#line 1 \"" name "\""
        while ((got = (getline line < path)) > 0) {
            number++
            if (line ~ /^[ \t]*#[ \t]*include[ \t]*"/) {
                split(line, part, "\"")
                other = part[2]
                if (!(other in seen))
                    put(other)
                print "#line " number + 1 " \"" name "\""
            } else
                print line
        }
        if (got < 0) {
            print "embed-sources.sh: cannot read " path > "/dev/stderr"
            exit 1
        }
        close(path)
    }
    BEGIN { put("'"$1"'") }'
}

# array NAME: standard input as an array of bytes with a 0 at its end.
array() {
    echo "static const unsigned char $1[] = {"
    od -An -v -tu1 | sed 's/^ *//; s/  */,/g; s/$/,/'
    echo "0};"
}

# The name of the array of a file.
array_name() {
    echo "source_$1" | sed 's/[^A-Za-z0-9_]/_/g'
}

entries=$(sh "$dir/kernels/programs.sh")

echo "/* Made by kernels/embed-sources.sh. */"
echo '#include "gpu/opencl_sources.h"'
echo "$entries" | cut -d' ' -f2 | sort -u | while read -r file; do
    text=$(flatten "kernels/$file")
    printf '%s\n' "$text" | array "$(array_name "$file")"
done
echo 'const struct gpu_source gpu_sources[GPU_PROGRAMS] = {'
echo "$entries" | while read -r id file defines; do
    name=$(array_name "$file")
    echo "    [GPU_PROGRAM_$id] = {\"$id\", \"$defines\", $name, sizeof $name - 1},"
done
echo '};'
