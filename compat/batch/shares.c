/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Distributes batches over several devices; uploads and downloads them. */
#include "compat/batch/shares.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/stats.h"
#include "lib/process/surroundings.h"
#include "lib/process/thread_pool.h"

/* The least limbs in one device's part. For fewer, starting a thread takes longer than the device's
 * work. */
enum { LEAST_LIMBS = 1 << 13 };

_Static_assert((int)THREAD_POOL_PARTS >= (int)SESSION_DEVICES, "a thread for each");

void shares_run(unsigned shares, void (*work)(void *job, unsigned j), void *job) {
    if (shares > 1 && !surroundings_handle_faults()) {
        thread_pool_run(shares, work, job);
        return;
    }
    for (unsigned j = 0; j < shares; j++)
        work(job, j);
}

struct bound_run {
    const int *device;
    void (*work)(void *job, unsigned j);
    void *job;
    struct stats_times times[SESSION_DEVICES];
};

static void run_bound(void *bound_run, unsigned j) {
    struct bound_run *b = bound_run;
    const struct stats_times before = *stats_here();
    const int bound = b->device ? session_bind(b->device[j]) : session_bound();
    stats_begin();
    b->work(b->job, j);
    session_bind(bound);
    b->times[j] = *stats_here();
    *stats_here() = before;
}

void shares_run_on(const int *device, unsigned shares, void (*work)(void *job, unsigned j),
                   void *job) {
    struct bound_run b = {.device = device, .work = work, .job = job};
    shares_run(shares, run_bound, &b);
    for (unsigned j = 0; j < shares; j++)
        stats_add(&b.times[j]);
}

/* Plans equal parts; if `count` is not divisible, the first parts have one number more. */
bool shares_plan(struct batch_cut *cut, size_t count, size_t limbs) {
    unsigned number[SESSION_DEVICES];
    if (session_bound() != SESSION_ANY)
        return false;
    cut->shares = session_devices(number);
    if (cut->shares == 0 && session_ready() == OUTCOME_DONE)
        cut->shares = session_devices(number); /* session_ready has opened them */
    if (cut->shares < 2 || count < cut->shares || limbs / cut->shares < LEAST_LIMBS)
        return false;
    cut->first[0] = 0;
    for (unsigned j = 0; j < cut->shares; j++) {
        cut->device[j] = (int)number[j];
        cut->first[j + 1] = cut->first[j] + count / cut->shares + (j < count % cut->shares);
    }
    return true;
}

bool shares_are_usable(const struct batch_cut *cut) {
    for (unsigned j = 0; j < cut->shares; j++)
        if (!session_is_usable(cut->device[j]))
            return false;
    return true;
}

bool shares_are(const mpgpu_batch *b, const struct batch_cut *cut) {
    if (!b->shares || b->shares->cut.shares != cut->shares)
        return false;
    for (unsigned j = 0; j < cut->shares; j++)
        if (b->shares->cut.device[j] != cut->device[j] ||
            b->shares->cut.first[j + 1] != cut->first[j + 1])
            return false;
    return true;
}

void shares_forget(mpgpu_batch *b) {
    for (unsigned j = 0; b->shares && j < b->shares->cut.shares; j++) {
        batch_free(&b->shares->share[j].store);
        batch_free(&b->shares->share[j].spare);
    }
    free(b->shares);
    b->shares = NULL;
}

bool shares_prepare(mpgpu_batch *b, const struct batch_cut *cut) {
    if (shares_are(b, cut))
        return true;
    shares_forget(b);
    b->shares = calloc(1, sizeof *b->shares);
    if (!b->shares)
        return false;
    b->shares->cut = *cut;
    for (unsigned j = 0; j < cut->shares; j++) {
        b->shares->share[j].count = cut->first[j + 1] - cut->first[j];
        b->shares->share[j].n = b->n;
    }
    return true;
}

void shares_arrive(mpgpu_batch *b) {
    struct batch_shares *shares = b->shares;
    b->shares = NULL; /* frees the memory of b itself, but not the shares */
    batch_is_on_device(b);
    batch_free(&b->store);
    batch_free(&b->spare);
    b->shares = shares;
    b->where = BATCH_IN_SHARES;
}

enum outcome shares_fill_one(mpgpu_batch *b, unsigned j, const mp_limb_t *up) {
    mpgpu_batch *share = &b->shares->share[j];
    int before = session_bind(b->shares->cut.device[j]);
    enum outcome outcome = batch_reserve(&share->store, batch_size(share) * sizeof(mp_limb_t));
    if (outcome == OUTCOME_DONE)
        outcome = batch_fill(&share->store, up ? up + b->shares->cut.first[j] * b->n : NULL);
    session_bind(before);
    if (outcome == OUTCOME_DONE)
        share->where = BATCH_ON_DEVICE;
    return outcome;
}

struct copy {
    mpgpu_batch *b;
    const mp_limb_t *up;
    mp_limb_t *rp;
    enum outcome outcome[SESSION_DEVICES];
};

static enum outcome outcome_of(const struct copy *c) {
    for (unsigned j = 0; j < c->b->shares->cut.shares; j++)
        if (c->outcome[j] != OUTCOME_DONE)
            return c->outcome[j];
    return OUTCOME_DONE;
}

static void fill(void *copy, unsigned j) {
    struct copy *c = copy;
    c->outcome[j] = shares_fill_one(c->b, j, c->up);
}

enum outcome shares_fill(mpgpu_batch *b, const struct batch_cut *cut, const mp_limb_t *up) {
    struct copy c = {.b = b, .up = up};
    if (!shares_prepare(b, cut))
        return OUTCOME_MEMORY;
    shares_run(cut->shares, fill, &c);
    enum outcome outcome = outcome_of(&c);
    if (outcome == OUTCOME_DONE)
        shares_arrive(b);
    else
        shares_forget(b);
    return outcome;
}

static void fetch(void *copy, unsigned j) {
    struct copy *c = copy;
    const struct batch_shares *shares = c->b->shares;
    const mpgpu_batch *share = &shares->share[j];
    c->outcome[j] = batch_fetch(c->rp + shares->cut.first[j] * share->n, &share->store,
                                batch_size(share) * sizeof(mp_limb_t));
}

enum outcome shares_fetch(mp_limb_t *rp, const mpgpu_batch *b) {
    struct copy c = {.b = (mpgpu_batch *)b, .rp = rp};
    shares_run(b->shares->cut.shares, fetch, &c);
    return outcome_of(&c);
}
