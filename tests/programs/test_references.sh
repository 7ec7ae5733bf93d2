#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# Checks that all files, folders and Markdown sections exist to which documents and comments refer.
# In Markdown: paths in backquotes, paths in blocks of code, links.  In manual pages and comments:
# paths from the top of the repository that end in a slash or have a known extension.
# `*`, NAME and FOLDER stand for any name, {a,b} for both names.  A program exists if its source does.
# Prints a reference to something missing as FILE:LINE: TEXT.
. "$(dirname "$0")/../support/common.sh"
cd "$srcdir" || exit 1
[ -f README.md ] || skip "no sources here: no README.md in $srcdir"

# These files are built, so they are not in the repository.
generated='kernels/index.c kernels/images.bin lib/base/profile_texts.c compat/exports.map'
generated="$generated kernels/heads.txt kernels/kernels.def lib/device/launches.h"
generated="$generated tests/home tests/home/mpgpu-gmp/mpgpu.conf"
rooms='lib gpu kernels compat tests tools examples include doc debian python .github'

# shellcheck disable=SC2086 # lists
{
    ls -d ./*
    find $rooms -path tests/home -prune -o -print
} | sed 's,^\./,,' >"$work/files"
while read -r file; do
    case " $generated " in *" $file "*) continue ;; esac
    case $file in
    *.md | doc/*.[137] | *.[ch] | *.cl | *.sh | *.def | *.am | *.ac | *.py) [ -f "$file" ] && echo "$file" ;;
    esac
done <"$work/files" >"$work/read"

cat >"$work/references.awk" <<'AWK'
# Returns true if `path`, which has no braces, exists.
function is_there_plain(path,    glob, file) {
    if (path in generated || path in files || path ".c" in files || path ".in" in files)
        return 1
    sub(/\/$/, "", path)
    if (path !~ /\*/)
        return path in files
    glob = path
    gsub(/\./, "\\.", glob)
    gsub(/\*/, "[^/]*", glob)
    glob = "^" glob "(\\.c)?$"
    for (file in files)
        if (file ~ glob)
            return 1
    return 0
}

# Returns true if the path from the top of the repository exists. In a path, {a,b} stands for both
# words: both paths must exist.
function is_there(path,    before, inside, after, n, i, word) {
    if (!match(path, /\{[^{}]*\}/))
        return is_there_plain(path)
    before = substr(path, 1, RSTART - 1)
    inside = substr(path, RSTART + 1, RLENGTH - 2)
    after = substr(path, RSTART + RLENGTH)
    n = split(inside, word, ",")
    for (i = 1; i <= n; i++)
        if (!is_there(before word[i] after))
            return 0
    return 1
}

function any_name(path) {
    gsub(/NAME|FOLDER/, "*", path)
    return path
}

# Removes punctuation at the end of a path.
function trimmed(path) {
    sub(/[.,:;-]+$/, "", path)
    return path
}

function has_extension(path) {
    return path ~ /\.(c|h|cl|def|sh|md|py|am|ac|1|7|profile|supp)$/
}

function dead(text) {
    print FILENAME ":" FNR ": " text
    count++
}

# Checks that a word that begins with a folder of the repository is an existing path. With `strict`,
# ignores the word unless it ends in a slash or a known extension.
function check_path(path, strict) {
    path = any_name(trimmed(path))
    if (path ~ /\.\.\./ || (strict && !has_extension(path) && path !~ /\/$/))
        return
    if (!is_there(path))
        dead(path)
}

# Checks every path in `text` that begins with a folder of the repository.
function check_text(text, strict,    before, path) {
    while (match(text, room)) {
        before = RSTART > 1 ? substr(text, RSTART - 1, 1) : " "
        path = substr(text, RSTART, RLENGTH)
        text = " " substr(text, RSTART + RLENGTH)
        if (before !~ /[A-Za-z0-9_.\/$}~-]/)
            check_path(path, strict)
    }
}

# Checks a file name without a folder: some file's path must end with it.
function check_name(name,    glob, file) {
    name = any_name(name)
    glob = name
    gsub(/\./, "\\.", glob)
    gsub(/\*/, "[^/]*", glob)
    gsub(/\{/, "(", glob)
    gsub(/\}/, ")", glob)
    gsub(/,/, "|", glob)
    glob = "(^|/)" glob "$"
    for (file in files)
        if (file ~ glob)
            return
    dead(name)
}

function check_span(span) {
    if (span ~ "^" room "$" || span ~ /[ =]/)
        check_text(span, 0)
    else if (span ~ /^[A-Za-z_*{][A-Za-z0-9_.*{},\/-]*$/ && has_extension(span))
        check_name(span)
}

function slug(title) {
    title = tolower(title)
    gsub(/[!-,.\/:-@[-^`{-~]/, "", title)
    gsub(/ /, "-", title)
    return title
}

# Resolves a relative link in FILENAME: "a/b/../c.md" becomes "a/c.md".
function resolved(link,    path) {
    path = FILENAME
    sub(/[^\/]*$/, "", path)
    path = path link
    while (path ~ /(^|\/)[^\/.]+\/\.\.\//)
        sub(/[^\/.]+\/\.\.\//, "", path)
    return path
}

function check_link(link,    mark, path) {
    if (link ~ /^[a-z]+:/)
        return
    mark = index(link, "#")
    path = mark == 1 ? FILENAME : resolved(mark ? substr(link, 1, mark - 1) : link)
    if (!is_there(path))
        dead(link)
    else if (mark) {
        wanted[++links] = path substr(link, mark)
        where[links] = FILENAME ":" FNR ": " link
    }
}

function document(line,    rest, part) {
    if (line ~ /^```/) {
        fenced = !fenced
        return
    }
    if (fenced) {
        check_text(line, 0)
        return
    }
    if (line ~ /^#+ /) {
        sub(/^#+ +/, "", line)
        line = slug(line)
        sections[FILENAME "#" line (seen[FILENAME, line]++ ? "-" seen[FILENAME, line] - 1 : "")] = 1
        return
    }
    for (rest = line; match(rest, /\]\([^) ]*\)/);) {
        part = substr(rest, RSTART + 2, RLENGTH - 3)
        rest = substr(rest, RSTART + RLENGTH)
        check_link(part)
    }
    for (rest = line; match(rest, /(src|srcset|href)="[^" ]*"/);) {
        part = substr(rest, RSTART, RLENGTH - 1)
        rest = substr(rest, RSTART + RLENGTH)
        sub(/^[^"]*"/, "", part)
        check_link(part)
    }
    for (rest = line; match(rest, /^\[[^\]]*\]: [^ ]+/);) {
        part = substr(rest, RSTART, RLENGTH)
        rest = ""
        sub(/^.*\]: /, "", part)
        check_link(part)
    }
    for (rest = line; match(rest, /`[^`]*`/);) {
        part = substr(rest, RSTART + 1, RLENGTH - 2)
        rest = substr(rest, RSTART + RLENGTH)
        check_span(part)
    }
}

# Returns the text of the comments in a line of C.
function c_comment(line,    text, at) {
    text = ""
    for (;;) {
        at = index(line, in_comment ? "*/" : "/*")
        if (in_comment)
            text = text " " (at ? substr(line, 1, at - 1) : line)
        if (!at)
            break
        in_comment = !in_comment
        line = substr(line, at + 2)
    }
    return text
}

function other_comment(line) {
    if (FILENAME ~ /\.py$/ && line ~ /"""/) {
        in_comment = line ~ /""".*"""/ ? in_comment : !in_comment
        return line
    }
    if (in_comment)
        return line
    if (FILENAME ~ /\.ac$/)
        sub(/^ *dnl /, "# ", line)
    return match(line, /(^|[ \t])#/) ? substr(line, RSTART) : ""
}

BEGIN {
    room = "(lib|gpu|kernels|compat|tests|tools|examples|include|doc)/[A-Za-z0-9_.*{},/+-]*"
    n = split(GENERATED, words)
    for (i = 1; i <= n; i++)
        generated[words[i]] = 1
}
LIST == FILENAME {
    files[$0] = 1
    next
}
FNR == 1 {
    fenced = in_comment = 0
}
/seeds[\/]0/ {
    dead("a paper is cited by author, title and year: " $0)
}
FILENAME ~ /\.md$/ {
    document($0)
    next
}
FILENAME ~ /\.[137]$/ {
    check_text($0, 1)
    next
}
{
    check_text(FILENAME ~ /\.(c|h|cl|def)$/ ? c_comment($0) : other_comment($0), 1)
}
END {
    for (i = 1; i <= links; i++)
        if (!(wanted[i] in sections)) {
            print where[i]
            count++
        }
    exit count > 0
}
AWK

# shellcheck disable=SC2046 # names without blanks
LC_ALL=C awk -v LIST="$work/files" -v GENERATED="$generated" -f "$work/references.awk" \
    "$work/files" $(cat "$work/read") >"$work/dead" || {
    cat "$work/dead"
    fail "dead references: $(wc -l <"$work/dead")"
}
echo "$(wc -l <"$work/read") files read: all that they refer to is there"

# Every page must be listed in doc/Makemodule.am, so that a release has it.
for page in doc/*.md doc/design/*.md doc/measurements/*.*; do
    grep -qF "%D%${page#doc}" doc/Makemodule.am || fail "$page is not in doc/Makemodule.am"
done
