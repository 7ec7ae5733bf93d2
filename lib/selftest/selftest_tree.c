/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers of kernels/trees/: middle words of products beside the host's, fractions of leaves,
 * and their check. */
#include <stdlib.h>
#include <string.h>

#include "kernels/trees/trees.h"
#include "lib/base/ceil_div.h"
#include "lib/device/launch.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"
#include "lib/transfer/transfer.h"

enum { WORDS = 2600, MOST = 1200 };

/* As the kernel's arguments. */
struct shape {
    uint32_t un, vn, from, rn, start, count, u_count, swap;
};

static enum gpu_status fetch(struct known_answer *t, size_t at, size_t count, uint32_t **r) {
    *r = t->host + 2 * t->n;
    return transfer_down(t->s->transfer, &t->s->queue, *r, t->r.mem, at * sizeof **r,
                         count * sizeof **r);
}

static void multiply(uint32_t *r, const uint32_t *u, uint32_t un, const uint32_t *v, uint32_t vn) {
    memset(r, 0, (un + vn) * sizeof *r);
    for (uint32_t i = 0; i < un; i++) {
        uint64_t carry = 0;
        for (uint32_t k = 0; k < vn; k++, carry >>= 32) {
            carry += (uint64_t)u[i] * v[k] + r[i + k];
            r[i + k] = (uint32_t)carry;
        }
        r[i + vn] = (uint32_t)carry;
    }
}

/* With `start` above 0 it may be 1 less. */
static bool is_right(const uint32_t *got, const uint32_t *right, const struct shape *k) {
    uint32_t less = right[0] - got[0], borrow = right[0] < got[0], others = 0;
    for (uint32_t i = 1; i < k->rn; i++) {
        others |= right[i] - got[i] - borrow;
        borrow = right[i] < got[i] || (right[i] == got[i] && borrow);
    }
    return less <= (k->start > 0) && others == 0;
}

static enum gpu_status verify_middle(struct known_answer *t, struct shape k) {
    uint32_t spans = (uint32_t)ceil_div(k.from + k.rn - k.start, TREES_SPAN), *r;
    uint32_t tiles = (uint32_t)ceil_div(spans, TREES_THREADS);
    uint32_t each = tiles > 1 ? 1 : TREES_THREADS / spans, right[MOST];
    enum gpu_status status = launch_tree_middle(
        t->s, launch_row(ceil_div(k.count, each)), t->r.mem, t->r.at, k.rn, t->u.mem, t->u.at, k.un,
        t->v.mem, t->v.at, k.vn, k.from, k.start, k.count, k.u_count, k.swap, spans, each, tiles);
    if (status == GPU_OK)
        status = fetch(t, 0, (size_t)k.count * k.rn, &r);
    for (uint32_t i = 0; i < k.count && status == GPU_OK; i++) {
        uint32_t j = !k.swap ? i : i < k.swap ? i + k.swap : i - k.swap;
        multiply(right, t->host + i % k.u_count * k.un, k.un, t->host + t->n + j * k.vn, k.vn);
        if (!is_right(r + i * k.rn, right + k.from, &k))
            status = known_answer_wrong(t->s, "middle of a product", k.un);
    }
    return status;
}

/* u, a number of `words` words, times m with the offset: its words and q. */
static enum gpu_status verify_scale(struct known_answer *t, uint32_t words) {
    const uint64_t m = t->s->modulus.m;
    uint32_t by[2] = {(uint32_t)m, (uint32_t)(m >> 32)}, f[MOST], right[MOST], *r;
    uint64_t carry = 1;
    memcpy(f, t->host, words * sizeof *f);
    for (uint32_t k = TREES_OFFSET_WORD; k < words; k++, carry >>= 32)
        f[k] = (uint32_t)(carry += f[k]);
    multiply(right, f, words, by, 2);
    enum gpu_status status =
        transfer_up(t->s->transfer, &t->s->queue, t->r.mem, 0, t->host, words * sizeof *t->host);
    if (status == GPU_OK)
        status =
            launch_tree_scale(t->s, launch_row(1), t->r.mem, 0, words, t->r.mem, words / 2, 1, m);
    if (status == GPU_OK)
        status = fetch(t, 0, words + 2, &r);
    return status == GPU_OK && memcmp(r, right, (words + 2) * sizeof *r) != 0
               ? known_answer_wrong(t->s, "scaled fraction", words)
               : status;
}

static uint64_t residue(const uint32_t *x, size_t words, uint64_t m) {
    uint64_t sum = 0;
    for (size_t i = words; i-- > 0;)
        sum = (uint64_t)(((unsigned __int128)sum << 32 | x[i]) % m);
    return sum;
}

/* Leaves and remainders u and v, of `limbs` limbs each, and q = u: one of them, which is right, or
 * two, of which the second is not. */
static enum gpu_status verify_check(struct known_answer *t, uint32_t limbs, bool is_product,
                                    uint32_t count) {
    const struct check_modulus q = t->s->modulus;
    uint64_t n = residue(t->host, 2 * limbs, q.m), factor = residue(t->host, 2, q.m);
    uint64_t x = (modulus_mul(factor, n, q) + residue(t->host + t->n, 2 * limbs, q.m)) % q.m;
    uint64_t downs = is_product ? 2 * limbs + 1 : limbs;
    uint32_t *r;
    x = is_product ? modulus_mul(x, n, q) : x;
    while (downs-- > 0)
        x = residue_product(x, 1, q.m, q.minv);
    enum gpu_status status = gpu_zero(&t->s->queue, t->r.mem, 0, sizeof(uint32_t));
    if (status == GPU_OK)
        status = launch_tree_check(t->s, launch_row(1), t->u.mem, 0, t->v.mem, 0, limbs, t->u.mem,
                                   0, count, is_product, q.m, q.minv, modulus_mul(q.one, q.one, q),
                                   x, t->r.mem, 0);
    if (status == GPU_OK)
        status = fetch(t, 0, 1, &r);
    return status == GPU_OK && *r != 1 ? known_answer_wrong(t->s, "check of remainders", limbs)
                                       : status;
}

/* |a| + |b| with their signs, for two nodes made of four; a and b are v and u, and then the other
 * way. Signs are the lowest bits of the host's words. */
static enum gpu_status verify_merge(struct known_answer *t, uint32_t words, bool is_exchanged) {
    enum { HALF = 2, SIGNS_AT = 1000, MADE_AT = 1100 };
    const uint32_t *a = t->host + (is_exchanged ? t->n : 0),
                   *b = t->host + (is_exchanged ? 0 : t->n);
    uint32_t signs[6 * HALF], made[6], *r;
    for (int i = 0; i < 6 * HALF; i++)
        signs[i] = t->host[40 + i] >> 7 & 1;
    enum gpu_status status = transfer_up(t->s->transfer, &t->s->queue, t->r.mem,
                                         SIGNS_AT * sizeof *signs, signs, sizeof signs);
    if (status == GPU_OK)
        status = launch_tree_merge(
            t->s, launch_row(2), t->r.mem, 0, (is_exchanged ? t->v : t->u).mem, 0,
            (is_exchanged ? t->u : t->v).mem, 0, words, t->r.mem, MADE_AT, t->r.mem, SIGNS_AT, 0,
            HALF, (uint32_t)ceil_div(words, TREES_SPAN * TREES_THREADS));
    if (status == GPU_OK)
        status = fetch(t, MADE_AT, 6, &r);
    if (status == GPU_OK)
        memcpy(made, r, sizeof made);
    if (status == GPU_OK)
        status = fetch(t, 0, (size_t)2 * words, &r);
    for (uint32_t i = 0; i < 2 && status == GPU_OK; i++) {
        const uint32_t *left = signs + 3 * i, *right = left + 3 * HALF;
        bool minus_a = left[2] ^ right[1], minus_b = left[0] ^ right[2];
        int64_t carry = 0;
        bool is_wrong =
            made[3 * i] != (left[0] ^ right[0]) || made[3 * i + 1] != (left[1] ^ right[1]);
        for (uint32_t k = 0; k < words; k++, carry >>= 32) {
            uint32_t at = i * words + k, got = r[at];
            carry += (minus_a ? -(int64_t)a[at] : a[at]) + (minus_b ? -(int64_t)b[at] : b[at]);
            carry -= made[3 * i + 2] ? -(int64_t)got : got;
            is_wrong |= (uint32_t)carry != 0;
        }
        is_wrong |= minus_a != minus_b && carry != 0;
        if (is_wrong)
            status = known_answer_wrong(t->s, "sum of a node", words);
    }
    return status;
}

static enum gpu_status verify(struct known_answer *t) {
    static const struct shape shapes[] = {{12, 4, 4, 8, 0, 19, 10, 10},
                                          {44, 20, 20, 24, 16, 8, 8, 4},
                                          {1040, 40, 1040, 40, 0, 2, 2, 0},
                                          {20, 600, 4, 616, 0, 1, 1, 0}};
    enum gpu_status status = GPU_OK;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes && status == GPU_OK; k++)
        status = verify_middle(t, shapes[k]);
    for (uint32_t words = 4; words < 80 && status == GPU_OK; words += 36)
        status = verify_scale(t, words);
    for (uint32_t k = 0; k < 6 && status == GPU_OK; k++)
        status = verify_merge(t, k < 4 ? 8 * (k + 1) : 480, k & 1);
    for (uint32_t k = 0; k < 4 && status == GPU_OK; k++)
        status = verify_check(t, 6, k & 1, 1 + k / 2);
    return status;
}

static enum gpu_status verify_tree(struct context *s) {
    struct known_answer t;
    gpu_mem unused;
    enum gpu_status status = tables_get(s, &unused);
    t.host = NULL;
    if (status == GPU_OK)
        status = known_answer_begin(&t, s, WORDS);
    if (status == GPU_OK)
        status = verify(&t);
    free(t.host);
    return status;
}

enum gpu_status selftest_tree(struct context *s) {
    enum gpu_status status = s->verified_tree ? GPU_OK : verify_tree(s);
    s->verified_tree = status == GPU_OK;
    return status;
}
