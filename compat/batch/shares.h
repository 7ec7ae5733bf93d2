/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches whose numbers are distributed over several devices, a range of them on each device
 * (doc/design/devices.md). */
#ifndef MPGPU_COMPAT_SHARES_H
#define MPGPU_COMPAT_SHARES_H

#include <stdbool.h>

#include "compat/batch/batch.h"
#include "lib/session/session.h"

/* Numbers first[j] to first[j + 1] - 1 are stored on device[j], for each j below `shares`. */
struct batch_cut {
    unsigned shares;
    int device[SESSION_DEVICES];
    size_t first[SESSION_DEVICES + 1];
};

/* share[j] is a batch with the numbers of range j: stored on device[j], or all zero, or not written
 * yet. */
struct batch_shares {
    struct batch_cut cut;
    mpgpu_batch share[SESSION_DEVICES];
};

/* Plans how to distribute `count` numbers for an operation of `limbs` limbs in all.  Returns false
 * if there is one device, or the operation is too small. */
bool shares_plan(struct batch_cut *cut, size_t count, size_t limbs);

/* shares_are returns true if b is distributed by this cut, shares_are_usable if all its devices can
 * be used. */
bool shares_are(const mpgpu_batch *b, const struct batch_cut *cut);
bool shares_are_usable(const struct batch_cut *cut);

/* Replaces b's shares by shares of this cut without numbers.  Returns false without memory. */
bool shares_prepare(mpgpu_batch *b, const struct batch_cut *cut);

/* Frees the shares of b with their numbers. */
void shares_forget(mpgpu_batch *b);

/* Marks b's shares as written: b's numbers are in them, and no longer in b itself. */
void shares_arrive(mpgpu_batch *b);

/* Uploads the numbers of share j from the array {up, ...}; sets them to zero if up is NULL. */
enum outcome shares_fill_one(mpgpu_batch *b, unsigned j, const mp_limb_t *up);

/* Upload {up, ...} to shares of this cut, or download all shares, from all devices at once.  Return
 * OUTCOME_DONE, or why not. */
enum outcome shares_fill(mpgpu_batch *b, const struct batch_cut *cut, const mp_limb_t *up);
enum outcome shares_fetch(mp_limb_t *rp, const mpgpu_batch *b);

/* Calls work(job, j) for each j below `shares`, in several threads.  If the program handles memory
 * faults by signals, the calling thread does all of it, because these accesses may fault. */
void shares_run(unsigned shares, void (*work)(void *job, unsigned j), void *job);

/* The same, with each thread bound to device[j] unless `device` is NULL.  The time counts for the
 * caller's intercepted call. */
void shares_run_on(const int *device, unsigned shares, void (*work)(void *job, unsigned j),
                   void *job);

#endif
