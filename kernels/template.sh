#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# template.sh SOURCE_DIR FILE: print a C file with the text of a header of kernels/ and all that it
# includes, for gpu/kernels.h.
set -eu
dir=$1

text=$(sh "$dir/kernels/flatten.sh" "$dir" "kernels/$2")
echo "/* Made by kernels/template.sh. */"
echo '#include "gpu/kernels.h"'
echo 'const unsigned char gpu_template_text[] __attribute__((section(".rodata.zlarge"))) = {'
printf '%s\n' "$text" | od -An -v -tu1 | sed 's/^ *//; s/  */,/g; s/$/,/'
echo '0};'
echo 'const size_t gpu_template_length = sizeof gpu_template_text - 1;'
