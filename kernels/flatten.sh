#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# flatten.sh SOURCE_DIR FILE: prints FILE with the files that it includes. Replaces #include "x" by
# the file x of SOURCE_DIR, each file once. Adds #line directives, so that a compiler's messages
# name the file and line. Contracts for Frama-C (comments that begin with an at-sign) become empty
# lines.
set -eu
LC_ALL=C # ranges such as [a-z] and the order of lines depend on the locale
export LC_ALL
dir=$1
awk -v dir="$dir" '
function put(name,    path, line, number, other, got) {
    seen[name] = 1
    path = dir "/" name
    print "#line 1 \"" name "\""
    while ((got = (getline line < path)) > 0) {
        number++
        if (line ~ /^[ \t]*\/\*@/)
            in_contract = 1
        if (in_contract || line ~ /^[ \t]*\/\/@/) {
            in_contract = in_contract && line !~ /\*\//
            print ""
            continue
        }
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
        print "flatten.sh: cannot read " path > "/dev/stderr"
        exit 1
    }
    close(path)
}
BEGIN { put("'"$2"'") }'
