/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches whose numbers lie on several devices, a range of them on each
 * (doc/design/devices.md). */
#ifndef MPGPU_COMPAT_SHARES_H
#define MPGPU_COMPAT_SHARES_H

#include <stdbool.h>

#include "compat/batch/batch.h"
#include "lib/session/session.h"

/* Numbers first[j] to first[j + 1] - 1 lie on device[j], for each j below `shares`. */
struct batch_cut {
    unsigned shares;
    int device[SESSION_DEVICES];
    size_t first[SESSION_DEVICES + 1];
};

/* share[j] is a batch of its own, with as many numbers: on its device, or zero, or nothing yet. */
struct batch_shares {
    struct batch_cut cut;
    mpgpu_batch share[SESSION_DEVICES];
};

/* How `count` numbers are cut now, where an operation has so many limbs in all; false where there
 * is one device, or little to do. */
bool shares_plan(struct batch_cut *cut, size_t count, size_t limbs);

/* Is b cut so, and can all of these devices be used? */
bool shares_are(const mpgpu_batch *b, const struct batch_cut *cut);
bool shares_are_usable(const struct batch_cut *cut);

/* b gets shares, cut so, without numbers, in place of those that it had; false without memory. */
bool shares_prepare(mpgpu_batch *b, const struct batch_cut *cut);

/* Its shares are gone, and what lay in them. */
void shares_forget(mpgpu_batch *b);

/* Its shares have its numbers; b itself has none any more. */
void shares_arrive(mpgpu_batch *b);

/* {up, ...} to the device of share j, or zeros where that is NULL. */
enum outcome shares_fill_one(mpgpu_batch *b, unsigned j, const mp_limb_t *up);

/* All of them at once: {up, ...} to shares, cut so; the other way.  OUTCOME_DONE, or why not. */
enum outcome shares_fill(mpgpu_batch *b, const struct batch_cut *cut, const mp_limb_t *up);
enum outcome shares_fetch(mp_limb_t *rp, const mpgpu_batch *b);

/* work(job, j) for each of several devices: at once by several threads, unless the program handles
 * faults in memory, which they would cause. */
void shares_run(unsigned shares, void (*work)(void *job, unsigned j), void *job);

/* The same, and each thread works on device[j] alone, or with NULL as before.  What it takes counts
 * for the caller's call. */
void shares_run_on(const int *device, unsigned shares, void (*work)(void *job, unsigned j),
                   void *job);

#endif
