/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The kernels as data: fatbins for CUDA, texts for OpenCL.
 *
 * One file, images.bin, contains them; a process that opens a driver maps it. kernels/pack.sh
 * writes the file and its index, kernels/index.c. */
#ifndef MPGPU_IMAGES_H
#define MPGPU_IMAGES_H

#include <stddef.h>
#include <stdint.h>

#include "gpu/gpu.h"

enum { IMAGES_HEAD = 64 }; /* bytes before the data; all places count from the head's begin */
#define IMAGES_MAGIC "mpgpu kernels:\n" /* and a 0: 16 bytes, then gpu_images_id */

/* The head of the data after IMAGES_MAGIC: it differs from build to build. */
extern const char gpu_images_id[IMAGES_HEAD - sizeof IMAGES_MAGIC];
extern const size_t gpu_images_size; /* with the head */

/* Without pointers, as struct gpu_kernel_head.  A backend that is not built has an empty name. */
struct gpu_fatbin {
    char name[32]; /* the program's id */
    uint32_t place;
};
extern const struct gpu_fatbin gpu_fatbins[GPU_PROGRAMS];

struct gpu_source {
    char name[32];    /* the program's id */
    char defines[64]; /* build options, "-Dx=1 ..." */
    uint32_t place;   /* of its text, which has a 0 behind it */
    uint32_t length;
};
extern const struct gpu_source gpu_sources[GPU_PROGRAMS];

/* The common beginning of programs generated at run time (struct gpu_text), with a 0 behind it. */
extern const struct gpu_template { uint32_t place, length; } gpu_template;

/* Returns the head of the data, which the first call maps for the life of the process.  Searches
 * the folder of this library or program and three folders above it: each for kernels/ (of a build)
 * and for mpgpu-gmp/, also inside lib/ and inside the configured lib64/. Then searches the
 * installation folder; a set-user-ID program searches only that.  The file must belong to the owner
 * of this library or program, or to root.  Returns NULL, with gpu_error_text(), if no file of this
 * build is found.  Any thread. */
const unsigned char *gpu_images(void);

/* Maps the file `path` and returns the head of the data.  Returns NULL if the file does not exist,
 * is from another build, or belongs to neither `owner` nor root. */
const unsigned char *gpu_images_map(const char *path, unsigned owner);

#endif
