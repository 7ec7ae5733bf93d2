/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs the threads and computes their products. Operands are generated without GMP, because GMP's
 * random functions would call functions that the library intercepts. */
#include "config.h"

#include "tests/support/coalesced.h"

#include <gmp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compat/intercept/call.h"
#include "lib/gmp/gmp_internal.h"
#include "lib/job/limbs.h"

enum kind { PRODUCT, SQUARE, LOW, MINUS, PLUS, SEVERAL, KINDS };
enum { LIMBS = 512, MOST_THREADS = 1024, STACK = 256 << 10, COVER = 0x5a, FFT_LOG = 7 };

/* One product: operands and the expected result. */
struct task {
    enum kind kind;
    mp_size_t un, vn, rn;
    mp_limb_t u[LIMBS], v[LIMBS], right[2 * LIMBS + 1];
};

static struct worker {
    struct coalesced *g;
    pthread_t thread;
    uint64_t seed;
    mp_limb_t *rp; /* 2 LIMBS + 1 limbs, for the result of a product */
    long done, not_done, wrong;
    enum outcome outcome;
} workers[MOST_THREADS];

static uint64_t next(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed ^ *seed >> 29;
}

static mp_size_t below(uint64_t *seed, uint64_t n) {
    return (mp_size_t)((next(seed) >> 8) % n);
}

/* Fills x with limbs that are all zeros, all ones, or random.  The highest limb is not 0. */
static void fill(mp_limb_t *x, mp_size_t n, uint64_t *seed) {
    for (mp_size_t i = 0; i < n; i++) {
        uint64_t limb = next(seed);
        x[i] = limb >> 62 == 0 ? 0 : limb >> 62 == 1 ? ~(mp_limb_t)0 : limb;
    }
    x[n - 1] |= 1;
}

/* Chooses the kind and sizes of a product.  For products modulo B^rn - 1, un + vn > rn, so that the
 * product exceeds the modulus.  For products modulo B^rn + 1, rn must be a size that mpn_mul_fft
 * supports. */
static void choose_sizes(struct task *t, mp_size_t most, uint64_t *seed) {
    t->kind = (enum kind)below(seed, KINDS);
    if (t->kind == PLUS && most < 1 << FFT_LOG)
        t->kind = MINUS;
    t->un = 2 + below(seed, (uint64_t)most - 1);
    t->vn = t->kind == SQUARE || t->kind == LOW ? t->un : 1 + below(seed, (uint64_t)t->un);
    t->rn = t->un + t->vn;
    if (t->kind == LOW || t->kind == MINUS)
        t->rn = t->un;
    else if (t->kind == PLUS)
        t->rn = (t->un + (1 << FFT_LOG) - 1) >> FFT_LOG << FFT_LOG;
}

static const mp_limb_t *second(const struct task *t) {
    return t->kind == SQUARE ? t->u : t->v;
}

/* Reduces {t->right, un + vn} modulo B^rn - 1 or B^rn + 1. */
static void reduce(struct task *t) {
    mp_limb_t *x = t->right, over;
    if (t->kind == MINUS) {
        over = mpn_add_n(x, x, x + t->rn, t->rn);
        mpn_add_1(x, x, t->rn, over);
    } else if (t->kind == PLUS) {
        over = mpn_sub_n(x, x, x + t->rn, t->rn);
        x[t->rn] = mpn_add_1(x, x, t->rn, over);
    }
}

/* Sets {rp, un + vn} to the product, limb by limb.  GMP's own functions could be intercepted and
 * computed on the device. */
static void multiply(mp_limb_t *rp, const mp_limb_t *up, mp_size_t un, const mp_limb_t *vp,
                     mp_size_t vn) {
    memset(rp, 0, (size_t)(un + vn) * sizeof *rp);
    for (mp_size_t j = 0; j < vn; j++) {
        mp_limb_t carry = 0;
        for (mp_size_t i = 0; i < un; i++) {
            unsigned __int128 sum = (unsigned __int128)up[i] * vp[j] + rp[i + j] + carry;
            rp[i + j] = (mp_limb_t)sum;
            carry = (mp_limb_t)(sum >> GMP_NUMB_BITS);
        }
        rp[un + j] = carry;
    }
}

static void make_task(struct task *t, mp_size_t most, uint64_t *seed) {
    memset(t, 0, sizeof *t);
    choose_sizes(t, most, seed);
    fill(t->u, t->un, seed);
    fill(t->v, t->vn, seed);
    multiply(t->right, t->u, t->un, second(t), t->vn);
    reduce(t);
}

/* Adds {xp, xn} B^at to {rp, rn}. rn must be large enough that no carry is lost. */
static void add_at(mp_limb_t *rp, size_t rn, const mp_limb_t *xp, size_t xn, size_t at) {
    mp_limb_t carry = 0;
    for (size_t i = at; i < rn; i++) {
        unsigned __int128 sum = (unsigned __int128)rp[i] + (i - at < xn ? xp[i - at] : 0) + carry;
        rp[i] = (mp_limb_t)sum;
        carry = (mp_limb_t)(sum >> GMP_NUMB_BITS);
    }
}

/* Multiplies u by parts of v, in one call for several products. u is alternately the second and the
 * first factor. Adds up the products in rp. */
static enum outcome operate_parts(const struct task *t, mp_limb_t *rp) {
    size_t un = (size_t)t->un, vn = (size_t)t->vn, count = vn < LIMBS_SEVERAL ? vn : vn % 13 + 1;
    count = count < LIMBS_SEVERAL ? count : LIMBS_SEVERAL;
    mp_limb_t *products = malloc((count * un + vn) * sizeof *products), *to = products;
    struct limbs_factors f[LIMBS_SEVERAL] = {{0}};
    enum outcome outcome;
    for (size_t i = 0; i < count; i++) {
        size_t from = vn * i / count, n = vn * (i + 1) / count - from;
        f[i] = i % 2 ? (struct limbs_factors){to, t->u, un, t->v + from, n}
                     : (struct limbs_factors){to, t->v + from, n, t->u, un};
        to += un + n;
    }
    outcome = limbs_mul_several(f, (unsigned)count);
    memset(rp, 0, (un + vn) * sizeof *rp);
    for (size_t i = 0; i < count; i++)
        add_at(rp, un + vn, f[i].rp, f[i].un + f[i].vn, vn * i / count);
    free(products);
    return outcome;
}

static enum outcome operate(const struct task *t, mp_limb_t *rp) {
    size_t un = (size_t)t->un, vn = (size_t)t->vn, rn = (size_t)t->rn;
    if (t->kind == SEVERAL)
        return operate_parts(t, rp);
    if (t->kind == LOW)
        return limbs_mulmod(LIMBS_MULMOD_LOW, rp, rn, t->u, un, t->v, vn, &(mp_limb_t){0});
    if (t->kind == MINUS)
        return limbs_mulmod(LIMBS_MULMOD_BNM1, rp, rn, t->u, un, t->v, vn, &(mp_limb_t){0});
    if (t->kind == PLUS)
        return limbs_mulmod(LIMBS_MULMOD_BNP1, rp, rn, t->u, un, t->v, vn, &rp[rn]);
    return limbs_mul(rp, t->u, un, second(t), vn);
}

static enum outcome call(const struct task *t, mp_limb_t *rp) {
    mp_limb_t scratch[2 * LIMBS + 4];
    if (t->kind == LOW)
        mpn_mullo_n(rp, t->u, t->v, t->rn);
    else if (t->kind == MINUS)
        mpn_mulmod_bnm1(rp, t->rn, t->u, t->un, t->v, t->vn, scratch);
    else if (t->kind == PLUS)
        rp[t->rn] = mpn_mul_fft(rp, t->rn, t->u, t->un, t->v, t->vn, FFT_LOG);
    else
        mpn_mul(rp, t->u, t->un, second(t), t->vn);
    return OUTCOME_DONE;
}

static bool is_right(const struct task *t, const mp_limb_t *rp) {
    size_t limbs = (size_t)t->rn + (t->kind == PLUS);
    return memcmp(rp, t->right, limbs * sizeof *rp) == 0;
}

static void *work(void *worker) {
    struct worker *w = worker;
    struct task *t = malloc(sizeof *t);
    for (unsigned k = 0; k < w->g->rounds; k++) {
        make_task(t, (mp_size_t)w->g->most, &w->seed);
        memset(w->rp, COVER, (2 * LIMBS + 1) * sizeof *w->rp);
        enum outcome outcome = (w->g->as_program ? call : operate)(t, w->rp);
        w->outcome = outcome == OUTCOME_DONE ? w->outcome : outcome;
        w->not_done += outcome != OUTCOME_DONE;
        w->done += outcome == OUTCOME_DONE && is_right(t, w->rp);
        w->wrong += outcome == OUTCOME_DONE && !is_right(t, w->rp);
    }
    free(t);
    return NULL;
}

void coalesced_prepare(void) {
    call_init();
}

/* number of threads started so far; each thread derives its own seed from it */
static uint64_t turn;

static void start(struct coalesced *g, struct worker *w, const pthread_attr_t *attributes) {
    mp_limb_t *rp = w->rp ? w->rp : malloc((2 * LIMBS + 1) * sizeof *rp);
    *w = (struct worker){.g = g, .seed = ++turn * 0x9e3779b97f4a7c15u, .rp = rp};
    if (pthread_create(&w->thread, attributes, work, w) != 0)
        abort();
}

void coalesced_begin(struct coalesced *g) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    for (unsigned i = 0; i < g->threads; i++)
        start(g, &workers[i], &attributes);
    pthread_attr_destroy(&attributes);
}

void coalesced_end(struct coalesced *g) {
    for (unsigned i = 0; i < g->threads; i++) {
        struct worker *w = &workers[i];
        pthread_join(w->thread, NULL);
        g->done += w->done;
        g->not_done += w->not_done;
        g->wrong += w->wrong;
        g->outcome = w->outcome ? w->outcome : g->outcome;
    }
}

void coalesced_run(struct coalesced *g) {
    coalesced_begin(g);
    coalesced_end(g);
}

void coalesced_cover(void) {
    for (unsigned i = 0; i < MOST_THREADS; i++)
        if (workers[i].rp)
            memset(workers[i].rp, COVER, (2 * LIMBS + 1) * sizeof(mp_limb_t));
}

static bool is_covered(const mp_limb_t *rp) {
    const unsigned char *byte = (const unsigned char *)rp;
    for (size_t i = 0; rp && i < (2 * LIMBS + 1) * sizeof *rp; i++)
        if (byte[i] != COVER)
            return false;
    return true;
}

bool coalesced_is_covered(void) {
    for (unsigned i = 0; i < MOST_THREADS; i++)
        if (!is_covered(workers[i].rp))
            return false;
    return true;
}
