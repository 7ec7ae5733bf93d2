#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# embed-fatbins.sh SOURCE_DIR FOLDER: print a C file that holds FOLDER/ID.fatbin for
# every program ID of kernels/programs.def.  The assembler reads the files when the
# C file is compiled, relative to the folder that the compiler runs in.
set -eu
dir=$1 folder=$2
ids=$(sh "$dir/kernels/programs.sh" | cut -d' ' -f1)

echo "/* Made by kernels/embed-fatbins.sh. */"
echo '#include "gpu/cuda_fatbins.h"'
for id in $ids; do
    cat <<END
__asm__(".pushsection .rodata.zlarge,\"a\",%progbits\\n"
        ".balign 64\\n"
        ".globl mpgpu_fatbin_$id\\n"
        ".hidden mpgpu_fatbin_$id\\n"
        "mpgpu_fatbin_$id:\\n"
        ".incbin \"$folder/$id.fatbin\"\\n"
        ".popsection");
extern const unsigned char mpgpu_fatbin_${id}[];
END
done
echo 'const struct gpu_fatbin gpu_fatbins[GPU_PROGRAMS] = {'
for id in $ids; do
    echo "    [GPU_PROGRAM_$id] = {\"$id\", mpgpu_fatbin_$id},"
done
echo '};'
