/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Behind the batches of include/mpgpu.h: where one lies, and what an operation on them is. */
#ifndef MPGPU_COMPAT_BATCH_H
#define MPGPU_COMPAT_BATCH_H

#include "include/mpgpu.h"
#include "lib/job/batch_store.h"

struct mpgpu_batch {
    size_t count, n;
    enum { BATCH_ZERO, BATCH_ON_HOST, BATCH_ON_DEVICE, BATCH_IN_SHARES, BATCH_LOST } where;
    mp_limb_t *limbs;                /* on the host */
    struct batch_store store, spare; /* on the device; the second for results in place */
    struct batch_shares *shares;     /* on several devices (compat/batch/shares.h), or NULL */
};

/* Limbs of all its numbers. */
static inline size_t batch_size(const mpgpu_batch *b) {
    return b->count * b->n;
}

/* Says so, for mpgpu_error; returns `error`. */
int batch_fail(int error);
int batch_fail_text(int error, const char *text); /* a static string */

/* The same for MPGPU_ARGUMENTS because of number i of an array. */
int batch_fail_at(size_t i, const char *what);

/* Bring it there.  to_host: 0, or an error; to_device, the one that the thread is bound to:
 * OUTCOME_DONE, or why not, and then it is on the host, or lost. */
int batch_to_host(mpgpu_batch *b);
enum outcome batch_to_device(mpgpu_batch *b);

/* Memory for a result of so many bytes on that device, kept if there is enough. */
enum outcome batch_reserve(struct batch_store *store, size_t bytes);

/* Now it is {limbs, ...}, from malloc; now what is in its store. */
void batch_is_on_host(mpgpu_batch *b, mp_limb_t *limbs);
void batch_is_on_device(mpgpu_batch *b);

#endif
