/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known-answer tests of the kernels for trees (kernels/trees/): the middle words of products,
 * fractions of leaves, the check of remainders, and sums of signed numbers. */
#include <string.h>

#include "kernels/trees/trees.h"
#include "lib/base/ceil_div.h"
#include "lib/device/launch.h"
#include "lib/device/modulus.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"

enum { WORDS = 2600, MOST = 1200 };

/* The arguments of the kernel that computes the middle words of products. */
struct shape {
    uint32_t un, vn, from, rn, start, count, u_count, swap;
};

/* Returns true if `got` is the right number. If `start` > 0, words below `start` are not computed,
 * so `got` may also be 1 less. */
static bool is_right(const uint32_t *got, const uint32_t *right, const struct shape *k) {
    uint32_t less = right[0] - got[0], borrow = right[0] < got[0], others = 0;
    for (uint32_t i = 1; i < k->rn; i++) {
        others |= right[i] - got[i] - borrow;
        borrow = right[i] < got[i] || (right[i] == got[i] && borrow);
    }
    return less <= (k->start > 0) && others == 0;
}

static void verify_middle(struct known_answer *t, struct shape k) {
    uint32_t spans = (uint32_t)ceil_div(k.from + k.rn - k.start, TREES_SPAN);
    uint32_t tiles = (uint32_t)ceil_div(spans, TREES_THREADS);
    uint32_t each = tiles > 1 ? 1 : TREES_THREADS / spans, right[MOST];
    const struct number u = t->x[0], v = t->x[1];
    KNOWN_ANSWER(t, launch_tree_middle(t->s, launch_row(ceil_div(k.count, each)), t->r.mem, t->r.at,
                                       k.rn, u.mem, u.at, k.un, v.mem, v.at, k.vn, k.from, k.start,
                                       k.count, k.u_count, k.swap, spans, each, tiles));
    known_answer_down(t, t->got, t->r.mem, 0, (size_t)k.count * k.rn);
    for (uint32_t i = 0; i < k.count && t->status == GPU_OK; i++) {
        uint32_t j = !k.swap ? i : i < k.swap ? i + k.swap : i - k.swap;
        known_answer_mul(right, t->host[0] + i % k.u_count * k.un, k.un, t->host[1] + j * k.vn,
                         k.vn);
        known_answer_expect(t, is_right(t->got + i * k.rn, right + k.from, &k),
                            "middle of a product", k.un);
    }
}

/* Tests the kernel that scales a fraction: it adds a small offset to u, of `words` words, and
 * multiplies by the check's modulus. */
static void verify_scale(struct known_answer *t, uint32_t words) {
    const uint64_t m = t->s->modulus.m;
    uint32_t by[2] = {(uint32_t)m, (uint32_t)(m >> 32)}, f[MOST], right[MOST];
    const uint32_t one = 1;
    memcpy(f, t->host[0], words * sizeof *f);
    known_answer_addmul(f + TREES_OFFSET_WORD, words - TREES_OFFSET_WORD, &one, 1, 1);
    known_answer_mul(right, f, words, by, 2);
    known_answer_up(t, t->r.mem, 0, t->host[0], words);
    KNOWN_ANSWER(
        t, launch_tree_scale(t->s, launch_row(1), t->r.mem, 0, words, t->r.mem, words / 2, 1, m));
    known_answer_compare(t, t->r.mem, 0, right, words + 2, "scaled fraction");
}

/* Tests the kernel tree_check with divisors n = u, remainders r = v and quotients q = u, in numbers
 * of `limbs` limbs. The expected value fits only number 0, so the kernel must count one right
 * number. */
static void verify_check(struct known_answer *t, uint32_t limbs, bool is_product, uint32_t count) {
    const struct check_modulus q = t->s->modulus;
    const gpu_mem u = t->x[0].mem, v = t->x[1].mem;
    const uint32_t one = 1;
    uint64_t n = residue_of(t->host[0], 2 * limbs, q.m), factor = residue_of(t->host[0], 2, q.m);
    uint64_t x = (modulus_mul(factor, n, q) + residue_of(t->host[1], 2 * limbs, q.m)) % q.m;
    uint64_t downs = is_product ? 2 * limbs + 1 : limbs;
    x = is_product ? modulus_mul(x, n, q) : x;
    while (downs-- > 0)
        x = residue_product(x, 1, q.m, q.minv);
    KNOWN_ANSWER(t, gpu_zero(&t->s->queue, t->r.mem, 0, sizeof one));
    KNOWN_ANSWER(t,
                 launch_tree_check(t->s, launch_row(1), u, 0, v, 0, limbs, u, 0, count, is_product,
                                   q.m, q.minv, modulus_mul(q.one, q.one, q), x, t->r.mem, 0));
    known_answer_compare(t, t->r.mem, 0, &one, 1, "check of remainders");
}

/* Returns true if two nodes were joined correctly. left[], right[] and made[] have the signs (1:
 * negative) of the numbers p, q and t of the two nodes and of the joined node. The sum of a and b,
 * with their signs, must be `got`, and made[] must have the right signs. */
static bool is_merged(const uint32_t *a, const uint32_t *b, const uint32_t *got, uint32_t words,
                      const uint32_t *left, const uint32_t *right, const uint32_t *made) {
    bool minus_a = left[2] ^ right[1], minus_b = left[0] ^ right[2];
    bool is_wrong = made[0] != (left[0] ^ right[0]) || made[1] != (left[1] ^ right[1]);
    int64_t carry = 0;
    for (uint32_t k = 0; k < words; k++, carry >>= 32) {
        carry += (minus_a ? -(int64_t)a[k] : a[k]) + (minus_b ? -(int64_t)b[k] : b[k]);
        carry -= made[2] ? -(int64_t)got[k] : got[k];
        is_wrong |= (uint32_t)carry != 0;
    }
    return !is_wrong && (minus_a == minus_b || carry == 0);
}

/* Tests sums of signed numbers: four nodes of a binary splitting are joined in pairs to two nodes.
 * The signs are arbitrary bits of the first operand. */
static void verify_merge(struct known_answer *t, uint32_t words, bool is_exchanged) {
    enum { HALF = 2, SIGNS_AT = 1000, MADE_AT = 1100 };
    const uint32_t *a = t->host[is_exchanged], *b = t->host[!is_exchanged];
    uint32_t signs[6 * HALF], made[6] = {0};
    for (int i = 0; i < 6 * HALF; i++)
        signs[i] = t->host[0][40 + i] >> 7 & 1;
    known_answer_up(t, t->r.mem, SIGNS_AT, signs, 6 * HALF);
    KNOWN_ANSWER(t, launch_tree_merge(t->s, launch_row(2), t->r.mem, 0, t->x[is_exchanged].mem, 0,
                                      t->x[!is_exchanged].mem, 0, words, t->r.mem, MADE_AT,
                                      t->r.mem, SIGNS_AT, 0, HALF,
                                      (uint32_t)ceil_div(words, TREES_SPAN * TREES_THREADS)));
    known_answer_down(t, made, t->r.mem, MADE_AT, 6);
    known_answer_down(t, t->got, t->r.mem, 0, (size_t)2 * words);
    for (size_t i = 0; i < 2; i++) {
        const size_t at = i * words;
        const uint32_t *left = signs + 3 * i, *right = left + 3 * HALF;
        known_answer_expect(
            t, is_merged(a + at, b + at, t->got + at, words, left, right, made + 3 * i),
            "sum of a node", words);
    }
}

static void verify(struct known_answer *t) {
    static const struct shape shapes[] = {{12, 4, 4, 8, 0, 19, 10, 10},
                                          {44, 20, 20, 24, 16, 8, 8, 4},
                                          {1040, 40, 1040, 40, 0, 2, 2, 0},
                                          {20, 600, 4, 616, 0, 1, 1, 0}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        verify_middle(t, shapes[k]);
    for (uint32_t words = 4; words < 80; words += 36)
        verify_scale(t, words);
    for (uint32_t k = 0; k < 6; k++)
        verify_merge(t, k < 4 ? 8 * (k + 1) : 480, k & 1);
    for (uint32_t k = 0; k < 4; k++)
        verify_check(t, 6, k & 1, 1 + k / 2);
}

enum gpu_status selftest_tree(struct context *s) {
    return known_answer_ensure(s, KNOWN_TREE, WORDS, verify, NULL);
}
