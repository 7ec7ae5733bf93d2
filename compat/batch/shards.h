/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches whose numbers are distributed over several devices, a range of them on each device
 * (doc/design/devices.md). */
#ifndef MPGPU_COMPAT_SHARDS_H
#define MPGPU_COMPAT_SHARDS_H

#include <stdbool.h>

#include "compat/batch/batch.h"
#include "lib/session/session.h"

/* How a batch is distributed: numbers first[j] to first[j + 1] - 1 are stored on device[j], for
 * each j below `shards`. */
struct batch_cut {
    unsigned shards;
    int device[SESSION_DEVICES];
    size_t first[SESSION_DEVICES + 1];
};

/* A distributed batch: shard[j] is a batch of the numbers on device[j]. shard[j] may have no device
 * memory until its numbers are written. */
struct batch_shards {
    struct batch_cut cut;
    mpgpu_batch shard[SESSION_DEVICES];
};

/* Plans how to distribute `count` numbers over the devices. `limbs` is the total size of the
 * operands. Returns false if the thread is bound to a device, there are fewer than two devices, or
 * the operation is too small. */
bool shards_plan(struct batch_cut *cut, size_t count, size_t limbs);

/* shards_are returns true if b has shards as `cut` describes. shards_are_usable returns true if all
 * devices of `cut` work. */
bool shards_are(const mpgpu_batch *b, const struct batch_cut *cut);
bool shards_are_usable(const struct batch_cut *cut);

/* Prepares b for a distribution as `cut` describes: creates shards without device memory, unless b
 * is already distributed like that. Returns false if memory is exhausted. */
bool shards_prepare(mpgpu_batch *b, const struct batch_cut *cut);

/* Frees the shards of b, and the numbers in them. */
void shards_forget(mpgpu_batch *b);

/* Declares that all shards of b are written and hold its numbers. Frees b's other memory. */
void shards_arrive(mpgpu_batch *b);

/* Uploads the numbers of shard j from `up`, the array of all numbers. If up is NULL, sets them to
 * zero. */
enum outcome shards_fill_one(mpgpu_batch *b, unsigned j, const mp_limb_t *up);

/* shards_fill uploads the array at `up` to shards of b. shards_fetch downloads all shards of b. All
 * devices transfer at the same time. Both functions return OUTCOME_DONE or the reason of the
 * failure. */
enum outcome shards_fill(mpgpu_batch *b, const struct batch_cut *cut, const mp_limb_t *up);
enum outcome shards_fetch(mp_limb_t *rp, const mpgpu_batch *b);

/* Calls work(job, j) for each j below `shards`, in several threads. If the program handles SIGSEGV
 * or SIGBUS, uses only the calling thread: faults on the program's memory must occur in that
 * thread. */
void shards_run(unsigned shards, void (*work)(void *job, unsigned j), void *job);

/* Does the work of shards_run, with each thread bound to device[j] unless `device` is NULL. The
 * statistics add the threads' times to the caller's intercepted call. */
void shards_run_on(const int *device, unsigned shards, void (*work)(void *job, unsigned j),
                   void *job);

#endif
