/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The kernels as data: fatbins for CUDA, texts for OpenCL.
 *
 * They lie once on the disk, in libmpgpu-gmp.so.0 (gpu/images_embedded.c).  Programs that hold
 * gpu/ themselves, as mpgpu-info does, map them from the library's file.  kernels/pack.sh makes the
 * data and the index in kernels/index.c. */
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

/* The data's head: in this library, or mapped at the first call and kept.  A program looks into the
 * folder of its file, into .libs and lib (and as configured, lib64) there, and the same in three
 * folders above; then where the library is installed.  A set-user-ID program looks there only.  The
 * file has to belong to the program file's owner or to root.  NULL if there is none of this build,
 * and gpu_error_text() tells. Any thread. */
const unsigned char *gpu_images(void);

/* The data's head in the library's file `path`, mapped; NULL if that is not there, is not of this
 * build, or is neither `owner`'s nor root's. */
const unsigned char *gpu_images_map(const char *path, unsigned owner);

#endif
