/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Only in the library: the kernels' data, behind all other constants (lib/base/started.h).  The
 * assembler reads the file, relative to the folder that the compiler runs in. */
__asm__(".pushsection .rodata.zlarge,\"a\",%progbits\n"
        ".balign 64\n"
        ".globl gpu_images_here\n"
        ".hidden gpu_images_here\n"
        "gpu_images_here:\n"
        ".incbin \"kernels/images.bin\"\n"
        ".popsection");
