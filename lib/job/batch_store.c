/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Allocates, fills and reads device memory of batches for the program, by jobs. The host computes
 * the residues of what it copies to the device, and compares them when it copies back. */
#include "lib/job/batch_store.h"

#include "lib/base/conf.h"
#include "lib/job/job.h"
#include "lib/session/session.h"

/* ---- residues (lib/device/kept.h) */

/* Adds the residue of the `bytes` bytes that are copied to byte `at` of the device memory to
 * store->residue. Call it in ascending order of `at`. */
static void keep_part(struct batch_store *store, size_t at, const void *from, size_t bytes) {
    store->is_kept = mpgpu_conf.verify != VERIFY_OFF;
    if (at == 0)
        store->residue = 0;
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

enum outcome batch_alloc(struct batch_store *store, size_t bytes) {
    const int device = session_place();
    struct job job = {.op = JOB_store_alloc, .parameter = {[JOB_LIMBS] = bytes / sizeof(uint64_t)}};
    enum outcome outcome = run_on(device, &job);
    if (outcome == OUTCOME_DONE)
        *store = (struct batch_store){.mem = {job.answer}, .bytes = bytes, .device = device};
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
