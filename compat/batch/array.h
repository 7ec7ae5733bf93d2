/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The arrays of include/mpgpu.h. */
#ifndef MPGPU_COMPAT_ARRAY_H
#define MPGPU_COMPAT_ARRAY_H

#include "include/mpgpu.h"
#include "lib/job/batch_store.h"

struct mpgpu_array {
    struct batch_store store;
    size_t n;
};

/* Sets the first n limbs of a to {up, n} in host memory, or to a copy of `store`, if it has memory
 * on the same device; sets the array to zero if both are NULL.  Returns the outcome of the copy. */
enum outcome array_fill(mpgpu_array *a, const mp_limb_t *up, const struct batch_store *store,
                        size_t n);

/* Returns the number of the open device with this UUID; of the first device with any UUID if uuid
 * is NULL. SESSION_ANY if there is none. */
int array_device(const unsigned char *uuid);

/* Returns 1 and sets uuid, unless it is NULL, to the UUID of the device; 0 if it has none. */
int array_gpu(unsigned char *uuid, int device);

/* Sets the text of mpgpu_error to why a copy to or from an array failed.  Returns the error. */
int array_fail(enum outcome outcome);

#endif
