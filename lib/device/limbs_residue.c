/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Residues of limbs in host memory. Each limb of a block is multiplied by the residue of its
 * weight; a block's sum of products is reduced once. */
#include "lib/device/limbs_residue.h"

#include <stdatomic.h>

#include "lib/base/min.h"
#include "lib/base/started.h"
#include "lib/device/modulus.h"
#include "lib/process/ifma.h"
#include "lib/process/thread_pool.h"

/* LEAST_IFMA: the least limbs for which IFMA is faster. */
enum { BLOCK = LIMBS_RESIDUE_BLOCK, LEAST_IFMA = 16 };
enum { PART_LIMBS = 1 << 14, MOST_PARTS = 1 << 10 }; /* of one loop */

/* ---- weights */

/* Fills w->limb[0] to w->limb[count - 1], and w->block if count is BLOCK. */
static void fill_weights(struct limbs_weights *w, struct check_modulus q, size_t count) {
    const uint64_t b = (uint64_t)(((unsigned __int128)q.one << 64) % q.m);
    uint64_t power = q.one;
    w->q = q;
    for (size_t i = 0; i < count; i++, power = residue_product(power, b, q.m, q.minv))
        w->limb[i] = power;
    w->block = power;
    w->high = (uint64_t)(((unsigned __int128)1 << 104) % q.m);
}

/* Returns the weights of the modulus that this function was first called with: the program's
 * modulus of checks. Returns NULL for another modulus, or while another thread fills the table. */
static const struct limbs_weights *kept_weights(struct check_modulus q) {
    static LARGE_ZERO struct limbs_weights kept;
    static atomic_int state;
    enum { NONE, FILLING, FILLED };
    int none = NONE;
    if (atomic_load(&state) == NONE && atomic_compare_exchange_strong(&state, &none, FILLING)) {
        fill_weights(&kept, q, BLOCK);
        atomic_store(&state, FILLED);
    }
    return atomic_load(&state) == FILLED && kept.q.m == q.m ? &kept : NULL;
}

const struct limbs_weights *limbs_weights_of(struct check_modulus q, size_t n,
                                             struct limbs_weights *own) {
    const struct limbs_weights *kept = kept_weights(q);
    if (!kept)
        fill_weights(own, q, min_u64(n, BLOCK));
    return kept ? kept : own;
}

/* ---- blocks */

/* Returns a number congruent to x / 2^64 modulo m, at most x / 2^64 + m, for x < 7 m 2^64. */
static inline uint64_t reduced(unsigned __int128 x, const struct limbs_weights *w) {
    const struct residue_sum sum = {(uint64_t)x, (uint64_t)(x >> 64)};
    return residue_reduce(sum, w->q.m, w->q.minv);
}

/* Returns a number below 2^62 that is congruent to r weight / 2^64 + {x, n} modulo m, for r < 2^62
 * and n <= BLOCK. A sum of GROUP products is less than 7 m 2^64. */
static uint64_t add_block(uint64_t r, uint64_t weight, const uint64_t *x, size_t n,
                          const struct limbs_weights *w) {
    enum { GROUP = 7 };
    unsigned __int128 sum = reduced((unsigned __int128)r * weight, w);
    for (size_t i = 0; i < n; i += GROUP) {
        unsigned __int128 products = 0;
        for (size_t k = i; k < n && k < i + GROUP; k++)
            products += (unsigned __int128)x[k] * w->limb[k];
        sum += reduced(products, w);
    }
    return (uint64_t)(sum % w->q.m);
}

#ifdef HAVE_IFMA_CODE

/* Does the same as add_block. The product of a limb x and a weight y is, with 52-bit digits x0, x1
 * and y0, y1, the sum of four products of digits. The upper digits are x1 < 2^12 and y1 < 2^9.
 *
 * The 64 sums of a lane are less than 64 2^52 at place 0, and three times that at place 1. So the
 * eight lanes add up to less than 2^63. At place 2 they add up to less than 512 2^22 = 2^31. */
IFMA_CODE static uint64_t add_block_ifma(uint64_t r, uint64_t weight, const uint64_t *x, size_t n,
                                         const struct limbs_weights *w) {
    enum { LANES = 8, DIGIT = 52 };
    __m512i at0 = _mm512_setzero_si512(), low01 = at0, low10 = at0, high00 = at0, at2 = at0,
            high2 = at0;
    for (size_t i = 0; i < n; i += LANES) {
        const __mmask8 mask = (__mmask8)(n - i < LANES ? (1u << (n - i)) - 1 : 0xff);
        const __m512i x0 = _mm512_maskz_loadu_epi64(mask, x + i), x1 = _mm512_srli_epi64(x0, DIGIT);
        const __m512i y0 = _mm512_loadu_si512(w->limb + i), y1 = _mm512_srli_epi64(y0, DIGIT);
        at0 = _mm512_madd52lo_epu64(at0, x0, y0); /* the instruction ignores bits above bit 51 */
        high00 = _mm512_madd52hi_epu64(high00, x0, y0);
        low01 = _mm512_madd52lo_epu64(low01, x0, y1);
        high2 = _mm512_madd52hi_epu64(high2, x0, y1);
        low10 = _mm512_madd52lo_epu64(low10, x1, y0);
        at2 = _mm512_madd52hi_epu64(at2, x1, y0);
        at2 = _mm512_madd52lo_epu64(at2, x1, y1);
    }
    const __m512i at1 = _mm512_add_epi64(_mm512_add_epi64(high00, low01), low10);
    unsigned __int128 sum = (unsigned __int128)r * weight;
    sum += (uint64_t)_mm512_reduce_add_epi64(at0);
    sum += (unsigned __int128)(uint64_t)_mm512_reduce_add_epi64(at1) << DIGIT;
    sum += (unsigned __int128)(uint64_t)_mm512_reduce_add_epi64(_mm512_add_epi64(at2, high2)) *
           w->high;
    return reduced(sum, w);
}

#else

static uint64_t add_block_ifma(uint64_t r, uint64_t weight, const uint64_t *x, size_t n,
                               const struct limbs_weights *w) {
    return add_block(r, weight, x, n, w);
}

#endif

static uint64_t residue_of_blocks(const uint64_t *x, size_t n, const struct limbs_weights *w,
                                  bool has_ifma) {
    uint64_t r = 0;
    for (size_t end = n, count = n % BLOCK; end > 0; end -= count, count = BLOCK) {
        if (count >= LEAST_IFMA && has_ifma)
            r = add_block_ifma(r, w->block, x + end - count, count, w);
        else if (count > 0)
            r = add_block(r, w->block, x + end - count, count, w);
    }
    return r % w->q.m;
}

uint64_t limbs_residue_of_block(const uint64_t *x, size_t n, const struct limbs_weights *w) {
    return residue_of_blocks(x, n, w, ifma_is_usable());
}

uint64_t limbs_residue_without_ifma(const uint64_t *x, size_t n, const struct limbs_weights *w) {
    return residue_of_blocks(x, n, w, false);
}

uint64_t limbs_residue_shifted(uint64_t r, size_t limbs, struct check_modulus q) {
    return residue_product(r, modulus_power_of_words(2 * (uint64_t)limbs, q), q.m, q.minv) % q.m;
}

/* ---- residues of long numbers, of which several threads compute a part each */

struct parts {
    const uint64_t *x;
    size_t n;
    const struct limbs_weights *w;
    uint64_t residue[MOST_PARTS];
};

static void take(void *context, size_t first, size_t end) {
    struct parts *p = context;
    for (size_t k = first; k < end; k++)
        p->residue[k] = limbs_residue_of_block(p->x + k * PART_LIMBS,
                                               min_u64(PART_LIMBS, p->n - k * PART_LIMBS), p->w);
}

static uint64_t residue_of_parts(struct parts *p) {
    const size_t parts = (p->n + PART_LIMBS - 1) / PART_LIMBS;
    const struct check_modulus q = p->w->q;
    const uint64_t shift = modulus_power_of_words(2 * PART_LIMBS, q);
    uint64_t sum = 0;
    thread_pool_loop(parts, p->n * sizeof *p->x, take, p);
    for (size_t k = parts; k-- > 0;)
        sum = residue_plus(residue_product(sum, shift, q.m, q.minv), p->residue[k], q.m);
    return sum % q.m;
}

static uint64_t residue_of_many(const uint64_t *x, size_t n, const struct limbs_weights *w) {
    const size_t most = (size_t)PART_LIMBS * MOST_PARTS;
    struct parts p = {.w = w};
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
    struct limbs_weights own;
    const struct limbs_weights *w = limbs_weights_of(q, n, &own);
    return n <= PART_LIMBS ? limbs_residue_of_block(x, n, w) : residue_of_many(x, n, w);
}

uint64_t limbs_residue_at(const uint64_t *x, size_t n, size_t at, struct check_modulus q) {
    return limbs_residue_shifted(limbs_residue(x, n, q), at, q);
}
