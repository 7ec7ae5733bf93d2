/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What a step of a shared product is made of, each by itself. */
#include "tests/performance/shares_pieces.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/base/conf.h"
#include "lib/base/stats.h"
#include "lib/multiply/check.h"
#include "lib/multiply/product.h"
#include "lib/selftest/verified_plan.h"
#include "lib/session/session.h"
#include "lib/transfer/transfer.h"

enum { LIMB_WORDS = 2, RUNS = 5 };

/* The first of two shares: half of u times v. */
struct share {
    const mp_limb_t *up;
    mp_limb_t *rp;
    size_t n;
    unsigned piece;
    double seconds; /* the best */
    struct number u, v, r, x;
    struct product plan;
};

static enum gpu_status up_half(struct context *s, struct share *h) {
    return transfer_up(s->transfer, &s->queue, h->u.mem, 0, h->up, h->n / 2 * sizeof *h->up);
}

static enum gpu_status multiply(struct context *s, struct share *h) {
    return product_mul(s, &h->plan, h->r, h->v, h->u);
}

static enum gpu_status check(struct context *s, struct share *h) {
    struct check unused;
    return check_start(&unused, s, h->r, h->u, h->v);
}

static enum gpu_status sum(struct context *s, struct share *h) {
    struct number r = number_part(h->r, h->u.words, h->x.words);
    return number_add(s, r, r, h->x, 0, NULL);
}

static enum gpu_status residue(struct context *s, struct share *h) {
    struct check unused;
    return check_start_one(&unused, s, number_part(h->r, 0, h->v.words), 0);
}

static enum gpu_status down(struct context *s, struct share *h) {
    return transfer_down(s->transfer, &s->queue, h->rp, h->r.mem, 0, h->n * sizeof *h->rp);
}

static const struct {
    const char *name;
    enum gpu_status (*run)(struct context *s, struct share *h);
} pieces[] = {{"half of an operand up", up_half},
              {"product", multiply},
              {"its check", check},
              {"sum", sum},
              {"residue", residue},
              {"half of the result down", down}};

static enum gpu_status prepare(struct context *s, struct share *h) {
    uint64_t words = h->n * LIMB_WORDS;
    enum gpu_status status =
        verified_plan_product(s, &h->plan, words, words / 2, WITHOUT(ALGORITHM_FFT));
    if (status == GPU_OK)
        status = number_in_slot(s, SLOT_U, words / 2, &h->u);
    if (status == GPU_OK)
        status = number_in_slot(s, SLOT_V, words, &h->v);
    if (status == GPU_OK)
        status = number_in_slot(s, SLOT_SHARE, words + words / 2, &h->r);
    return status == GPU_OK ? number_in_slot(s, SLOT_ADDEND, words / 2, &h->x) : status;
}

static enum gpu_status work(struct context *s, void *share) {
    struct share *h = share;
    enum gpu_status status = prepare(s, h);
    for (int i = 0; i <= RUNS && status == GPU_OK; i++) {
        double begin = stats_clock();
        status = pieces[h->piece].run(s, h);
        if (status == GPU_OK)
            status = gpu_finish(&s->queue);
        double seconds = stats_clock() - begin;
        h->seconds = i < 2 || seconds < h->seconds ? seconds : h->seconds; /* the first builds */
    }
    return status;
}

void shares_pieces(mp_limb_t *rp, const mp_limb_t *up, size_t n) {
    int bound = session_bind(0);
    for (unsigned i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct share h = {.up = up, .rp = rp, .n = n, .piece = i};
        if (session_run(work, &h, sizeof h, SIZE_MAX / 2) != OUTCOME_DONE) {
            fprintf(stderr, "shares: %s was not done\n", pieces[i].name);
            exit(1);
        }
        printf("  %s %.3f\n", pieces[i].name, 1e3 * h.seconds);
    }
    session_bind(bound);
}
