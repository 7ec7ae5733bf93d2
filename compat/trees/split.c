/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu_tree_split: binary splitting (include/mpgpu.h). A node has the three numbers p, q and t
 * (mpgpu_tree_split) of a range of terms of a sum. GMP computes 2^levels nodes of few terms, and
 * the device joins them pairwise to one. Without a device, GMP joins them. */
#include <stdlib.h>
#include <string.h>

#include "compat/batch/batch.h"
#include "compat/intercept/call.h"
#include "lib/base/conf.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/job/job.h"
#include "lib/memory/wipe.h"
#include "lib/trees/tree_split.h"

enum { TERMS = 8 }; /* GMP computes p, q and t of ranges of at most TERMS + 1 terms */

struct node {
    mpz_t x[3]; /* the numbers p, q and t of a range of terms */
};

struct split {
    void (*leaf)(void *context, size_t k, mpz_ptr p, mpz_ptr q, mpz_ptr t);
    void *context;
    struct node *node;
    unsigned levels;
    bool needs_p;
};

/* ---- by GMP */

static void node_init(struct node *n) {
    for (int k = 0; k < 3; k++)
        mpz_init(n->x[k]);
}

static void node_clear(struct node *n) {
    for (int k = 0; k < 3; k++)
        mpz_clear(n->x[k]);
}

/* Joins two ranges of terms: n, and `right`, the range behind n. Sets n to the numbers p, q and t
 * (mpgpu_tree_split) of both ranges together. Overwrites `right`. */
static void join(struct node *n, struct node *right, bool needs_p) {
    mpz_mul(n->x[2], n->x[2], right->x[1]);
    mpz_mul(right->x[2], right->x[2], n->x[0]);
    mpz_add(n->x[2], n->x[2], right->x[2]);
    mpz_mul(n->x[1], n->x[1], right->x[1]);
    if (needs_p)
        mpz_mul(n->x[0], n->x[0], right->x[0]);
}

static void make_node(const struct split *s, struct node *n, size_t begin, size_t end) {
    struct node right;
    node_init(n);
    node_init(&right);
    s->leaf(s->context, begin, n->x[0], n->x[1], n->x[2]);
    for (size_t k = begin + 1; k < end; k++) {
        s->leaf(s->context, k, right.x[0], right.x[1], right.x[2]);
        join(n, &right, true);
    }
    node_clear(&right);
}

/* Joins all ranges with GMP, pairs of neighbours first. node[0] becomes the result. */
static void join_all(struct split *s) {
    size_t count = (size_t)1 << s->levels;
    for (size_t step = 1; step < count; step *= 2)
        for (size_t i = 0; i < count; i += 2 * step)
            join(&s->node[i], &s->node[i + step], s->needs_p || 2 * step < count);
}

/* ---- on the device */

static size_t reversed(size_t i, unsigned bits) {
    size_t r = 0;
    for (; bits > 0; bits--, i >>= 1)
        r = r << 1 | (i & 1);
    return r;
}

static uint64_t bits_of(mpz_srcptr x) {
    size_t n = mpz_size(x);
    return n ? 64 * n - (uint64_t)__builtin_clzl(mpz_limbs_read(x)[n - 1]) : 1;
}

struct packed {
    struct job job;
    size_t words; /* 32-bit words for each p, q or t that is uploaded */
    mp_limb_t *limbs;
    uint32_t *signs;
    struct tree_split_bits *bits;
    size_t limbs_n;
};

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Computes the bits of each p, q and t, the 32-bit words that the longest of them needs, and the
 * lengths of the results. */
static bool plan_bits(struct packed *k, const struct split *s) {
    const size_t count = (size_t)1 << s->levels;
    uint64_t most = 1;
    for (size_t i = 0; i < count; i++) {
        struct tree_split_bits *b = &k->bits[reversed(i, s->levels)];
        *b = (struct tree_split_bits){bits_of(s->node[i].x[0]), bits_of(s->node[i].x[1]),
                                      bits_of(s->node[i].x[2])};
        most = larger(most, larger(b->p, larger(b->q, b->t)));
    }
    k->words = calc_words(most + TREE_SPLIT_SPARE_BITS);
    struct tree_split_bits *all = tree_split_all_bits(k->bits, s->levels);
    if (!all)
        return false;
    const struct tree_split_bits *last = &all[2 * count - 2];
    const uint64_t bits[] = {last->p, last->q, last->t};
    for (unsigned j = 0; j < 3; j++)
        k->job.r[j].n = calc_words(bits[j]) / 2;
    free(all);
    return true;
}

static void pack(struct packed *k, const struct split *s) {
    size_t count = (size_t)1 << s->levels, n = k->words / 2;
    for (size_t i = 0; i < count; i++)
        for (unsigned j = 0; j < 3; j++) {
            mpz_srcptr x = s->node[i].x[j];
            size_t at = reversed(i, s->levels);
            memcpy(k->limbs + (j * count + at) * n, mpz_limbs_read(x),
                   mpz_size(x) * sizeof *k->limbs);
            k->signs[3 * at + j] = mpz_sgn(x) < 0;
        }
}

/* Allocates host memory for the results that the caller wants. */
static bool add_results(struct packed *k, const struct split *s) {
    bool has_memory = true;
    for (unsigned j = s->needs_p ? 0 : 1; j < 3; j++) {
        struct job_ref *r = &k->job.r[j];
        r->host = malloc(r->n * sizeof *r->host);
        r->count = 1;
        has_memory = has_memory && r->host;
    }
    return has_memory;
}

static bool prepare(struct packed *k, const struct split *s) {
    const size_t count = (size_t)1 << s->levels;
    if (!(k->bits = calloc(count, sizeof *k->bits)) || !plan_bits(k, s) || !add_results(k, s))
        return false;
    k->limbs_n = 3 * count * (k->words / 2);
    k->limbs = calloc(k->limbs_n, sizeof *k->limbs);
    k->signs = calloc(3 * count + 1, sizeof *k->signs);
    if (!k->limbs || !k->signs)
        return false;
    pack(k, s);
    struct job_ref *u = k->job.u;
    u[0] = (struct job_ref){.host = k->limbs, .count = 3 * count, .n = k->words / 2};
    u[JOB_SIGNS] = job_limbs((const uint64_t *)k->signs, (3 * count + 1) / 2);
    u[JOB_NODE_BITS] = (struct job_ref){.host = &k->bits->p, .count = count, .n = 3};
    return true;
}

static void release(struct packed *k) {
    wipe_free(k->limbs, k->limbs_n * sizeof *k->limbs);
    free(k->signs);
    for (unsigned j = 0; j < 3; j++)
        wipe_free(k->job.r[j].host, job_bytes(&k->job.r[j]));
    free(k->bits);
}

static void take(mpz_ptr r, const mp_limb_t *limbs, size_t n, bool is_negative) {
    n = normalize(limbs, n);
    memcpy(mpz_limbs_write(r, n > 0 ? (mp_size_t)n : 1), limbs, n * sizeof *limbs);
    mpz_limbs_finish(r, is_negative ? -(mp_size_t)n : (mp_size_t)n);
}

/* Joins all ranges of terms on the device. node[0] becomes the result. */
static enum outcome on_device(struct split *s) {
    struct packed k = {.job = {.op = JOB_tree_split,
                               .operands = 3,
                               .results = 3,
                               .parameter = {[JOB_LEVELS] = s->levels}}};
    enum outcome outcome = job_composites_run() ? OUTCOME_DONE : OUTCOME_SIZE;
    if (outcome == OUTCOME_DONE)
        outcome = prepare(&k, s) ? job_run(&k.job) : OUTCOME_MEMORY;
    for (unsigned j = s->needs_p ? 0 : 1; j < 3 && outcome == OUTCOME_DONE; j++)
        take(s->node[0].x[j], k.job.r[j].host, k.job.r[j].n,
             k.job.answer & JOB_RESULT_IS_NEGATIVE << j);
    release(&k);
    return outcome;
}

/* ---- on the device or by GMP */

static void compute(struct split *s) {
    struct call call;
    size_t size = 0;
    for (size_t i = 0; i >> s->levels == 0; i++)
        size += mpz_size(s->node[i].x[1]) + 1;
    if (s->levels == 0 || !call_begin(&call, ROW_mpgpu_tree, size, &thresholds.batch, 3 * size)) {
        join_all(s);
        return;
    }
    enum outcome outcome = on_device(s);
    if (outcome != OUTCOME_DONE) {
        call_open();
        join_all(s);
        call_close(&call);
    }
    call_end(&call, outcome);
}

EXPORT int mpgpu_tree_split(mpz_ptr p, mpz_ptr q, mpz_ptr t, size_t count,
                            void (*leaf)(void *context, size_t k, mpz_ptr p, mpz_ptr q, mpz_ptr t),
                            void *context) {
    struct split s = {.leaf = leaf, .context = context, .needs_p = p != NULL};
    if (count == 0 || !q || !t || !leaf || p == q || p == t || q == t)
        return batch_fail(MPGPU_ARGUMENTS);
    while (count >> s.levels > TERMS)
        s.levels++;
    size_t nodes = (size_t)1 << s.levels;
    if (!call_init())
        return batch_fail_init();
    if (nodes > SIZE_MAX / sizeof *s.node || !(s.node = malloc(nodes * sizeof *s.node)))
        return batch_fail(MPGPU_NO_MEMORY);
    for (size_t i = 0; i < nodes; i++)
        make_node(&s, &s.node[i], (size_t)((unsigned __int128)count * i >> s.levels),
                  (size_t)((unsigned __int128)count * (i + 1) >> s.levels));
    compute(&s);
    mpz_swap(q, s.node[0].x[1]);
    mpz_swap(t, s.node[0].x[2]);
    if (p)
        mpz_swap(p, s.node[0].x[0]);
    for (size_t i = 0; i < nodes; i++)
        node_clear(&s.node[i]);
    free(s.node);
    return 0;
}
