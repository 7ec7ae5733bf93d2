/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers.  Operands with long runs of ones and zeros among random words go
 * through the kernels; what comes back must have the residue that the operands'
 * residues give. */
#include "lib/selftest/selftest.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/common/carry_settle.h"
#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/device/residue.h"
#include "lib/device/room.h"
#include "lib/device/tables.h"
#include "lib/multiply/check.h"
#include "lib/multiply/mulmod.h"
#include "lib/multiply/ntt.h"
#include "lib/selftest/known_answer.h"
#include "lib/transfer/transfer.h"

/* Product and square by a plan for operands of n digits. */
static enum gpu_status verify_plan(struct context *s, const struct ntt_plan *plan, uint64_t n) {
    struct known_answer t;
    enum gpu_status status = known_answer_begin(&t, s, n * NTT_DIGIT_WORDS);
    if (status == GPU_OK) {
        uint64_t u = t.u_residue, v = t.v_residue;
        status = ntt_mul(s, plan, t.r, t.u, t.v);
        status = known_answer_check(&t, status, 2 * t.n, residue_mul(u, v), "product");
        if (status == GPU_OK)
            status = ntt_mul(s, plan, t.r, t.u, t.u);
        status = known_answer_check(&t, status, 2 * t.n, residue_mul(u, u), "square");
    }
    free(t.host);
    return status;
}

static enum gpu_status verify_product(struct context *s, const struct ntt_length *l) {
    uint64_t half = ntt_length_digits(l) / 2;
    struct ntt_plan plan = {.length = *l, .part_v = half, .piece_u = half, .parts = 1, .pieces = 1};
    return verify_plan(s, &plan, half);
}

/* A part and two pieces, for which its transform is kept. */
static enum gpu_status verify_pieces(struct context *s, const struct ntt_length *l) {
    uint64_t digits = ntt_length_digits(l), n = 3 * digits / 4;
    struct ntt_plan plan = {.length = *l, .part_v = n, .piece_u = digits - n, .parts = 1};
    plan.pieces = 3;
    return verify_plan(s, &plan, n);
}

/* Three parts and pieces, the middle ones' products summed. */
static enum gpu_status verify_parts(struct context *s, const struct ntt_length *l) {
    uint64_t half = ntt_length_digits(l) / 2;
    struct ntt_plan plan = {.length = *l, .part_v = half, .piece_u = half, .parts = 3, .pieces = 3};
    plan.kept = 3;
    plan.terms = 2;
    return verify_plan(s, &plan, 3 * half - 5);
}

/* Does the check take a product in a ring for right? */
static enum gpu_status verify_check_mulmod(struct known_answer *t, struct mulmod *ring,
                                           struct number v) {
    struct check check;
    struct number r = number_part(t->r, 0, t->n);
    enum gpu_status status = check_start_mulmod(&check, t->s, r, t->u, v, &ring->reduced);
    if (status == GPU_OK)
        status = gpu_finish(&t->s->queue);
    if (status == GPU_OK && check_mulmod(&check, &ring->reduced) != GPU_OK)
        status = known_answer_wrong(t->s, "residue in a ring", t->n);
    return status;
}

/* One product of a self-test in a ring, to the host. */
static enum gpu_status multiply_mulmod(struct known_answer *t, struct mulmod *ring, struct number v,
                                       uint32_t *host) {
    struct number r = number_part(t->r, 0, ring->room);
    enum gpu_status status = mulmod_mul(t->s, ring, r, t->u, v);
    return status == GPU_OK
               ? transfer_down(t->s->transfer, &t->s->queue, host, r.mem, 0, t->n * sizeof *host)
               : status;
}

enum gpu_status selftest_compare_mulmod(struct context *s, struct mulmod *wrapped) {
    size_t n = wrapped->words;
    struct mulmod full = {.words = n, .plus = wrapped->plus, .room = 2 * n};
    struct known_answer t = {.host = NULL};
    full.product.algorithm = BY_NTT;
    enum gpu_status status = ntt_plan(s, &full.product.ntt, n, n);
    if (status == GPU_OK)
        status = selftest_ntt(s, &full.product.ntt);
    if (status == GPU_OK)
        status = known_answer_begin(&t, s, n);
    for (int square = 0; square < 2 && status == GPU_OK; square++) {
        uint32_t *right = t.host + 2 * n, *r = right + n;
        status = multiply_mulmod(&t, &full, square ? t.u : t.v, right);
        if (status == GPU_OK)
            status = multiply_mulmod(&t, wrapped, square ? t.u : t.v, r);
        if (status == GPU_OK && (mpgpu_conf.verify == VERIFY_DEVICE || mulmod_is_by_fft(wrapped)))
            status = verify_check_mulmod(&t, wrapped, square ? t.u : t.v);
        if (status == GPU_OK &&
            (memcmp(r, right, n * sizeof *r) != 0 || wrapped->reduced.top != full.reduced.top))
            status = known_answer_wrong(s, "product in a ring", n);
    }
    free(t.host);
    return status;
}

static enum gpu_status verify_wraparound(struct context *s, const struct ntt_length *l) {
    size_t n = ntt_length_digits(l) * NTT_DIGIT_WORDS;
    struct mulmod wrapped = {.words = n, .plus = (int)l->ring[0].root, .room = n + NTT_SURPLUS};
    wrapped.way = MULMOD_BY_NTT;
    wrapped.length = *l;
    return selftest_compare_mulmod(s, &wrapped);
}

/* The self-tests that a length asks for, and which of them have been passed. */
struct pending_tests {
    struct context *s;
    enum gpu_status (*verify)(struct context *s, const struct ntt_length *l);
    uint64_t *verified;
    int count;
    struct ntt_length length[3];
    uint64_t bit[3];
};

/* What a self-test verifies: a program in one of these roles. */
enum role { FIRST_OR_POINTWISE, MIDDLE, FOLDING, SUMMING, KEPT };
static uint64_t bit_of_test(unsigned log_r, int contiguous, enum role role) {
    unsigned program = contiguous ? (log_r == 8 ? 6 : 7) : log_r - 5;
    return (uint64_t)1 << (program + 8 * role);
}

static void want(struct pending_tests *p, uint64_t bit, struct ntt_length length) {
    if (*p->verified & bit)
        return;
    p->bit[p->count] = bit;
    p->length[p->count++] = length;
}

static enum gpu_status verify_all(struct pending_tests *p) {
    enum gpu_status status = GPU_OK;
    for (int i = 0; i < p->count && status == GPU_OK; i++) {
        status = p->verify(p->s, &p->length[i]);
        if (status == GPU_OK)
            *p->verified |= p->bit[i];
        else
            mpgpu_log(LOG_INFO, "known-answer test: %s: %s", gpu_status_text(status),
                      gpu_error_text());
    }
    return status;
}

static struct ntt_length one_ring(unsigned log_m, unsigned root, unsigned passes, unsigned r0,
                                  unsigned r1, unsigned r2) {
    return (struct ntt_length){1, {{log_m, root, passes, {r0, r1, r2}}}};
}

/* Of a ring by itself, its programs each at the shortest length, with that root. */
static enum gpu_status verify_ring(struct pending_tests p, const struct ntt_ring *r,
                                   unsigned root) {
    unsigned first = r->log_r[0], last = r->log_r[r->passes - 1];
    want(&p, bit_of_test(first, 0, FIRST_OR_POINTWISE), one_ring(first + 8, root, 2, first, 8, 0));
    if (last != 8)
        want(&p, bit_of_test(last, 1, FIRST_OR_POINTWISE), one_ring(5 + last, root, 2, 5, last, 0));
    if (r->passes == 3) {
        unsigned middle = r->log_r[1];
        want(&p, bit_of_test(middle, 0, MIDDLE), one_ring(5 + middle + 8, root, 3, 5, middle, 8));
    }
    return verify_all(&p);
}

/* Of two rings, what the shorter does with digits beyond its length, and their joint. */
static enum gpu_status verify_two(struct context *s, const struct ntt_length *l) {
    struct pending_tests p = {.s = s, .verify = verify_product, .verified = &s->verified};
    unsigned first = l->ring[1].log_r[0];
    struct ntt_length two = one_ring(first + 8, 0, 2, first, 8, 0);
    two.rings = 2;
    two.ring[1] = two.ring[0];
    ntt_ring_init(&two.ring[0], first + 10, 1);
    want(&p, bit_of_test(first, 0, FOLDING), two);
    return verify_all(&p);
}

/* What is done with transforms that are kept, for pieces or while an operand arrives. */
static enum gpu_status verify_kept(struct context *s, const struct ntt_plan *plan) {
    const struct ntt_length *l = &plan->length;
    enum gpu_status status = GPU_OK;
    for (unsigned i = 0; i < l->rings && status == GPU_OK; i++) {
        struct pending_tests p = {.s = s, .verify = verify_parts, .verified = &s->verified};
        unsigned last = l->ring[i].log_r[l->ring[i].passes - 1];
        if (plan->parts == 1)
            p.verify = verify_pieces;
        want(&p, bit_of_test(last, 1, plan->parts == 1 ? KEPT : SUMMING),
             one_ring(5 + last, 0, 2, 5, last, 0));
        status = verify_all(&p);
    }
    return status;
}

enum gpu_status selftest_ntt(struct context *s, const struct ntt_plan *plan) {
    const struct ntt_length *l = &plan->length;
    struct pending_tests p = {.s = s, .verify = verify_product, .verified = &s->verified};
    enum gpu_status status = GPU_OK;
    for (unsigned i = 0; i < l->rings && status == GPU_OK; i++)
        status = verify_ring(p, &l->ring[i], 0);
    if (status == GPU_OK && l->rings == 2)
        status = verify_two(s, l);
    return status == GPU_OK ? verify_kept(s, plan) : status;
}

enum gpu_status selftest_mulmod(struct context *s, const struct ntt_ring *ring) {
    uint64_t *verified = &s->verified_mulmod[ring->root];
    return verify_ring(
        (struct pending_tests){.s = s, .verify = verify_wraparound, .verified = verified}, ring,
        ring->root);
}

/* Sum and difference of operands of n words. */
static enum gpu_status verify_sums(struct context *s, size_t n) {
    struct known_answer t;
    enum gpu_status status = known_answer_begin(&t, s, n);
    for (int subtract = 0; subtract < 2 && status == GPU_OK; subtract++) {
        uint32_t carry = 0;
        struct number to = number_part(t.r, 0, t.n);
        status = number_add(s, to, t.u, t.v, subtract, &carry);
        if (status != GPU_OK)
            break;
        /* r + carry B^n = u + v, or r + v = u + carry B^n */
        uint64_t u = t.u_residue, v = t.v_residue;
        uint64_t power = carry ? residue_of_power(t.n) : 0;
        uint64_t right = subtract ? residue_add(residue_add(u, power), RESIDUE_MODULUS - v)
                                  : residue_add(residue_add(u, v), RESIDUE_MODULUS - power);
        status = known_answer_check(&t, status, t.n, right, subtract ? "difference" : "sum");
    }
    free(t.host);
    return status;
}

/* Products by a limb, v added to one and one taken from v, which makes it negative. */
static enum gpu_status verify_limb(struct context *s) {
    const uint64_t limb = 0xfffffffe00000003;
    struct known_answer t;
    enum gpu_status status = known_answer_begin(&t, s, 10008);
    if (status == GPU_OK) {
        struct number to = number_part(t.r, 0, t.n + 4), none = number_part(t.v, 0, 0);
        uint64_t v = t.v_residue, uv = residue_mul(t.u_residue, limb % RESIDUE_MODULUS);
        uint64_t power = residue_of_power(to.words);
        uint64_t right[] = {uv, residue_add(v, uv),
                            residue_add(residue_add(v, power), RESIDUE_MODULUS - uv)};
        for (int kind = 0; kind < 3 && status == GPU_OK; kind++) {
            status = number_mul_1(s, to, t.u, limb, kind ? t.v : none, kind == 2);
            status = known_answer_check(&t, status, to.words, right[kind], "product by a limb");
        }
    }
    free(t.host);
    return status;
}

enum gpu_status selftest_limb(struct context *s) {
    enum gpu_status status = s->verified_limb ? GPU_OK : verify_limb(s);
    s->verified_limb = status == GPU_OK;
    return status;
}

/* The residues that the check of results relies on. */
static enum gpu_status verify_check(struct context *s) {
    struct known_answer t;
    struct check check;
    enum gpu_status status = known_answer_begin(&t, s, 20011);
    if (status == GPU_OK)
        status = check_start(&check, s, t.u, t.v, t.u);
    if (status == GPU_OK)
        status = gpu_finish(&s->queue);
    for (int k = 0; k < 3 && status == GPU_OK; k++) {
        const uint32_t *x = k == 1 ? t.host + t.n : t.host;
        if (check_residue(&check, k) != residue_of(x, t.n, check.q.m))
            status = known_answer_wrong(s, "residue", t.n);
    }
    free(t.host);
    return status;
}

/* The host checks them by the modulus that comes with the tables. */
enum gpu_status selftest_columns(struct context *s) {
    const struct small_plan columns = {0};
    gpu_mem unused;
    enum gpu_status status = tables_get(s, &unused);
    return status == GPU_OK ? selftest_small(s, &columns) : status;
}

/* Carries of a launch of their own, where only sums of so many groups have it.  None is so long
 * where the memory for this one is not there; what it has taken of that is others'. */
static enum gpu_status verify_many_groups(struct context *s) {
    if (!number_settles(s, 2))
        return GPU_OK;
    enum gpu_status status = verify_sums(s, CARRY_SETTLED * CARRY_CHUNK + 7);
    return status == GPU_NOMEM && room_make(s) ? GPU_OK : status;
}

static enum gpu_status verify_first(struct context *s) {
    enum { ONE_GROUP = 1003, FEW_GROUPS = 10007 }; /* words, in work-groups of sums */
    enum gpu_status status = verify_check(s);
    if (status == GPU_OK)
        status = verify_sums(s, ONE_GROUP);
    if (status == GPU_OK)
        status = verify_sums(s, FEW_GROUPS);
    return status == GPU_OK ? verify_many_groups(s) : status;
}

enum gpu_status selftest_all(struct context *s) {
    struct ntt_plan shortest = {.parts = 1, .pieces = 1};
    ntt_length_init(&shortest.length, NTT_MIN_LOG, 0);
    enum gpu_status status = s->verified_first ? GPU_OK : verify_first(s);
    s->verified_first = status == GPU_OK;
    if (status == GPU_OK)
        status = selftest_columns(s);
    return status == GPU_OK ? selftest_ntt(s, &shortest) : status;
}
