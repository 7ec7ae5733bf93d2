/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The kernels as data: fatbins for CUDA, texts for OpenCL.
 *
 * They lie once on the disk, in images.bin, which a process maps that opens a driver.
 * kernels/pack.sh makes that file and its index, kernels/index.c. */
#ifndef MPGPU_IMAGES_H
#define MPGPU_IMAGES_H

#include <stddef.h>
#include <stdint.h>

#include "gpu/gpu.h"

enum { IMAGES_HEAD = 64 }; /* bytes before the data; all places count from the head's begin */
#define IMAGES_MAGIC "mpgpu kernels:\n" /* and a 0: 16 bytes, then gpu_images_id */

/* What the data's head goes on with: it differs from build to build. */
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

/* The text that programs begin with that are written at run time, with a 0 behind it. */
extern const struct gpu_template { uint32_t place, length; } gpu_template;

/* The data's head, mapped at the first call and kept.  The file is looked for in kernels/ (of a
 * build) and in a folder mpgpu-gmp here, in lib and as configured, in lib64: "here" is the folder
 * of this library or program, and three folders above.  Then where it is installed.  A set-user-ID
 * program looks there only.  The file has to belong to the owner of this library or program, or to
 * root.  NULL if there is none of this build, and gpu_error_text() tells.  Any thread. */
const unsigned char *gpu_images(void);

/* The data's head in the file `path`, mapped; NULL if that is not there, is not of this build, or
 * is neither `owner`'s nor root's. */
const unsigned char *gpu_images_map(const char *path, unsigned owner);

#endif
