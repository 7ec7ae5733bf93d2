/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The kernels as data: fatbins for CUDA, source texts for OpenCL. One file, images.bin, contains
 * them; kernels/pack.sh writes this file and its index, kernels/index.c. A process that opens a
 * driver maps the file. */
#ifndef MPGPU_IMAGES_H
#define MPGPU_IMAGES_H

#include <stddef.h>
#include <stdint.h>

#include "gpu/gpu.h"

/* Bytes of the head of images.bin; `place` in the tables below is an offset from the file's
 * beginning. */
enum { IMAGES_HEAD = 64 };
/* The first 16 bytes of images.bin, with the final 0; gpu_images_id follows. */
#define IMAGES_MAGIC "mpgpu kernels:\n"

/* The part of the head of images.bin after IMAGES_MAGIC. It identifies a build of the library. */
extern const char gpu_images_id[IMAGES_HEAD - sizeof IMAGES_MAGIC];
extern const size_t gpu_images_size; /* with the head */

/* The offset of a program's fatbin in images.bin. Without the CUDA backend, names are empty. The
 * struct has no pointers, which the loader would have to relocate in every process. */
struct gpu_fatbin {
    char name[32]; /* the program's id */
    uint32_t place;
};
extern const struct gpu_fatbin gpu_fatbins[GPU_PROGRAMS];

struct gpu_source {
    char name[32];    /* the program's id */
    char defines[64]; /* compiler options, "-Dx=1 ..." */
    uint32_t place;   /* offset of the source text, which ends with a 0 */
    uint32_t length;
};
extern const struct gpu_source gpu_sources[GPU_PROGRAMS];

/* The common beginning of the source texts of programs generated at run time (struct gpu_text).
 * It ends with a 0. */
extern const struct gpu_template { uint32_t place, length; } gpu_template;

/* Returns the head of the mapped file of images. The first call finds the file and maps it for
 * the life of the process. The file must be from this build, and belong to root or to the owner
 * of this library or program. If there is none, returns NULL, and gpu_error_text() has the
 * reason. Any thread may call it.
 *
 * The search begins in the folder of this library or program, and in the three folders above it.
 * In each of these four, the file may be in kernels/ (of a build tree), in mpgpu-gmp/, or in the
 * folder mpgpu-gmp/ inside lib/ or the configured lib64/. Then comes the installation folder. A
 * set-user-ID program searches only the installation folder. */
const unsigned char *gpu_images(void);

/* Maps the file `path` and returns the head of the data. Returns NULL if the file does not exist,
 * is from another build, belongs neither to `owner` nor to root, or is writable for others. */
const unsigned char *gpu_images_map(const char *path, unsigned owner);

#endif
