#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# embed-fatbins.sh SOURCE_DIR FOLDER: print a C file that holds FOLDER/ID.fatbin for
# every program ID of kernels/programs.def, without pointers (lib/base/started.h).  The
# assembler reads the files when the C file is compiled, relative to the folder that the
# compiler runs in.
set -eu
dir=$1 folder=$2
ids=$(sh "$dir/kernels/programs.sh" | cut -d' ' -f1)

echo "/* Made by kernels/embed-fatbins.sh. */"
echo '#include "gpu/cuda_fatbins.h"'
cat <<END
__asm__(".pushsection .rodata.zlarge,\"a\",%progbits\\n" /* behind all other constants: lib/base/started.h */
        ".balign 64\\n"
        ".globl gpu_fatbin_images\\n"
        ".hidden gpu_fatbin_images\\n"
        "gpu_fatbin_images:\\n"
END
for id in $ids; do
    cat <<END
        ".balign 64\\n"
        ".Lmpgpu_fatbin_$id:\\n"
        ".incbin \"$folder/$id.fatbin\"\\n"
END
done
cat <<END
        ".balign 4\\n"
        ".globl gpu_fatbin_places\\n"
        ".hidden gpu_fatbin_places\\n"
        "gpu_fatbin_places:\\n"
END
for id in $ids; do
    cat <<END
        ".long .Lmpgpu_fatbin_$id - gpu_fatbin_images\\n"
END
done
echo '        ".popsection");'
echo 'const struct gpu_fatbin gpu_fatbins[GPU_PROGRAMS] = {'
number=0
for id in $ids; do
    echo "    [GPU_PROGRAM_$id] = {\"$id\", $number},"
    number=$((number + 1))
done
echo '};'
