/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known-answer tests of number-theoretic transforms, for whole products and for products modulo 2^k
 * - 1 and 2^k + 1. Also contains the first tests of each device. Whole products are compared by
 * residues. */
#include "lib/selftest/selftest.h"

#include <string.h>

#include "kernels/common/carry_resolve.h"
#include "lib/base/conf.h"
#include "lib/device/retry.h"
#include "lib/device/tables.h"
#include "lib/multiply/check.h"
#include "lib/multiply/mulmod.h"
#include "lib/multiply/ntt.h"
#include "lib/selftest/known_answer.h"

/* ---- products modulo 2^k - 1 and 2^k + 1, compared with reduced whole products */

struct ring_pair {
    struct mulmod *full, *wrapped;
};

/* Computes one product modulo 2^k - 1 or 2^k + 1, and downloads it. */
static void multiply_mulmod(struct known_answer *t, struct mulmod *ring, struct number v,
                            uint32_t *host) {
    KNOWN_ANSWER(t, mulmod_mul(t->s, ring, number_part(t->r, 0, ring->room), t->x[0], v));
    known_answer_down(t, host, t->r.mem, 0, t->n);
}

/* Tests that the check accepts a right product modulo 2^k - 1 or 2^k + 1. */
static void verify_check_mulmod(struct known_answer *t, struct mulmod *ring, struct number v) {
    struct check check;
    KNOWN_ANSWER(t, check_start_mulmod(&check, t->s, number_part(t->r, 0, t->n), t->x[0], v,
                                       &ring->reduced));
    KNOWN_ANSWER(t, gpu_finish(&t->s->queue));
    if (t->status == GPU_OK)
        known_answer_expect(t, check_mulmod(&check, &ring->reduced) == GPU_OK, "residue in a ring",
                            t->n);
}

static void verify_rings(struct known_answer *t) {
    const struct ring_pair *pair = t->plan;
    uint32_t *right = t->got, *r = right + t->n;
    for (int k = 0; k < 2; k++) {
        multiply_mulmod(t, pair->full, t->x[k], right);
        multiply_mulmod(t, pair->wrapped, t->x[k], r);
        if (mpgpu_conf.verify == VERIFY_DEVICE || mulmod_is_by_fft(pair->wrapped))
            verify_check_mulmod(t, pair->wrapped, t->x[k]);
        known_answer_expect(t,
                            memcmp(r, right, t->n * sizeof *r) == 0 &&
                                pair->wrapped->reduced.top == pair->full->reduced.top,
                            "product in a ring", t->n);
    }
    if (mulmod_is_by_fft(pair->wrapped))
        t->status = selftest_trust(t->s, t->status, t->n);
}

enum gpu_status selftest_ring(struct context *s, unsigned key, struct mulmod *wrapped) {
    const size_t n = wrapped->words;
    struct mulmod full = {.words = n, .plus = wrapped->plus, .room = 2 * n};
    const struct ring_pair pair = {&full, wrapped};
    if (known_answer_has(s, key))
        return GPU_OK;
    full.product.algorithm = BY_NTT;
    enum gpu_status status = ntt_plan(s, &full.product.ntt, n, n);
    if (status == GPU_OK)
        status = selftest_ntt(s, &full.product.ntt);
    return status == GPU_OK ? known_answer_ensure(s, key, n, verify_rings, &pair) : status;
}

/* ---- transforms: each program is tested in the shortest transform that uses it for the same
 * pass */

/* Tests a product and a square that are computed by the plan t->plan. */
static void verify_plan(struct known_answer *t) {
    for (int k = 0; k < 2; k++) {
        KNOWN_ANSWER(t, ntt_mul(t->s, t->plan, t->r, t->x[0], t->x[k]));
        known_answer_product(t, k == 0, k == 0 ? "square" : "product");
    }
}

static enum gpu_status ensure_plan(struct context *s, unsigned key, const struct ntt_plan *plan,
                                   uint64_t digits) {
    return known_answer_ensure(s, key, digits * NTT_DIGIT_WORDS, verify_plan, plan);
}

static enum gpu_status ensure_product(struct context *s, unsigned key, struct ntt_length l) {
    uint64_t half = ntt_length_digits(&l) / 2;
    const struct ntt_plan plan = {
        .length = l, .part_v = half, .piece_u = half, .parts = 1, .pieces = 1};
    return ensure_plan(s, key, &plan, half);
}

static enum gpu_status ensure_wraparound(struct context *s, unsigned key, struct ntt_length l) {
    size_t n = ntt_length_digits(&l) * NTT_DIGIT_WORDS;
    struct mulmod wrapped = {.words = n, .plus = (int)l.ring[0].root, .room = n + NTT_SURPLUS};
    wrapped.way = MULMOD_BY_NTT;
    wrapped.length = l;
    return selftest_ring(s, key, &wrapped);
}

/* Tests products of operands in pieces, whose transforms stay in memory. Without has_parts:
 * multiplies the transform of v by those of three pieces of u. With has_parts: multiplies three
 * parts of v by three pieces of u, and adds products that begin at the same word. */
static enum gpu_status ensure_kept(struct context *s, unsigned key, struct ntt_length l,
                                   bool has_parts) {
    uint64_t digits = ntt_length_digits(&l), n = 3 * digits / 4, half = digits / 2;
    struct ntt_plan plan = {
        .length = l, .part_v = n, .piece_u = digits - n, .parts = 1, .pieces = 3};
    const struct ntt_plan parts = {.length = l,
                                   .part_v = half,
                                   .piece_u = half,
                                   .parts = 3,
                                   .pieces = 3,
                                   .kept = 3,
                                   .terms = 2};
    return has_parts ? ensure_plan(s, key, &parts, 3 * half - 5) : ensure_plan(s, key, &plan, n);
}

enum role { FIRST_OR_POINTWISE, MIDDLE, FOLDING, SUMMING, KEPT };
static unsigned key_of(unsigned log_r, int contiguous, enum role role) {
    return (contiguous ? (log_r == 8 ? 6 : 7) : log_r - 5) + 8 * role;
}

static struct ntt_length one_ring(unsigned log_m, unsigned root, unsigned passes, unsigned r0,
                                  unsigned r1, unsigned r2) {
    return (struct ntt_length){1, {{log_m, root, passes, {r0, r1, r2}}}};
}

/* Tests the programs of the transforms modulo one ring (polynomials modulo x^n - 1 or x^n + 1),
 * each in its place as the first, middle or last pass. `ensure` tests whole products, or products
 * modulo 2^k - 1 (`root` 0) or 2^k + 1 (`root` 1). */
static enum gpu_status
ensure_ring(struct context *s, const struct ntt_ring *r, unsigned root, unsigned keys,
            enum gpu_status (*ensure)(struct context *s, unsigned key, struct ntt_length l)) {
    unsigned first = r->log_r[0], last = r->log_r[r->passes - 1], middle = r->log_r[1];
    enum gpu_status status = ensure(s, keys + key_of(first, 0, FIRST_OR_POINTWISE),
                                    one_ring(first + 8, root, 2, first, 8, 0));
    if (status == GPU_OK && last != 8)
        status = ensure(s, keys + key_of(last, 1, FIRST_OR_POINTWISE),
                        one_ring(5 + last, root, 2, 5, last, 0));
    if (status == GPU_OK && r->passes == 3)
        status = ensure(s, keys + key_of(middle, 0, MIDDLE),
                        one_ring(5 + middle + 8, root, 3, 5, middle, 8));
    return status;
}

/* Tests transforms modulo two rings (factors of the polynomial modulus): how digits above the
 * shorter ring's length are reduced, and how the results of both rings are joined. */
static enum gpu_status ensure_two(struct context *s, const struct ntt_length *l) {
    unsigned first = l->ring[1].log_r[0];
    struct ntt_length two = one_ring(first + 8, 0, 2, first, 8, 0);
    two.rings = 2;
    two.ring[1] = two.ring[0];
    ntt_ring_init(&two.ring[0], first + 10, 1);
    return ensure_product(s, KNOWN_NTT + key_of(first, 0, FOLDING), two);
}

/* Tests the programs of a plan: transforms for each ring, the joining of two rings, and products by
 * transforms that stay in memory. Such products are also computed while operands are being
 * uploaded. */
enum gpu_status selftest_ntt(struct context *s, const struct ntt_plan *plan) {
    const struct ntt_length *l = &plan->length;
    const bool has_parts = plan->parts != 1;
    enum gpu_status status = GPU_OK;
    for (unsigned i = 0; i < l->rings && status == GPU_OK; i++)
        status = ensure_ring(s, &l->ring[i], 0, KNOWN_NTT, ensure_product);
    if (status == GPU_OK && l->rings == 2)
        status = ensure_two(s, l);
    for (unsigned i = 0; i < l->rings && status == GPU_OK; i++) {
        unsigned last = l->ring[i].log_r[l->ring[i].passes - 1];
        status = ensure_kept(s, KNOWN_NTT + key_of(last, 1, has_parts ? SUMMING : KEPT),
                             one_ring(5 + last, 0, 2, 5, last, 0), has_parts);
    }
    return status;
}

enum gpu_status selftest_mulmod(struct context *s, const struct ntt_ring *ring) {
    return ensure_ring(s, ring, ring->root, ring->root ? KNOWN_PLUS : KNOWN_MINUS,
                       ensure_wraparound);
}

/* ---- tests that each device must pass first */

/* Tests the kernel that computes residues, because the check of all results relies on it. */
static void verify_check(struct known_answer *t) {
    struct check check;
    KNOWN_ANSWER(t, check_start(&check, t->s, t->x[0], t->x[1], t->x[0]));
    KNOWN_ANSWER(t, gpu_finish(&t->s->queue));
    for (int k = 0; k < 3 && t->status == GPU_OK; k++)
        known_answer_expect(
            t, check_residue(&check, k) == residue_of(t->host[k == 1], t->n, check.q.m), "residue",
            t->n);
}

/* Tests a sum and a difference by residues: r + carry P = u + v, and r + v = u + carry P, where P
 * is 2^32 to the power of r's length in words. */
static void verify_sums(struct known_answer *t) {
    for (int subtract = 0; subtract < 2; subtract++) {
        uint32_t carry = 0;
        uint64_t u = t->residue[0], v = t->residue[1];
        KNOWN_ANSWER(
            t, number_add(t->s, number_part(t->r, 0, t->n), t->x[0], t->x[1], subtract, &carry));
        uint64_t power = carry ? residue_of_power(t->n) : 0;
        uint64_t right = subtract ? residue_add(residue_add(u, power), RESIDUE_MODULUS - v)
                                  : residue_add(residue_add(u, v), RESIDUE_MODULUS - power);
        known_answer_residue(t, t->n, right, subtract ? "difference" : "sum");
    }
}

/* Tests residues and sums. In the last sum, the kernel resolves the carries between work-groups
 * itself. If memory does not suffice for this sum, no later sum is that long, and the test counts
 * as passed. */
static enum gpu_status ensure_first(struct context *s) {
    /* CHECKED: words of numbers whose residues are tested; ONE_GROUP, FEW_GROUPS: words of sums
     * that one work-group or a few work-groups compute */
    enum { CHECKED = 20011, ONE_GROUP = 1003, FEW_GROUPS = 10007 };
    enum gpu_status status = known_answer_ensure(s, KNOWN_RESIDUES, CHECKED, verify_check, NULL);
    if (status == GPU_OK)
        status = known_answer_ensure(s, KNOWN_SUMS, ONE_GROUP, verify_sums, NULL);
    if (status == GPU_OK)
        status = known_answer_ensure(s, KNOWN_LONGER_SUMS, FEW_GROUPS, verify_sums, NULL);
    if (status != GPU_OK || !number_resolves(s, 2))
        return status;
    status = known_answer_ensure(s, KNOWN_SETTLED_SUMS, CARRY_SETTLED * CARRY_CHUNK + 7,
                                 verify_sums, NULL);
    return status == GPU_NOMEM && retry_release(s) ? GPU_OK : status;
}

/* Tests small products that are computed column by column. First uploads the tables, because the
 * host checks such products modulo the random modulus in them. */
enum gpu_status selftest_columns(struct context *s) {
    const struct small_plan columns = {0};
    gpu_mem unused;
    enum gpu_status status = tables_get(s, &unused);
    return status == GPU_OK ? selftest_small(s, &columns) : status;
}

enum gpu_status selftest_all(struct context *s) {
    struct ntt_plan shortest = {.parts = 1, .pieces = 1};
    ntt_length_init(&shortest.length, NTT_MIN_LOG, 0);
    enum gpu_status status = ensure_first(s);
    if (status == GPU_OK)
        status = selftest_columns(s);
    return status == GPU_OK ? selftest_ntt(s, &shortest) : status;
}
