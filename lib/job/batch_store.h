/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory for batches on the device, by jobs.  Each returns OUTCOME_DONE, or why it was not done.
 * Any thread. */
#ifndef MPGPU_BATCH_STORE_H
#define MPGPU_BATCH_STORE_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpu/gpu.h"
#include "lib/base/outcome.h"

/* Memory on device number `device` (lib/session/session.h), whole limbs; none if bytes is 0.
 * is_kept: `residue` is that of its numbers, modulo the check's modulus (lib/device/kept.h). */
struct batch_store {
    gpu_mem mem;
    size_t bytes;
    int device;
    bool is_kept;
    uint64_t residue;
};

/* Allocates `bytes` bytes of any content, on the device that the thread is bound to, or where least
 * is in use.  batch_free must follow. */
enum outcome batch_alloc(struct batch_store *store, size_t bytes);

/* Copies {from, all bytes} to the memory; fills it with zeros if `from` is NULL. */
enum outcome batch_fill(struct batch_store *store, const void *from);

/* Copies the first `bytes` bytes, all its numbers, to the host, as long as the device answers.
 * Returns OUTCOME_FAILED if the numbers have changed on the device. */
enum outcome batch_fetch(void *to, const struct batch_store *store, size_t bytes);

/* Frees the memory, if there is any, as long as the device answers. */
void batch_free(struct batch_store *store);

/* The same for `bytes` of it from byte `at` on, whole limbs.  Parts are filled in order, from byte
 * 0 on.  What is fetched in parts is compared by batch_is_kept with the sum of the parts' residues,
 * which may also be those of other memory with the same limbs. */
enum outcome batch_write(const struct batch_store *store, size_t at, const void *from,
                         size_t bytes); /* without a residue, in any order */
enum outcome batch_fill_part(struct batch_store *store, size_t at, const void *from, size_t bytes);
enum outcome batch_fetch_part(void *to, const struct batch_store *store, size_t at, size_t bytes);
uint64_t batch_residue(const void *from, size_t at, size_t bytes);
uint64_t batch_add_residues(uint64_t a, uint64_t b);
bool batch_is_kept(const struct batch_store *store, uint64_t residue);

#endif
