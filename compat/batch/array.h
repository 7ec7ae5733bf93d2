/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Arrays of limbs in device memory (the mpgpu_array functions of include/mpgpu.h). */
#ifndef MPGPU_COMPAT_ARRAY_H
#define MPGPU_COMPAT_ARRAY_H

#include "include/mpgpu.h"
#include "lib/job/batch_store.h"

struct mpgpu_array {
    struct batch_store store;
    size_t n;
};

/* Fills the first n limbs of a.  The source is `store` if its memory is on the same device,
 * otherwise {up, n} in host memory.  If `store` and `up` are both NULL, sets the limbs to 0.
 * Returns the outcome of the copy. */
enum outcome array_fill(mpgpu_array *a, const mp_limb_t *up, const struct batch_store *store,
                        size_t n);

/* Returns the number of the open device with this UUID.  If uuid is NULL, returns the first device
 * that has a UUID.  Returns SESSION_ANY if there is none. */
int array_device(const unsigned char *uuid);

/* Returns 1 and sets uuid, unless it is NULL, to the UUID of the device; 0 if it has none. */
int array_gpu(unsigned char *uuid, int device);

/* Sets the text of mpgpu_error to the reason why an array could not be allocated, shared or copied.
 * Returns the error code for this outcome. */
int array_fail(enum outcome outcome);

#endif
