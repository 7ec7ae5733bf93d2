#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# embed-sources.sh SOURCE_DIR: print a C file that holds the OpenCL source of every
# program in kernels/programs.def.  #include "x" is replaced by the file x of SOURCE_DIR,
# each file once, with #line directives, so that a driver's messages name the
# file and line.  The text is an array of numbers, since C limits the length of
# a string literal.
# embed-sources.sh SOURCE_DIR FILE: that of one header of kernels/, for gpu/texts.h.
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

# Standard input as bytes of an array, with a 0 at its end.
bytes() {
    od -An -v -tu1 | sed 's/^ *//; s/  */,/g; s/$/,/'
    echo '0,'
}

if test $# -gt 1; then
    text=$(flatten "kernels/$2")
    echo "/* Made by kernels/embed-sources.sh. */"
    echo '#include "gpu/texts.h"'
    echo 'const unsigned char gpu_template_text[] __attribute__((section(".rodata.zlarge"))) = {'
    printf '%s\n' "$text" | bytes
    echo '};'
    echo 'const size_t gpu_template_length = sizeof gpu_template_text - 1;'
    exit
fi

entries=$(sh "$dir/kernels/programs.sh")
files=$(echo "$entries" | cut -d' ' -f2 | sort -u)

echo "/* Made by kernels/embed-sources.sh. */"
echo '#include "gpu/opencl_sources.h"'
echo '/* Behind all other constants (lib/base/started.h). */'
echo 'const unsigned char gpu_source_texts[] __attribute__((section(".rodata.zlarge"))) = {'
places= begin=0
for file in $files; do
    text=$(flatten "kernels/$file")
    printf '%s\n' "$text" | bytes
    length=$(printf '%s\n' "$text" | wc -c)
    places="$places$file $begin $((length))
"
    begin=$((begin + length + 1))
done
echo '};'
echo 'const struct gpu_source gpu_sources[GPU_PROGRAMS] = {'
echo "$entries" | while read -r id file defines; do
    place=$(echo "$places" | sed -n "s|^$file \\([0-9]*\\) \\([0-9]*\\)$|\\1, \\2|p")
    echo "    [GPU_PROGRAM_$id] = {\"$id\", \"$defines\", $place},"
done
echo '};'
