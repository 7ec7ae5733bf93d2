/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches (include/mpgpu.h): creation, and moves between host and devices. */
#include "compat/batch/batch.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/batch/shards.h"
#include "compat/intercept/call.h"
#include "lib/job/job.h"
#include "lib/memory/wipe.h"

/* The error text of the latest failure in this thread, for mpgpu_error. */
static THREAD_MEMORY struct failure {
    const char *text; /* NULL: none yet */
    char of_number[160];
} failure;

/* The error text that mpgpu_error returns to threads without a `struct failure`. Set by threads
 * that could not allocate one. */
static const char *_Atomic without_memory = "";

int batch_fail_text(int error, const char *text) {
    struct failure *f = THREAD_MEMORY_GET(failure);
    if (f)
        f->text = text;
    else
        atomic_store(&without_memory, text);
    return error;
}

int batch_fail(int error) {
    static const char *const texts[] = {
        [MPGPU_ARGUMENTS] = "arguments that do not fit together",
        [MPGPU_NO_MEMORY] = "host memory is exhausted",
        [MPGPU_LOST] =
            "a batch is lost: its device cannot be used any more, or has changed its numbers",
        [MPGPU_DIVIDE_BY_ZERO] = "division by zero",
        [MPGPU_TOO_LARGE] = "a number has more bits than GMP's can have",
        [MPGPU_NO_DEVICE] = "no device is open, or it has failed"};
    return batch_fail_text(error, texts[error]);
}

int batch_fail_init(void) {
    return batch_fail_text(MPGPU_NO_MEMORY, "the library cannot begin in a signal handler");
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
int batch_fail_sizes(int error, const char *format, size_t a, size_t b, size_t c, size_t d) {
    struct failure *f = THREAD_MEMORY_GET(failure);
    if (!f)
        return batch_fail(error);
    snprintf(f->of_number, sizeof f->of_number, format, a, b, c, d);
    return batch_fail_text(error, f->of_number);
}
#pragma GCC diagnostic pop

int batch_fail_at(size_t i, const char *what) {
    struct failure *f = THREAD_MEMORY_GET(failure);
    if (!f)
        return batch_fail(MPGPU_ARGUMENTS);
    snprintf(f->of_number, sizeof f->of_number, "number %zu %s", i, what);
    return batch_fail_text(MPGPU_ARGUMENTS, f->of_number);
}

bool batch_is_repeated(int error, unsigned *failures) {
    enum { MOST_OF_A_DEVICE = 8 };
    return error == MPGPU_LOST && ++*failures < MOST_OF_A_DEVICE * SESSION_DEVICES;
}

EXPORT const char *mpgpu_error(void) {
    const struct failure *f = THREAD_MEMORY_FIND(failure);
    return !f ? atomic_load(&without_memory) : f->text ? f->text : "";
}

EXPORT mpgpu_batch *mpgpu_batch_create(size_t count, size_t n) {
    if (count == 0 || n == 0) {
        batch_fail(MPGPU_ARGUMENTS);
        return NULL;
    }
    mpgpu_batch *b = count > JOB_MOST_LIMBS / n ? NULL : calloc(1, sizeof *b);
    if (!b) {
        batch_fail(MPGPU_NO_MEMORY);
        return NULL;
    }
    b->count = count;
    b->n = n;
    return b;
}

static void forget_limbs(mpgpu_batch *b) {
    wipe_free(b->limbs, batch_size(b) * sizeof *b->limbs);
    b->limbs = NULL;
}

EXPORT void mpgpu_batch_destroy(mpgpu_batch *b) {
    if (!b)
        return;
    batch_free(&b->store);
    batch_free(&b->spare);
    shards_forget(b);
    forget_limbs(b);
    free(b);
}

EXPORT size_t mpgpu_batch_count(const mpgpu_batch *b) {
    return b ? b->count : 0;
}

EXPORT size_t mpgpu_batch_limbs(const mpgpu_batch *b) {
    return b ? b->n : 0;
}

EXPORT int mpgpu_batch_on_device(const mpgpu_batch *b) {
    return b && (b->where == BATCH_ON_DEVICE || b->where == BATCH_IN_SHARDS);
}

void batch_is_on_host(mpgpu_batch *b, mp_limb_t *limbs) {
    forget_limbs(b);
    b->limbs = limbs;
    batch_free(&b->store);
    batch_free(&b->spare);
    shards_forget(b);
    b->where = BATCH_ON_HOST;
}

void batch_is_on_device(mpgpu_batch *b) {
    forget_limbs(b);
    shards_forget(b);
    b->where = BATCH_ON_DEVICE;
}

static enum outcome fetch(mp_limb_t *rp, const mpgpu_batch *b) {
    return b->where == BATCH_IN_SHARDS   ? shards_fetch(rp, b)
           : b->where == BATCH_ON_DEVICE ? batch_fetch(rp, &b->store, batch_size(b) * sizeof *rp)
                                         : OUTCOME_DONE;
}

int batch_to_host(mpgpu_batch *b) {
    if (b->where == BATCH_ON_HOST)
        return 0;
    if (b->where == BATCH_LOST)
        return batch_fail(MPGPU_LOST);
    mp_limb_t *limbs = calloc(batch_size(b), sizeof *limbs);
    if (!limbs)
        return batch_fail(MPGPU_NO_MEMORY);
    enum outcome outcome = fetch(limbs, b);
    if (outcome != OUTCOME_DONE) {
        /* A device without memory for downloads loses batches as a failing one does. Counts this as
         * a failure, so that the library stops using such a device. */
        if (outcome == OUTCOME_MEMORY && b->where == BATCH_ON_DEVICE)
            session_fault();
        wipe_free(limbs, batch_size(b) * sizeof *limbs);
        b->where = BATCH_LOST;
        return batch_fail(MPGPU_LOST);
    }
    batch_is_on_host(b, limbs);
    return 0;
}

/* Returns true if the memory of `store` is on the device that the calling thread is bound to, or if
 * the thread is bound to none. */
static bool is_here(const struct batch_store *store) {
    return session_bound() == SESSION_ANY || store->device == session_bound();
}

enum outcome batch_reserve(struct batch_store *store, size_t bytes) {
    if (store->bytes >= bytes && is_here(store))
        return OUTCOME_DONE;
    batch_free(store);
    return batch_alloc(store, bytes);
}

/* Uploads the array at `up` to the device memory of b. If up is NULL, sets that memory to zero. */
static enum outcome upload(mpgpu_batch *b, const mp_limb_t *up) {
    enum outcome outcome = batch_reserve(&b->store, batch_size(b) * sizeof *up);
    if (outcome == OUTCOME_DONE)
        outcome = batch_fill(&b->store, up);
    if (outcome == OUTCOME_DONE)
        batch_is_on_device(b);
    else
        batch_free(&b->store);
    return outcome;
}

/* Moves the batch's numbers to the memory of the device that the thread uses. If they are on other
 * devices, downloads them to the host first. */
enum outcome batch_to_device(mpgpu_batch *b) {
    bool is_elsewhere =
        b->where == BATCH_IN_SHARDS || (b->where == BATCH_ON_DEVICE && !is_here(&b->store));
    if (b->where == BATCH_ON_DEVICE && !is_elsewhere)
        return OUTCOME_DONE;
    if (is_elsewhere && batch_to_host(b) != 0)
        return b->where == BATCH_LOST ? OUTCOME_FAILED : OUTCOME_MEMORY;
    return upload(b, b->limbs);
}

/* Copies the array at `up` to device memory of r. If shards_plan returns true, distributes it over
 * several devices. */
static enum outcome set(mpgpu_batch *r, const mp_limb_t *up) {
    struct batch_cut cut;
    return shards_plan(&cut, r->count, batch_size(r)) ? shards_fill(r, &cut, up) : upload(r, up);
}

/* Sets r to the array at `up`, on the device if it is large. Discards the old numbers of r. */
EXPORT int mpgpu_batch_set(mpgpu_batch *r, const mp_limb_t *up) {
    if (!r || !up)
        return batch_fail(MPGPU_ARGUMENTS);
    if (call_is_large(batch_size(r), &thresholds.batch)) {
        /* Until the upload is complete, r is invalid: a signal handler may leave this call by
         * longjmp. */
        r->where = BATCH_LOST;
        if (set(r, up) == OUTCOME_DONE)
            return 0;
    }
    mp_limb_t *limbs = malloc(batch_size(r) * sizeof *limbs);
    if (!limbs) {
        r->where = r->limbs ? BATCH_ON_HOST : BATCH_LOST;
        return batch_fail(MPGPU_NO_MEMORY);
    }
    memcpy(limbs, up, batch_size(r) * sizeof *limbs);
    batch_is_on_host(r, limbs);
    return 0;
}

EXPORT int mpgpu_batch_get(mp_limb_t *rp, mpgpu_batch *u) {
    if (!rp || !u)
        return batch_fail(MPGPU_ARGUMENTS);
    size_t bytes = batch_size(u) * sizeof *rp;
    if (u->where == BATCH_LOST)
        return batch_fail(MPGPU_LOST);
    if (fetch(rp, u) != OUTCOME_DONE) {
        /* Downloads once more at once, because a device fault may be temporary. */
        int error = batch_to_host(u);
        if (error)
            return error;
    }
    if (u->where == BATCH_ON_HOST)
        memcpy(rp, u->limbs, bytes);
    else if (u->where == BATCH_ZERO)
        memset(rp, 0, bytes);
    return 0;
}
