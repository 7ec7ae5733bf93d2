#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# tools/release.sh must refuse a tree that is not a tagged release, and otherwise make its tarball.
# The tree is a small mock, and so is "make distcheck".
. "$(dirname "$0")/../support/common.sh"
need_command git
need_command sha256sum
[ -f "$srcdir/tools/release.sh" ] || skip 'no tools/release.sh in this package'
tree=$work/tree
mkdir -p "$tree/debian" "$tree/python" "$tree/doc/packaging/conda" "$work/build"
GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
export GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL

cat >"$work/make" <<'E2'
#!/bin/sh
[ "$*" = distcheck ] || exit 9
echo tarball >mpgpu-gmp-1.2.3.tar.gz
E2
chmod +x "$work/make"

# Writes the version $1 into the files that name it.
set_version() {
    echo "AC_INIT([mpgpu-gmp], [$1])" >"$tree/configure.ac"
    echo "Version $1 (new), licence" >"$tree/README.md"
    printf '%s\n' '## [Unreleased]' "## [$1] - 2026-11-27" '- New.' '## [0.0.1] - 2026-01-01' >"$tree/CHANGELOG.md"
    echo "mpgpu-gmp ($1) unstable" >"$tree/debian/changelog"
    echo "version = \"$1\"" >"$tree/python/pyproject.toml"
    echo "{% set version = \"$1\" %}" >"$tree/doc/packaging/conda/meta.yaml"
}

commit() {
    git -C "$tree" add -A
    git -C "$tree" commit -qm "$1"
}

release() {
    status=0
    (cd "$work/build" && sh "$srcdir/tools/release.sh" "$tree" 1.2.3 "$work/make") >"$work/out" 2>"$work/err" || status=$?
}

# release.sh must stop before it builds, with a message that contains $1.
refused() {
    rm -f "$work/build"/*
    release
    [ $status -eq 1 ] || fail "status $status instead of 1: $1"
    grep -q "^release: .*$1" "$work/err" || fail "no word of '$1': $(cat "$work/err")"
    [ -z "$(ls "$work/build")" ] || fail "built although $1"
}

git init -q "$tree"
set_version 1.2.3
commit first
refused 'there is no tag v1.2.3'
git -C "$tree" tag v1.2.3
release
[ $status -eq 0 ] || fail "a release is refused: $(cat "$work/err")"
grep -q 'mpgpu-gmp-1.2.3.tar.gz' "$work/out" || fail "no checksum: $(cat "$work/out")"

echo more >"$tree/file"
refused 'changes that are not committed'
commit second
refused 'tag v1.2.3 is at another commit'

git -C "$tree" tag -f v1.2.3 >"$work/log"
for file in configure.ac README.md CHANGELOG.md debian/changelog python/pyproject.toml doc/packaging/conda/meta.yaml; do
    sed -i 's/1\.2\.3/1.2x3/' "$tree/$file"
    commit "$file"
    git -C "$tree" tag -f v1.2.3 >"$work/log"
    refused "$file does not have version 1.2.3"
    set_version 1.2.3
    commit 'again'
    git -C "$tree" tag -f v1.2.3 >"$work/log"
done
sed -i 's/^## \[Unreleased\]$/&\n- Later./' "$tree/CHANGELOG.md"
commit later
git -C "$tree" tag -f v1.2.3 >"$work/log"
refused 'entries under Unreleased'
