/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Residues of limbs in host memory. A step processes CHAINS groups of LIMBS limbs. The sums of the
 * groups do not depend on each other, so the CPU computes them at the same time. */
#include "lib/device/limbs_residue.h"

#include "lib/base/min.h"
#include "lib/device/modulus.h"
#include "lib/process/thread_pool.h"

enum { LIMBS = LIMBS_RESIDUE_GROUP, CHAINS = LIMBS_RESIDUE_GROUPS, STEP = LIMBS * CHAINS };
enum { PART_LIMBS = 1 << 14, MOST_PARTS = 1 << 10 }; /* of one loop */

struct limbs_weights limbs_weights_of(struct check_modulus q) {
    const uint64_t b = (uint64_t)(((unsigned __int128)q.one << 64) % q.m);
    struct limbs_weights w = {.q = q, .limb = {q.one}, .group = {q.one}};
    for (int k = 1; k < LIMBS; k++)
        w.limb[k] = residue_product(w.limb[k - 1], b, q.m, q.minv);
    const uint64_t limbs = residue_product(w.limb[LIMBS - 1], b, q.m, q.minv);
    for (int c = 1; c < CHAINS; c++)
        w.group[c] = residue_product(w.group[c - 1], limbs, q.m, q.minv);
    w.step = residue_product(w.group[CHAINS - 1], limbs, q.m, q.minv);
    return w;
}

/* Returns x / 2^64 modulo m, or this plus a multiple of m. */
static inline uint64_t reduced(unsigned __int128 x, const struct limbs_weights *w) {
    const struct residue_sum sum = {(uint64_t)x, (uint64_t)(x >> 64)};
    return residue_reduce(sum, w->q.m, w->q.minv);
}

/* Returns a number congruent to r weight + {x, LIMBS} modulo w->q.m. Each limb is multiplied by the
 * residue of its weight, so the sum of products is at most (LIMBS + 1) 2^125 < 2^127.4. So
 * residue_reduce does not overflow. */
static inline uint64_t group_added(uint64_t r, uint64_t weight, const uint64_t *x,
                                   const struct limbs_weights *w) {
    unsigned __int128 sum = (unsigned __int128)r * weight;
    for (int k = 0; k < LIMBS; k++)
        sum += (unsigned __int128)x[k] * w->limb[k];
    return reduced(sum, w);
}

/* Returns a number congruent to the n < STEP limbs {x, n} modulo m. Processes the highest limb
 * first. */
static uint64_t residue_of_few(const uint64_t *x, size_t n, const struct limbs_weights *w) {
    uint64_t r = 0;
    for (; n % LIMBS != 0; n--)
        r = reduced((unsigned __int128)r * w->limb[1] + (unsigned __int128)x[n - 1] * w->limb[0],
                    w);
    for (; n > 0; n -= LIMBS)
        r = group_added(r, w->group[1], x + n - LIMBS, w);
    return r;
}

uint64_t limbs_residue_of_block(const uint64_t *x, size_t n, const struct limbs_weights *w) {
    const size_t few = n % STEP;
    uint64_t r[CHAINS] = {residue_of_few(x + n - few, few, w)}, sum = 0;
    for (size_t i = n - few; i > 0; i -= STEP)
        for (int c = 0; c < CHAINS; c++)
            r[c] = group_added(r[c], w->step, x + i - STEP + (size_t)c * LIMBS, w);
    for (int c = 0; c < CHAINS; c++)
        sum = residue_plus(sum, residue_product(r[c], w->group[c], w->q.m, w->q.minv), w->q.m);
    return sum;
}

uint64_t limbs_residue_shifted(uint64_t r, size_t limbs, struct check_modulus q) {
    return residue_product(r, modulus_power_of_words(2 * (uint64_t)limbs, q), q.m, q.minv) % q.m;
}

/* ---- residues of long numbers, of which several threads compute a part each */

struct parts {
    const uint64_t *x;
    size_t n;
    struct limbs_weights w;
    uint64_t residue[MOST_PARTS];
};

static void take(void *context, size_t first, size_t end) {
    struct parts *p = context;
    for (size_t k = first; k < end; k++)
        p->residue[k] = limbs_residue_of_block(p->x + k * PART_LIMBS,
                                               min_u64(PART_LIMBS, p->n - k * PART_LIMBS), &p->w);
}

static uint64_t residue_of_parts(struct parts *p) {
    const size_t parts = (p->n + PART_LIMBS - 1) / PART_LIMBS;
    const struct check_modulus q = p->w.q;
    const uint64_t shift = modulus_power_of_words(2 * PART_LIMBS, q);
    uint64_t sum = 0;
    thread_pool_loop(parts, p->n * sizeof *p->x, take, p);
    for (size_t k = parts; k-- > 0;)
        sum = residue_plus(residue_product(sum, shift, q.m, q.minv), p->residue[k], q.m);
    return sum % q.m;
}

static uint64_t residue_of_many(const uint64_t *x, size_t n, const struct limbs_weights *w) {
    const size_t most = (size_t)PART_LIMBS * MOST_PARTS;
    struct parts p = {.w = *w};
    uint64_t sum = 0;
    size_t at = (n + most - 1) / most * most;
    while (at > 0) {
        at -= most;
        p.x = x + at;
        p.n = min_u64(most, n - at);
        sum = residue_plus(limbs_residue_shifted(sum, p.n, w->q), residue_of_parts(&p), w->q.m);
    }
    return sum;
}

uint64_t limbs_residue(const uint64_t *x, size_t n, struct check_modulus q) {
    const struct limbs_weights w = limbs_weights_of(q);
    return n <= PART_LIMBS ? limbs_residue_of_block(x, n, &w) : residue_of_many(x, n, &w);
}

uint64_t limbs_residue_at(const uint64_t *x, size_t n, size_t at, struct check_modulus q) {
    return limbs_residue_shifted(limbs_residue(x, n, q), at, q);
}
