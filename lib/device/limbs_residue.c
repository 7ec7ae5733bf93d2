/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Residues of limbs in host memory.  A step takes LIMBS limbs from each of CHAINS parts: chains
 * that do not wait for one another. */
#include "lib/device/limbs_residue.h"

#include "lib/base/min.h"
#include "lib/device/modulus.h"
#include "lib/transfer/shared_loop.h"

enum { LIMBS = 4, CHAINS = 4 };
enum { PART_LIMBS = 1 << 14, MOST_PARTS = 1 << 10 }; /* of one loop */

/* weight[k] = 2^(64 k) 2^64 modulo q.m. */
struct weights {
    struct check_modulus q;
    uint64_t weight[LIMBS + 1];
};

static struct weights weights_of(struct check_modulus q) {
    struct weights w = {.q = q, .weight = {q.one}};
    for (int k = 0; k < LIMBS; k++)
        w.weight[k + 1] = (uint64_t)(((unsigned __int128)w.weight[k] << 64) % q.m);
    return w;
}

/* r 2^(64 LIMBS) + {x, LIMBS}, not reduced.  The sum is at most (LIMBS + 1) 2^125, below 2^127.4,
 * since q.m is below 2^61, so residue_reduce does not overflow. */
static inline uint64_t step(uint64_t r, const uint64_t *x, const struct weights *w) {
    struct residue_sum sum = residue_sum_add((struct residue_sum){0, 0}, r, w->weight[LIMBS]);
    for (int k = 0; k < LIMBS; k++)
        sum = residue_sum_add(sum, x[k], w->weight[k]);
    return residue_reduce(sum, w->q.m, w->q.minv);
}

/* The highest limb first. */
static uint64_t residue_of_few(const uint64_t *x, size_t n, const struct weights *w) {
    uint64_t r = 0;
    for (; n % LIMBS != 0; n--) {
        struct residue_sum sum = residue_sum_add((struct residue_sum){0, 0}, r, w->weight[1]);
        r = residue_reduce(residue_sum_add(sum, x[n - 1], w->weight[0]), w->q.m, w->q.minv);
    }
    for (; n > 0; n -= LIMBS)
        r = step(r, x + n - LIMBS, w);
    return r % w->q.m;
}

static uint64_t shifted(uint64_t r, size_t limbs, struct check_modulus q) {
    return residue_product(r, modulus_power_of_words(2 * (uint64_t)limbs, q), q.m, q.minv) % q.m;
}

static uint64_t residue_of_part(const uint64_t *x, size_t n, const struct weights *w) {
    const size_t length = n / (LIMBS * CHAINS) * LIMBS;
    uint64_t r[CHAINS] = {0};
    for (size_t i = length; i > 0; i -= LIMBS)
        for (int c = 0; c < CHAINS; c++)
            r[c] = step(r[c], x + (size_t)c * length + i - LIMBS, w);
    uint64_t sum = residue_of_few(x + CHAINS * length, n - CHAINS * length, w);
    for (int c = CHAINS; c-- > 0;)
        sum = residue_plus(shifted(sum, length, w->q), r[c] % w->q.m, w->q.m);
    return sum;
}

/* ---- parts for several threads */

struct parts {
    const uint64_t *x;
    size_t n;
    struct weights w;
    uint64_t residue[MOST_PARTS];
};

static void take(void *context, size_t first, size_t end) {
    struct parts *p = context;
    for (size_t k = first; k < end; k++)
        p->residue[k] = residue_of_part(p->x + k * PART_LIMBS,
                                        min_u64(PART_LIMBS, p->n - k * PART_LIMBS), &p->w);
}

static uint64_t residue_of_parts(struct parts *p) {
    const size_t parts = (p->n + PART_LIMBS - 1) / PART_LIMBS;
    const struct check_modulus q = p->w.q;
    const uint64_t shift = modulus_power_of_words(2 * PART_LIMBS, q);
    uint64_t sum = 0;
    shared_loop(parts, p->n * sizeof *p->x, take, p);
    for (size_t k = parts; k-- > 0;)
        sum = residue_plus(residue_product(sum, shift, q.m, q.minv), p->residue[k], q.m);
    return sum % q.m;
}

uint64_t limbs_residue(const uint64_t *x, size_t n, struct check_modulus q) {
    const size_t most = (size_t)PART_LIMBS * MOST_PARTS;
    struct parts p = {.w = weights_of(q)};
    uint64_t sum = 0;
    size_t at = (n + most - 1) / most * most;
    while (at > 0) {
        at -= most;
        p.x = x + at;
        p.n = min_u64(most, n - at);
        sum = residue_plus(shifted(sum, p.n, q), residue_of_parts(&p), q.m);
    }
    return sum;
}

uint64_t limbs_residue_at(const uint64_t *x, size_t n, size_t at, struct check_modulus q) {
    return shifted(limbs_residue(x, n, q), at, q);
}
