/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Jobs that allocate, fill and read device memory of batches for the program. The host computes the
 * residues of the data that it copies to the device. It compares them when it copies the data
 * back. */
#include "lib/job/batch_store.h"

#include <string.h>

#include "lib/base/conf.h"
#include "lib/job/job.h"
#include "lib/session/session.h"

/* ---- residues (lib/device/kept.h) */

void batch_keep(struct batch_store *store, uint64_t residue) {
    store->is_kept = mpgpu_conf.verify != VERIFY_OFF;
    store->residue = residue;
}

/* Adds the residue of a part of the data to store->residue: `bytes` bytes that are copied to byte
 * `at` of the device memory. Parts must be added in ascending order of `at`. */
static void keep_part(struct batch_store *store, size_t at, const void *from, size_t bytes) {
    batch_keep(store, at == 0 ? 0 : store->residue);
    if (store->is_kept && from)
        store->residue = batch_add_residues(store->residue, batch_residue(from, at, bytes));
}

/* ---- jobs */

static enum outcome run_on(int device, struct job *job) {
    const int before = session_bind(device);
    enum outcome outcome = job_run(job);
    session_bind(before);
    return outcome;
}

/* Returns the store's device memory, from its first byte up to byte `end`, as an operand or result
 * of a job. */
static struct job_ref memory_to(const struct batch_store *store, size_t end) {
    return (struct job_ref){.mem = store->mem, .count = 1, .n = end / sizeof(uint64_t)};
}

static enum outcome alloc(struct batch_store *store, size_t bytes, bool is_shared) {
    const int device = session_least_used();
    struct job job = {
        .op = JOB_store_alloc,
        .parameter = {[JOB_LIMBS] = bytes / sizeof(uint64_t), [JOB_IS_SHARED] = is_shared}};
    enum outcome outcome = run_on(device, &job);
    if (outcome == OUTCOME_DONE)
        *store = (struct batch_store){.mem = {job.answer}, .bytes = bytes, .device = device};
    return outcome;
}

enum outcome batch_alloc(struct batch_store *store, size_t bytes) {
    return alloc(store, bytes, false);
}

/* ---- memory that other processes can map */

bool batch_gpu(int device, unsigned char *uuid, bool *is_served) {
    static const unsigned char none[GPU_UUID];
    struct gpu_device dev;
    if (!session_ask_device(device, &dev) || dev.caps.jobs_only || !dev.backend->share ||
        memcmp(dev.caps.uuid, none, GPU_UUID) == 0)
        return false;
    memcpy(uuid, dev.caps.uuid, GPU_UUID);
    *is_served = dev.backend->is_served;
    return true;
}

enum outcome batch_alloc_shared(struct batch_store *store, size_t bytes) {
    unsigned char uuid[GPU_UUID];
    bool is_served;
    if (!batch_gpu(session_least_used(), uuid, &is_served) || bytes > SIZE_MAX - GPU_SHARED_BYTES)
        return OUTCOME_SIZE;
    return alloc(store, (bytes + GPU_SHARED_BYTES - 1) / GPU_SHARED_BYTES * GPU_SHARED_BYTES, true);
}

enum outcome batch_share(const struct batch_store *store, int *file) {
    struct gpu_device dev;
    if (!session_ask_device(store->device, &dev) || !dev.backend->share)
        return OUTCOME_NONE;
    return dev.backend->share(dev.impl, store->mem, file) == GPU_OK ? OUTCOME_DONE : OUTCOME_FAILED;
}

enum outcome batch_copy(struct batch_store *to, const struct batch_store *from, size_t bytes) {
    struct job job = {.op = JOB_store_copy,
                      .operands = 1,
                      .results = 1,
                      .u = {memory_to(from, bytes)},
                      .r = {memory_to(to, bytes)}};
    job.u[0].has_residue = from->is_kept;
    job.u[0].residue = from->residue;
    enum outcome outcome = run_on(from->device, &job);
    to->is_kept = outcome == OUTCOME_DONE && job.r[0].has_residue;
    to->residue = job.r[0].residue;
    return outcome;
}

enum outcome batch_write(const struct batch_store *store, size_t at, const void *from,
                         size_t bytes) {
    struct job job = {.op = JOB_store_fill,
                      .operands = from != NULL,
                      .results = 1,
                      .parameter = {[JOB_AT] = at / sizeof(uint64_t)},
                      .u = {job_limbs(from, bytes / sizeof(uint64_t))},
                      .r = {memory_to(store, at + bytes)}};
    return run_on(store->device, &job);
}

enum outcome batch_fill_part(struct batch_store *store, size_t at, const void *from, size_t bytes) {
    keep_part(store, at, from, bytes);
    return batch_write(store, at, from, bytes);
}

enum outcome batch_fill(struct batch_store *store, const void *from) {
    return batch_fill_part(store, 0, from, store->bytes);
}

enum outcome batch_fetch_part(void *to, const struct batch_store *store, size_t at, size_t bytes) {
    struct job job = {.op = JOB_store_fetch,
                      .operands = 1,
                      .results = 1,
                      .parameter = {[JOB_AT] = at / sizeof(uint64_t)},
                      .u = {memory_to(store, at + bytes)},
                      .r = {job_limbs(to, bytes / sizeof(uint64_t))}};
    return run_on(store->device, &job);
}

enum outcome batch_fetch(void *to, const struct batch_store *store, size_t bytes) {
    enum outcome outcome = batch_fetch_part(to, store, 0, bytes);
    if (outcome != OUTCOME_DONE || !store->is_kept)
        return outcome;
    return batch_is_kept(store, batch_residue(to, 0, bytes)) ? OUTCOME_DONE : OUTCOME_FAILED;
}

void batch_free(struct batch_store *store) {
    struct job job = {.op = JOB_store_free, .operands = 1, .u = {memory_to(store, store->bytes)}};
    if (store->bytes > 0)
        run_on(store->device, &job);
    store->bytes = 0;
}
