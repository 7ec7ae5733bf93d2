/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Distributes batches over several devices; uploads and downloads them. */
#include "compat/batch/shards.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/stats.h"
#include "lib/process/surroundings.h"
#include "lib/process/thread_pool.h"

/* Minimum number of limbs in one device's part. For fewer, starting a thread takes longer than the
 * device's work. */
enum { LEAST_LIMBS = 1 << 13 };

_Static_assert((int)THREAD_POOL_PARTS >= (int)SESSION_DEVICES, "a thread for each");

void shards_run(unsigned shards, void (*work)(void *job, unsigned j), void *job) {
    if (shards > 1 && !surroundings_handle_faults()) {
        thread_pool_run(shards, work, job);
        return;
    }
    for (unsigned j = 0; j < shards; j++)
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

void shards_run_on(const int *device, unsigned shards, void (*work)(void *job, unsigned j),
                   void *job) {
    struct bound_run b = {.device = device, .work = work, .job = job};
    shards_run(shards, run_bound, &b);
    for (unsigned j = 0; j < shards; j++)
        stats_add(&b.times[j]);
}

/* Plans parts of equal size. If `count` is not divisible by the number of devices, the first parts
 * have one number more. */
bool shards_plan(struct batch_cut *cut, size_t count, size_t limbs) {
    unsigned number[SESSION_DEVICES];
    if (session_bound() != SESSION_ANY)
        return false;
    cut->shards = session_devices(number);
    if (cut->shards == 0 && session_ready() == OUTCOME_DONE)
        cut->shards = session_devices(number); /* session_ready has opened the devices */
    if (cut->shards < 2 || count < cut->shards || limbs / cut->shards < LEAST_LIMBS)
        return false;
    cut->first[0] = 0;
    for (unsigned j = 0; j < cut->shards; j++) {
        cut->device[j] = (int)number[j];
        cut->first[j + 1] = cut->first[j] + count / cut->shards + (j < count % cut->shards);
    }
    return true;
}

bool shards_are_usable(const struct batch_cut *cut) {
    for (unsigned j = 0; j < cut->shards; j++)
        if (!session_is_usable(cut->device[j]))
            return false;
    return true;
}

bool shards_are(const mpgpu_batch *b, const struct batch_cut *cut) {
    if (!b->shards || b->shards->cut.shards != cut->shards)
        return false;
    for (unsigned j = 0; j < cut->shards; j++)
        if (b->shards->cut.device[j] != cut->device[j] ||
            b->shards->cut.first[j + 1] != cut->first[j + 1])
            return false;
    return true;
}

void shards_forget(mpgpu_batch *b) {
    for (unsigned j = 0; b->shards && j < b->shards->cut.shards; j++) {
        batch_free(&b->shards->shard[j].store);
        batch_free(&b->shards->shard[j].spare);
    }
    free(b->shards);
    b->shards = NULL;
}

bool shards_prepare(mpgpu_batch *b, const struct batch_cut *cut) {
    if (shards_are(b, cut))
        return true;
    shards_forget(b);
    b->shards = calloc(1, sizeof *b->shards);
    if (!b->shards)
        return false;
    b->shards->cut = *cut;
    for (unsigned j = 0; j < cut->shards; j++) {
        b->shards->shard[j].count = cut->first[j + 1] - cut->first[j];
        b->shards->shard[j].n = b->n;
    }
    return true;
}

void shards_arrive(mpgpu_batch *b) {
    struct batch_shards *shards = b->shards;
    b->shards = NULL; /* so that batch_is_on_device does not free the shards */
    batch_is_on_device(b);
    batch_free(&b->store);
    batch_free(&b->spare);
    b->shards = shards;
    b->where = BATCH_IN_SHARDS;
}

enum outcome shards_fill_one(mpgpu_batch *b, unsigned j, const mp_limb_t *up) {
    mpgpu_batch *shard = &b->shards->shard[j];
    int before = session_bind(b->shards->cut.device[j]);
    enum outcome outcome = batch_reserve(&shard->store, batch_size(shard) * sizeof(mp_limb_t));
    if (outcome == OUTCOME_DONE)
        outcome = batch_fill(&shard->store, up ? up + b->shards->cut.first[j] * b->n : NULL);
    session_bind(before);
    if (outcome == OUTCOME_DONE)
        shard->where = BATCH_ON_DEVICE;
    return outcome;
}

struct copy {
    mpgpu_batch *b;
    const mp_limb_t *up;
    mp_limb_t *rp;
    enum outcome outcome[SESSION_DEVICES];
};

static enum outcome outcome_of(const struct copy *c) {
    for (unsigned j = 0; j < c->b->shards->cut.shards; j++)
        if (c->outcome[j] != OUTCOME_DONE)
            return c->outcome[j];
    return OUTCOME_DONE;
}

static void fill(void *copy, unsigned j) {
    struct copy *c = copy;
    c->outcome[j] = shards_fill_one(c->b, j, c->up);
}

enum outcome shards_fill(mpgpu_batch *b, const struct batch_cut *cut, const mp_limb_t *up) {
    struct copy c = {.b = b, .up = up};
    if (!shards_prepare(b, cut))
        return OUTCOME_MEMORY;
    shards_run(cut->shards, fill, &c);
    enum outcome outcome = outcome_of(&c);
    if (outcome == OUTCOME_DONE)
        shards_arrive(b);
    else
        shards_forget(b);
    return outcome;
}

static void fetch(void *copy, unsigned j) {
    struct copy *c = copy;
    const struct batch_shards *shards = c->b->shards;
    const mpgpu_batch *shard = &shards->shard[j];
    c->outcome[j] = batch_fetch(c->rp + shards->cut.first[j] * shard->n, &shard->store,
                                batch_size(shard) * sizeof(mp_limb_t));
}

enum outcome shards_fetch(mp_limb_t *rp, const mpgpu_batch *b) {
    struct copy c = {.b = (mpgpu_batch *)b, .rp = rp};
    shards_run(b->shards->cut.shards, fetch, &c);
    return outcome_of(&c);
}
