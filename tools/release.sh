#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# release.sh SOURCE_DIR VERSION [MAKE]: checks that the source tree is the tagged release VERSION.
# Then builds and tests its tarball by "MAKE distcheck" in the current folder, a build tree.  See
# HACKING.md, Releases.
set -eu
srcdir=$1 version=$2 make=${3:-make}
broken=0

wrong() {
    echo "release: $*" >&2
    broken=1
}

in_sources() {
    git -C "$srcdir" "$@"
}

# Checks that file $1 has a line that matches $2, an extended regular expression.  VERSION in it
# stands for the version.
has_version() {
    line=$(printf '%s\n' "$2" | sed "s/VERSION/$(printf '%s' "$version" | sed 's/\./\\\\./g')/")
    grep -qE "$line" "$srcdir/$1" || wrong "$1 does not have version $version"
}

has_version configure.ac '^AC_INIT\(\[mpgpu-gmp\], \[VERSION\]\)'
has_version README.md '^Version VERSION '
has_version CHANGELOG.md '^## \[VERSION\] - [0-9]{4}-[0-9]{2}-[0-9]{2}$'
has_version debian/changelog '^mpgpu-gmp \(VERSION(-[0-9.]+)?\) '
has_version python/pyproject.toml '^version = "VERSION"'
has_version doc/packaging/conda/meta.yaml 'set version = "VERSION"'

# Changes under Unreleased belong to a later release, so there may be none.
sed -n '/^## \[Unreleased\]/,/^## \[[0-9]/p' "$srcdir/CHANGELOG.md" | grep -q '^- ' &&
    wrong 'CHANGELOG.md has entries under Unreleased'

[ -z "$(in_sources status --porcelain)" ] || wrong 'the tree has changes that are not committed'
tagged=$(in_sources rev-parse -q --verify "refs/tags/v$version^{commit}" || true)
if [ -z "$tagged" ]; then
    wrong "there is no tag v$version"
elif [ "$tagged" != "$(in_sources rev-parse HEAD)" ]; then
    wrong "tag v$version is at another commit"
fi
[ $broken -eq 0 ] || exit 1

"$make" distcheck
sha256sum "mpgpu-gmp-$version.tar.gz"
