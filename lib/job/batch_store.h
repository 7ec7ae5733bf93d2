/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory for batches on the device, by jobs. Each function returns OUTCOME_DONE, or why it failed.
 * Any thread. */
#ifndef MPGPU_BATCH_STORE_H
#define MPGPU_BATCH_STORE_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpu/gpu.h"
#include "lib/base/outcome.h"

/* Memory on device number `device` (lib/session/session.h), in whole limbs; none if bytes is 0.
 * is_kept: `residue` is the residue of its numbers modulo the check's modulus (lib/device/kept.h).
 */
struct batch_store {
    gpu_mem mem;
    size_t bytes;
    int device;
    bool is_kept;
    uint64_t residue;
};

/* Allocates `bytes` bytes of any content, on the device that the thread is bound to, otherwise on
 * the device with the least memory in use. batch_free must follow. */
enum outcome batch_alloc(struct batch_store *store, size_t bytes);

/* Copies {from, all bytes} to the memory; fills it with zeros if `from` is NULL. */
enum outcome batch_fill(struct batch_store *store, const void *from);

/* Copies the first `bytes` bytes, all of its numbers, to the host, while the device answers.
 * Returns OUTCOME_FAILED if the numbers have changed on the device. */
enum outcome batch_fetch(void *to, const struct batch_store *store, size_t bytes);

/* Frees the memory, if any, while the device answers. */
void batch_free(struct batch_store *store);

/* Write, fill or fetch a part: `bytes` bytes from byte `at`, in whole limbs. Parts must be filled
 * in order, from byte 0. After a fetch in parts, the caller compares by batch_is_kept with the sum
 * of the parts' residues. These may also be residues of other memory with the same limbs. */
enum outcome batch_write(const struct batch_store *store, size_t at, const void *from,
                         size_t bytes); /* stores no residue; in any order */
enum outcome batch_fill_part(struct batch_store *store, size_t at, const void *from, size_t bytes);
enum outcome batch_fetch_part(void *to, const struct batch_store *store, size_t at, size_t bytes);
uint64_t batch_residue(const void *from, size_t at, size_t bytes);
uint64_t batch_add_residues(uint64_t a, uint64_t b);
bool batch_is_kept(const struct batch_store *store, uint64_t residue);

#endif
