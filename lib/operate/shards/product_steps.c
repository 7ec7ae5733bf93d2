/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs the steps of a product that several devices share. */
#include "lib/operate/shards/product_steps.h"

#include "lib/process/executor.h"
#include "lib/process/thread_pool.h"
#include "lib/transfer/far.h"

enum { LIMB_WORDS = 2 };

/* ---- functions that run a step: of one shard, in a thread that is bound to its device; of all
 * shards */

struct job {
    struct shared *shared;
    struct far_caller *caller; /* the job's caller if it is in another process, otherwise NULL */
    enum product_step step;
};

/* Runs a step of one shard on its device. From `bytes`, the size of operands and result, the
 * watchdog computes the time limit. */
static enum outcome work(struct shard *h, enum product_step step, size_t bytes) {
    switch (step) {
    case PRODUCT_BROADCAST:
        if (h->broadcast.limbs == 0)
            return OUTCOME_DONE;
        return session_run(product_shard_broadcast, &h->broadcast, sizeof h->broadcast, bytes);
    case PRODUCT_MULTIPLY:
        return session_run(product_shard_multiply, &h->product, sizeof h->product, bytes);
    case PRODUCT_ADD:
        break;
    }
    return session_run(product_sum_deliver, &h->sum, sizeof h->sum, bytes);
}

static void run_shard(void *job, unsigned i) {
    const struct job *t = job;
    struct shard *h = &t->shared->shard[i];
    struct far_caller *others = far_here();
    struct stats_times before = *stats_here();
    int bound = session_bind((int)t->shared->device[i]);
    size_t bytes = 2 * product_layout_limbs(&t->shared->cut, i) * sizeof(mp_limb_t);
    unsigned times = executor_spin_times(PRODUCT_SPIN_TIMES);
    stats_begin();
    /* statistics count only the step PRODUCT_MULTIPLY as a call */
    session_set_counted(t->step != PRODUCT_MULTIPLY);
    h->outcome = far_set(t->caller, i) ? work(h, t->step, bytes) : OUTCOME_MEMORY;
    far_set(others, i);
    session_set_counted(false);
    executor_spin_times(times);
    session_bind(bound);
    h->times = *stats_here();
    *stats_here() = before;
}

_Static_assert(sizeof(struct product_sum) <= SESSION_ARGUMENT &&
                   sizeof(struct shard_product) <= SESSION_ARGUMENT,
               "see session_run");

/* Returns the outcome of a step for all shards together. A failure of one device outweighs a lack
 * of memory of another. */
static enum outcome outcome_of(const struct shared *s) {
    enum outcome outcome = OUTCOME_DONE;
    for (unsigned i = 0; i < s->cut.shards; i++)
        if (outcome == OUTCOME_DONE || outcome == OUTCOME_MEMORY)
            outcome = s->shard[i].outcome != OUTCOME_DONE ? s->shard[i].outcome : outcome;
    return outcome;
}

/* Runs a step of all shards at the same time. Returns OUTCOME_NONE if there are too few threads. */
enum outcome product_step(struct shared *s, enum product_step step, int *device) {
    struct job job = {s, far_here(), step};
    if (!thread_pool_try(s->cut.shards, run_shard, &job))
        return OUTCOME_NONE;
    for (unsigned i = 0; i < s->cut.shards; i++)
        stats_add(&s->shard[i].times);
    enum outcome outcome = outcome_of(s);
    for (unsigned i = 0; i < s->cut.shards && outcome != OUTCOME_DONE; i++)
        if (s->shard[i].outcome == OUTCOME_DONE)
            *device = (int)s->device[i];
    return outcome;
}

/* ---- preparing steps */

void product_steps_begin(struct shared *s, mp_limb_t *rp, const mp_limb_t *up, size_t un,
                         const mp_limb_t *vp, bool peers) {
    size_t at;
    for (unsigned i = 0; i < s->cut.shards; i++) {
        struct shard_product *p = &s->shard[i].product;
        s->shard[i].broadcast = (struct shard_broadcast){
            .vp = vp + s->cut.broadcast[i], .limbs = s->cut.broadcast[i + 1] - s->cut.broadcast[i]};
        *p = (struct shard_product){.up = up + s->cut.from[i],
                                    .un = s->cut.from[i + 1] - s->cut.from[i],
                                    .vp = vp,
                                    .vn = s->cut.vn,
                                    .is_inside = up == vp && un == s->cut.vn};
        if (peers || !product_layout_part(&s->cut, i, !i, &at, &p->give_limbs))
            continue;
        p->give = rp + at;
        p->give_at = at - s->cut.from[i];
    }
}

/* Lists for each device the parts of the shorter operand v that it must copy from other devices.
 * Omits empty parts, because no device has uploaded them. */
void product_steps_receive(struct shared *s) {
    for (unsigned i = 0; i < s->cut.shards; i++) {
        struct shard_product *p = &s->shard[i].product;
        for (unsigned j = 0; j < s->cut.shards; j++) {
            const struct shard_broadcast *l = &s->shard[j].broadcast;
            if (l->limbs > 0)
                p->broadcast[p->broadcasts++] =
                    (struct shard_part){.device = l->device,
                                        .mem = l->broadcast.mem,
                                        .from = l->broadcast.at,
                                        .words = l->broadcast.words,
                                        .at = s->cut.broadcast[j] * LIMB_WORDS};
        }
    }
}

static void set_part(struct shared *s, unsigned by, unsigned to, size_t at, size_t limbs) {
    const struct shard_product *p = &s->shard[by].product;
    struct product_sum *sum = &s->shard[to].sum;
    sum->part[sum->parts++] =
        (struct shard_part){.device = p->device,
                            .mem = p->product.mem,
                            .host = p->give,
                            .from = p->product.at + (at - s->cut.from[by]) * LIMB_WORDS,
                            .words = limbs * LIMB_WORDS,
                            .at = (at - s->cut.from[to]) * LIMB_WORDS};
}

void product_steps_add(struct shared *s, mp_limb_t *rp) {
    size_t at, limbs;
    for (unsigned i = 0; i < s->cut.shards; i++) {
        const struct shard_product *p = &s->shard[i].product;
        struct product_sum *sum = &s->shard[i].sum;
        size_t alone = product_layout_alone(&s->cut, i, &at);
        *sum = (struct product_sum){.rp = rp + s->cut.at[i],
                                    .product = p->product,
                                    .residue_of_u = p->residue_of_u,
                                    .residue_of_v = p->residue_of_v,
                                    .at = (s->cut.at[i] - s->cut.from[i]) * LIMB_WORDS,
                                    .words = (s->cut.at[i + 1] - s->cut.at[i]) * LIMB_WORDS,
                                    .alone_at = (at - s->cut.from[i]) * LIMB_WORDS,
                                    .alone_words = alone * LIMB_WORDS};
        for (unsigned j = 0; j < s->cut.shards; j++)
            if (j != i && product_layout_part(&s->cut, j, i, &at, &limbs))
                set_part(s, j, i, at, limbs);
    }
}
