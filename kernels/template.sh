#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# template.sh SOURCE_DIR FILE: print a C file with the text of a header of kernels/ and all that it
# includes, for gpu/kernels.h.
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

text=$(flatten "kernels/$2")
echo "/* Made by kernels/template.sh. */"
echo '#include "gpu/kernels.h"'
echo 'const unsigned char gpu_template_text[] __attribute__((section(".rodata.zlarge"))) = {'
printf '%s\n' "$text" | od -An -v -tu1 | sed 's/^ *//; s/  */,/g; s/$/,/'
echo '0};'
echo 'const size_t gpu_template_length = sizeof gpu_template_text - 1;'
