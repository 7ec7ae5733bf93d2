/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Arrays (include/mpgpu.h): memory on a GPU that the program's other libraries can use.  The engine
 * allocates this memory, in mpgpu-serve or in this process, and copies limbs to and from it. */
#include "compat/batch/array.h"

#include <stdlib.h>
#include <string.h>

#include "compat/batch/batch.h"
#include "compat/intercept/call.h"
#include "lib/job/job.h"
#include "lib/memory/wipe.h"
#include "lib/session/session.h"

int array_device(const unsigned char *uuid) {
    unsigned number[SESSION_DEVICES], devices = session_devices(number);
    unsigned char found[GPU_UUID];
    bool is_served;
    for (unsigned i = 0; i < devices; i++)
        if (batch_gpu((int)number[i], found, &is_served) &&
            (!uuid || memcmp(uuid, found, GPU_UUID) == 0))
            return (int)number[i];
    return SESSION_ANY;
}

int array_fail(enum outcome outcome) {
    return outcome == OUTCOME_MEMORY
               ? batch_fail_text(MPGPU_NO_MEMORY, "device memory is exhausted")
               : batch_fail_text(MPGPU_NO_DEVICE, "the GPU cannot share or copy an array");
}

int array_gpu(unsigned char *uuid, int device) {
    unsigned char found[GPU_UUID];
    bool is_served;
    if (!batch_gpu(device, found, &is_served))
        return 0;
    if (uuid)
        memcpy(uuid, found, GPU_UUID);
    return 1;
}

EXPORT int mpgpu_batch_gpu(unsigned char *uuid, const mpgpu_batch *u) {
    return u && u->where == BATCH_ON_DEVICE ? array_gpu(uuid, u->store.device) : 0;
}

EXPORT int mpgpu_array_gpu(unsigned char *uuid) {
    call_init();
    return session_ready() == OUTCOME_DONE ? array_gpu(uuid, array_device(NULL)) : 0;
}

/* ---- creation */

static enum outcome alloc(mpgpu_array *a, int device) {
    const int before = session_bind(device);
    enum outcome outcome = batch_alloc_shared(&a->store, a->n * sizeof(mp_limb_t));
    session_bind(before);
    return outcome;
}

EXPORT mpgpu_array *mpgpu_array_create(const unsigned char *uuid, size_t n) {
    if (n == 0 || n > JOB_MOST_LIMBS) {
        batch_fail(n == 0 ? MPGPU_ARGUMENTS : MPGPU_NO_MEMORY);
        return NULL;
    }
    call_init();
    const int device = session_wait() == OUTCOME_DONE ? array_device(uuid) : SESSION_ANY;
    if (device == SESSION_ANY) {
        batch_fail_text(MPGPU_NO_DEVICE, uuid ? "the library does not use this GPU through CUDA"
                                              : "the library uses no GPU through CUDA");
        return NULL;
    }
    mpgpu_array *a = calloc(1, sizeof *a);
    if (!a) {
        batch_fail(MPGPU_NO_MEMORY);
        return NULL;
    }
    a->n = n;
    enum outcome outcome = alloc(a, device);
    if (outcome == OUTCOME_DONE)
        return a;
    free(a);
    array_fail(outcome);
    return NULL;
}

EXPORT void mpgpu_array_destroy(mpgpu_array *a) {
    if (a)
        batch_free(&a->store);
    free(a);
}

EXPORT int mpgpu_array_open(mpgpu_array_memory *m, const mpgpu_array *a) {
    bool is_served;
    if (!m || !a)
        return batch_fail(MPGPU_ARGUMENTS);
    *m = (mpgpu_array_memory){.bytes = a->store.bytes, .file = -1};
    if (!batch_gpu(a->store.device, m->uuid, &is_served))
        return array_fail(OUTCOME_NONE);
    if (!is_served) {
        m->address = a->store.mem.h;
        return 0;
    }
    enum outcome outcome = batch_share(&a->store, &m->file);
    return outcome == OUTCOME_DONE ? 0 : array_fail(outcome);
}

/* ---- copies */

enum outcome array_fill(mpgpu_array *a, const mp_limb_t *up, const struct batch_store *store,
                        size_t n) {
    if (store && store->bytes > 0 && store->device == a->store.device)
        return batch_copy(&a->store, store, n * sizeof *up);
    enum outcome outcome = batch_write(&a->store, 0, up, n * sizeof *up);
    a->store.is_kept = false;
    return outcome;
}

static int check_size(const mpgpu_batch *b, const mpgpu_array *a) {
    if (!a || !b)
        return batch_fail(MPGPU_ARGUMENTS);
    return batch_size(b) <= a->n
               ? 0
               : batch_fail_sizes(MPGPU_ARGUMENTS,
                                  "%zu numbers of %zu limbs, an array of %zu limbs", b->count, b->n,
                                  a->n, 0);
}

EXPORT int mpgpu_batch_get_array(mpgpu_array *a, mpgpu_batch *u) {
    int error = check_size(u, a);
    if (error)
        return error;
    if (u->where == BATCH_LOST)
        return batch_fail(MPGPU_LOST);
    const bool is_there = u->where == BATCH_ON_DEVICE && u->store.device == a->store.device;
    error = is_there || u->where == BATCH_ZERO ? 0 : batch_to_host(u);
    if (error)
        return error;
    enum outcome outcome = array_fill(a, u->limbs, is_there ? &u->store : NULL, batch_size(u));
    return outcome == OUTCOME_DONE ? 0 : array_fail(outcome);
}

/* Copies the array to memory of r on the same device. */
static enum outcome set_on_device(mpgpu_batch *r, const mpgpu_array *a, size_t bytes) {
    const int before = session_bind(a->store.device);
    enum outcome outcome = batch_reserve(&r->store, bytes);
    if (outcome == OUTCOME_DONE)
        outcome = batch_copy(&r->store, &a->store, bytes);
    session_bind(before);
    /* a residue (checksum) stored for the array may be wrong, because other libraries write to
     * it */
    r->store.is_kept = false;
    if (outcome == OUTCOME_DONE)
        batch_is_on_device(r);
    return outcome;
}

static int set_on_host(mpgpu_batch *r, const mpgpu_array *a, size_t bytes) {
    mp_limb_t *limbs = malloc(bytes);
    if (!limbs)
        return batch_fail(MPGPU_NO_MEMORY);
    enum outcome outcome = batch_fetch_part(limbs, &a->store, 0, bytes);
    if (outcome != OUTCOME_DONE) {
        wipe_free(limbs, bytes);
        return array_fail(outcome);
    }
    batch_is_on_host(r, limbs);
    return 0;
}

EXPORT int mpgpu_batch_set_array(mpgpu_batch *r, const mpgpu_array *a) {
    const int error = check_size(r, a);
    if (error)
        return error;
    const size_t bytes = batch_size(r) * sizeof(mp_limb_t);
    const bool is_large = call_is_large(batch_size(r), &thresholds.batch);
    r->where = BATCH_LOST; /* r has no valid numbers until the copy is complete */
    if (is_large && set_on_device(r, a, bytes) == OUTCOME_DONE)
        return 0;
    return set_on_host(r, a, bytes);
}
