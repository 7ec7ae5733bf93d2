/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Threads that multiply at the same time. Each thread multiplies its own two operands again and
 * again. */
#ifndef MPGPU_TEST_WORKS_H
#define MPGPU_TEST_WORKS_H

#include <pthread.h>
#include <string.h>

#include "lib/job/limbs.h"
#include "tests/support/testing.h"

/* The operands of one thread, and the counts of its products by outcome. Also used for the sums of
 * these counts over all threads. */
struct work {
    size_t n;
    int rounds;
    mp_limb_t *up, *vp, *rp, *right;
    int done, failed, wrong;
    enum outcome outcome; /* the last outcome that was not OUTCOME_DONE */
};

/* Makes random operands of n limbs, and their right product. The caller frees all by
 * free(w->up). */
static inline void prepare(struct work *w, size_t n, int rounds) {
    *w = (struct work){.n = n, .rounds = rounds, .up = malloc(6 * n * sizeof(mp_limb_t))};
    w->vp = w->up + n;
    w->rp = w->vp + n;
    w->right = w->rp + 2 * n;
    testing_limbs(w->up, n);
    testing_limbs(w->vp, n);
    mpn_mul_n(w->right, w->up, w->vp, n);
}

static inline void *multiply(void *context) {
    struct work *w = context;
    for (int k = 0; k < w->rounds; k++) {
        memset(w->rp, 0x5a, 2 * w->n * sizeof *w->rp);
        enum outcome outcome = limbs_mul(w->rp, w->up, w->n, w->vp, w->n);
        if (outcome != OUTCOME_DONE)
            w->failed++, w->outcome = outcome;
        else if (memcmp(w->rp, w->right, 2 * w->n * sizeof *w->rp) == 0)
            w->done++;
        else
            w->wrong++;
    }
    return NULL;
}

/* Runs one thread for each size, all at the same time. Returns the sums of the threads' counts. */
static inline struct work work_at_once(const size_t *sizes, int threads, int rounds) {
    enum { MOST = 8 };
    struct work works[MOST], sum = {0};
    pthread_t thread[MOST];
    for (int i = 0; i < threads; i++)
        prepare(&works[i], sizes[i], rounds);
    for (int i = 0; i < threads; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, multiply, &works[i]), 0);
    for (int i = 0; i < threads; i++) {
        pthread_join(thread[i], NULL);
        sum.done += works[i].done;
        sum.failed += works[i].failed;
        sum.wrong += works[i].wrong;
        sum.outcome = works[i].outcome ? works[i].outcome : sum.outcome;
        free(works[i].up);
    }
    return sum;
}

#endif
