/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Device memory for batches, which jobs allocate, fill, read and free. Functions of type enum
 * outcome return OUTCOME_DONE, or the reason of their failure. Any thread may call it. */
#ifndef MPGPU_BATCH_STORE_H
#define MPGPU_BATCH_STORE_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpu/gpu.h"
#include "lib/base/outcome.h"

/* Memory on device number `device` (lib/session/session.h). `bytes` is a multiple of a limb's size;
 * 0 means that there is no memory. If is_kept, `residue` is the residue of the memory's numbers
 * modulo the check's random modulus (lib/device/kept.h). */
struct batch_store {
    gpu_mem mem;
    size_t bytes;
    int device;
    bool is_kept;
    uint64_t residue;
};

/* Allocates `bytes` bytes, not initialised. Uses the device that the thread is bound to, otherwise
 * the device with the least memory in use. The caller must call batch_free. */
enum outcome batch_alloc(struct batch_store *store, size_t bytes);

/* Does the same as batch_alloc, for memory that other processes can map and that is filled with
 * zeros. Rounds store->bytes up to a multiple of GPU_SHARED_BYTES. Returns OUTCOME_SIZE if the
 * device cannot share memory. */
enum outcome batch_alloc_shared(struct batch_store *store, size_t bytes);

/* Returns true if the device belongs to the CUDA backend and can share memory. Then sets
 * uuid[GPU_UUID], and sets *is_served to whether the device belongs to mpgpu-serve. */
bool batch_gpu(int device, unsigned char *uuid, bool *is_served);

/* Sets *file to a new file descriptor, through which other processes can map memory from
 * batch_alloc_shared. The caller closes it. */
enum outcome batch_share(const struct batch_store *store, int *file);

/* Copies the first `bytes` bytes of `from` to `to`, with their residue.  Both are on one device. */
enum outcome batch_copy(struct batch_store *to, const struct batch_store *from, size_t bytes);

/* Copies store->bytes bytes from `from` to the device memory. Fills the memory with zeros if `from`
 * is NULL. */
enum outcome batch_fill(struct batch_store *store, const void *from);

/* Copies the first `bytes` bytes of the device memory to `to`; they must contain all numbers of the
 * batch. Also works on a device that gets no new work, but not if the device does not answer.
 * Returns OUTCOME_FAILED if the numbers have changed on the device. */
enum outcome batch_fetch(void *to, const struct batch_store *store, size_t bytes);

/* Frees the device memory, if there is any. Does not free it if the device does not answer. */
void batch_free(struct batch_store *store);

/* Write, fill or fetch a part of the memory: `bytes` bytes from byte `at`, both multiples of a
 * limb's size. batch_fill_part must fill the parts in ascending order, from byte 0. batch_write
 * does not change the store's residue, so it may write parts in any order. batch_keep sets the
 * residue of data that batch_write has written; without checks (verify:off) no residue is needed.
 * After a fetch in parts, the caller adds the residues of the fetched parts and passes the sum to
 * batch_is_kept, which compares it with the store's residue. */
enum outcome batch_write(const struct batch_store *store, size_t at, const void *from,
                         size_t bytes);
enum outcome batch_fill_part(struct batch_store *store, size_t at, const void *from, size_t bytes);
enum outcome batch_fetch_part(void *to, const struct batch_store *store, size_t at, size_t bytes);
uint64_t batch_residue(const void *from, size_t at, size_t bytes);
uint64_t batch_add_residues(uint64_t a, uint64_t b);
void batch_keep(struct batch_store *store, uint64_t residue);
bool batch_is_kept(const struct batch_store *store, uint64_t residue);

#endif
