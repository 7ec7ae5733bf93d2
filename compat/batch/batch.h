/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The batches of include/mpgpu.h: where their numbers are stored. */
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

/* Returns the limbs of all numbers of b. */
static inline size_t batch_size(const mpgpu_batch *b) {
    return b->count * b->n;
}

/* Sets the text of mpgpu_error for `error`; returns `error`. */
int batch_fail(int error);
int batch_fail_text(int error, const char *text); /* a static string */

/* Sets the text for MPGPU_ARGUMENTS, with the index i of the wrong number of an array. Returns
 * MPGPU_ARGUMENTS. */
int batch_fail_at(size_t i, const char *what);

/* Move the batch to the host, or to the device that the thread is bound to.  to_host returns 0 or
 * an error.  to_device returns OUTCOME_DONE, or why it failed: then the batch is on the host, or
 * lost. */
int batch_to_host(mpgpu_batch *b);
enum outcome batch_to_device(mpgpu_batch *b);

/* Reserves memory for a result of `bytes` bytes on the device that the thread is bound to; keeps
 * the store's memory if it is large enough. */
enum outcome batch_reserve(struct batch_store *store, size_t bytes);

/* Make the batch {limbs, ...}, from malloc, which the batch then owns; or the content of its
 * store. */
void batch_is_on_host(mpgpu_batch *b, mp_limb_t *limbs);
void batch_is_on_device(mpgpu_batch *b);

#endif
