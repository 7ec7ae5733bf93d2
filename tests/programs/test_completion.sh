#!/bin/bash
# SPDX-License-Identifier: LGPL-3.0-or-later
# Tests completion in bash: options as --help lists them, and programs for mpgpu-run.
. "$(dirname "$0")/../support/common.sh"
file=$srcdir/tools/completions/mpgpu.bash
[ -f "$file" ] || skip 'no sources here'
# shellcheck source=/dev/null
. "$file"
PATH=$builddir/tools:$PATH

# words WANTED WORD...: completing the last WORD must give WANTED; '' stands for no completion.
words() {
    wanted=$1
    shift
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _mpgpu "$1"
    [ "${COMPREPLY[*]}" = "$wanted" ] || fail "$*: '${COMPREPLY[*]}', not '$wanted'"
}
words '--stats --stats-file' mpgpu-run --st
words '--require-device' mpgpu-run --stats --req
words '' mpgpu-run --backend no
words 'mpgpu-info' mpgpu-run --backend none mpgpu-inf
words 'mpgpu-info' mpgpu-run --stats = json --stats-file x mpgpu-inf
words '' mpgpu-run --profile mpgpu-info --de
words '--build --device --help --version' mpgpu-info -
words '--sizes' mpgpu-bench table --siz
for tool in run info serve tune bench; do
    complete -p mpgpu-$tool | grep -q -- '-F _mpgpu' || fail "mpgpu-$tool is not completed"
    [ -n "$(compgen -W "$(mpgpu-$tool --help | grep -oE -- '--[a-z-]+')" -- --h)" ] || fail "mpgpu-$tool lists no option"
done
