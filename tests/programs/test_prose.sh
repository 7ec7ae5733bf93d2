#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Checks that comments and Markdown documents use plain technical English: no wording of the list
# prose/patterns, and no sentence of more than 30 words.  Prints FILE:LINE: the words, and what to
# write instead.  Arguments name files to read instead of all.  Not checked: doc/measurements and
# CHANGELOG.md, which are dated records, and generated files.
. "$(dirname "$0")/../support/common.sh"
need_command python3
cd "$srcdir" || exit 1
[ -f README.md ] || skip "no sources here: no README.md in $srcdir"
prose=tests/programs/prose

# Checks the files "$@", or the files that standard input names.  Sets status, and writes the
# findings to $work/found.
check() {
    status=0
    python3 $prose/prose.py $prose/patterns 30 "$@" >"$work/found" || status=$?
}

# The check must find each pattern's example, in a C comment, in a shell comment and in Markdown.
sed '/^#/d' $prose/patterns | cut -f 3 >"$work/examples"
count=$(wc -l <"$work/examples")
[ "$count" -gt 20 ] || fail "$count patterns with an example"
sed 's,.*,/* & */,' "$work/examples" >"$work/bad.c"
sed 's,.*,# &\n,' "$work/examples" >"$work/bad.sh"
sed 's,.*,&\n,' "$work/examples" >"$work/bad.md"
for bad in "$work/bad.c" "$work/bad.sh" "$work/bad.md"; do
    check "$bad"
    [ $status -eq 1 ] || fail "status $status for $bad"
    sed 's/^[^:]*:\([0-9]*\):.*/\1/' "$work/found" | uniq | wc -l | grep -qx "$count" ||
        fail "$bad: not $count examples found: $(cat "$work/found")"
done

# The check must find a pattern that a line break divides, and a sentence of 31 words.  It must
# ignore code and literals.
words="$(seq -s ' ' 29)"
cat >"$work/bad.c" <<TEXT
/* The one
 * that failed.  $words two words. */
TEXT
check "$work/bad.c"
sed 's/.*bad.c:/bad.c:/; s/: write.*//' "$work/found" >"$work/lines"
cat >"$work/wanted" <<TEXT
bad.c:1: "The one that"
bad.c:2: 31 words: "1 2 3 4 5 6 ..."
TEXT
diff "$work/wanted" "$work/lines" || fail 'the sample of two lines'
cat >"$work/good.c" <<TEXT
/* session_go_on() continues if \`tells\` is set.  $words words. */
const char *text = "/* meanwhile"; int lets;
TEXT
check "$work/good.c"
[ $status -eq 0 ] || fail "found in a file without such wording: $(cat "$work/found")"

# Selects the files written by hand: generated sources have no license in their first lines.
if [ $# -gt 0 ]; then
    printf '%s\n' "$@"
else
    find Makefile.am include kernels gpu lib compat tools examples tests \
        \( -name '*.[ch]' -o -name '*.cl' -o -name '*.cc' -o -name '*.def' -o -name '*.sh' -o -name '*.am' \) \
        -exec awk 'FNR <= 2 && /SPDX/ { print FILENAME } FNR == 2 { nextfile }' {} +
    find ./*.md .github debian doc python tests -name '*.md' ! -path 'doc/measurements/*' ! -path ./CHANGELOG.md
fi | sed 's,^\./,,' | sort -u >"$work/read"
check <"$work/read"
cat "$work/found"
[ $status -eq 0 ] || fail "$(wc -l <"$work/found") findings in $(wc -l <"$work/read") files"
echo "$(wc -l <"$work/read") files"
