/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products by AVX-512 IFMA, which adds the low or the high 52 bits of eight products of 52 bits to
 * sums of 64 bits.
 *
 * Operands become digits of 52 bits.  The columns of the product are summed 32 at a time, in
 * registers.  A column has at most 2^8 low and 2^8 high halves.  The sums become limbs at the end.
 */
#include "lib/algorithms/euclid/digits.h"

#include <string.h>

#include "lib/process/ifma.h"

#ifdef HAVE_IFMA_CODE

enum {
    BITS = 52,
    LANES = 8,
    COLUMNS = 4 * LANES, /* at a time */
    MOST = (DIGITS_LIMBS * GMP_NUMB_BITS + BITS - 1) / BITS,
    ROOM = (MOST + LANES - 1) / LANES * LANES
};
_Static_assert(DIGITS_LIMBS *GMP_NUMB_BITS <= (BITS << 8), "2^8 digits, twice, fit the sums");

static size_t digits_of(size_t limbs) {
    return (limbs * GMP_NUMB_BITS + BITS - 1) / BITS;
}

/* Returns the first eight 52-bit digits of {xp, n}: 416 bits, from bit 32 on if `half` is set,
 * otherwise from bit 0. */
IFMA_CODE static inline __m512i eight(const mp_limb_t *xp, size_t n, bool half) {
    const __m512i mask = _mm512_set1_epi64(((long long)1 << BITS) - 1);
    const __m512i at = half ? _mm512_setr_epi64(0, 1, 2, 2, 3, 4, 5, 6)
                            : _mm512_setr_epi64(0, 0, 1, 2, 3, 4, 4, 5);
    const __m512i shift = half ? _mm512_setr_epi64(32, 20, 8, 60, 48, 36, 24, 12)
                               : _mm512_setr_epi64(0, 52, 40, 28, 16, 4, 56, 44);
    const __m512i x = _mm512_maskz_loadu_epi64((__mmask8)(n < LANES ? (1u << n) - 1 : 0xff), xp);
    __m512i low = _mm512_permutexvar_epi64(at, x);
    __m512i high = _mm512_permutexvar_epi64(_mm512_add_epi64(at, _mm512_set1_epi64(1)), x);
    low = _mm512_srlv_epi64(low, shift);
    high = _mm512_sllv_epi64(high, _mm512_sub_epi64(_mm512_set1_epi64(64), shift));
    return _mm512_and_si512(_mm512_or_si512(low, high), mask);
}

/* Splits {xp, n} into 52-bit digits, padded with zeros to a multiple of eight. */
IFMA_CODE static void split(unsigned long long *d, const mp_limb_t *xp, size_t n) {
    for (size_t i = 0; LANES * i < digits_of(n); i++) {
        size_t limb = 13 * i / 2;
        _mm512_storeu_si512(d + LANES * i, eight(xp + limb, n - limb, i % 2));
    }
}

/* Computes COLUMNS column sums of the product: `low` sums the low halves of the digit products,
 * `high` the high halves. up[-j] must be readable for from <= j < to. */
IFMA_CODE static void columns(unsigned long long *low, unsigned long long *high,
                              const unsigned long long *up, const unsigned long long *vp,
                              size_t from, size_t to) {
    __m512i l0 = _mm512_setzero_si512(), l1 = l0, l2 = l0, l3 = l0, h0 = l0, h1 = l0, h2 = l0,
            h3 = l0;
    for (size_t j = from; j < to; j++) {
        const __m512i v = _mm512_set1_epi64((long long)vp[j]);
        const unsigned long long *u = up - j;
        __m512i u0 = _mm512_loadu_si512(u), u1 = _mm512_loadu_si512(u + LANES),
                u2 = _mm512_loadu_si512(u + 2 * LANES), u3 = _mm512_loadu_si512(u + 3 * LANES);
        l0 = _mm512_madd52lo_epu64(l0, u0, v);
        l1 = _mm512_madd52lo_epu64(l1, u1, v);
        l2 = _mm512_madd52lo_epu64(l2, u2, v);
        l3 = _mm512_madd52lo_epu64(l3, u3, v);
        h0 = _mm512_madd52hi_epu64(h0, u0, v);
        h1 = _mm512_madd52hi_epu64(h1, u1, v);
        h2 = _mm512_madd52hi_epu64(h2, u2, v);
        h3 = _mm512_madd52hi_epu64(h3, u3, v);
    }
    _mm512_storeu_si512(low, l0);
    _mm512_storeu_si512(low + LANES, l1);
    _mm512_storeu_si512(low + 2 * LANES, l2);
    _mm512_storeu_si512(low + 3 * LANES, l3);
    _mm512_storeu_si512(high, h0);
    _mm512_storeu_si512(high + LANES, h1);
    _mm512_storeu_si512(high + 2 * LANES, h2);
    _mm512_storeu_si512(high + 3 * LANES, h3);
}

/* Converts the column sums to limbs: 13 limbs from 16 digits. high[-1] has the weight of low[0]. */
static void join(mp_ptr rp, size_t n, const unsigned long long *low,
                 const unsigned long long *high) {
    __extension__ typedef unsigned __int128 pair;
    pair sum = 0;
    unsigned at = 0;
    for (size_t i = 0, k = 0; i < n; k++) {
        sum += (pair)(low[k] + high[k - 1]) << at;
        at += BITS;
        if (at >= GMP_NUMB_BITS) {
            rp[i++] = (mp_limb_t)sum;
            sum >>= GMP_NUMB_BITS;
            at -= GMP_NUMB_BITS;
        }
    }
}

IFMA_CODE static void multiply(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn) {
    unsigned long long u[COLUMNS + ROOM + COLUMNS], v[ROOM];
    unsigned long long low[2 * ROOM + 2 * COLUMNS], high[1 + 2 * ROOM + 2 * COLUMNS];
    size_t ud = digits_of(un), vd = digits_of(vn), all = digits_of(un + vn) + 1;
    memset(u, 0, COLUMNS * sizeof *u);
    split(u + COLUMNS, up, un);
    memset(u + COLUMNS + (ud + LANES - 1) / LANES * LANES, 0, COLUMNS * sizeof *u);
    split(v, vp, vn);
    high[0] = 0;
    for (size_t k = 0; k < all; k += COLUMNS) {
        size_t from = k + 1 > ud ? k + 1 - ud : 0, to = k + COLUMNS < vd ? k + COLUMNS : vd;
        columns(low + k, high + 1 + k, u + COLUMNS + k, v, from, to);
    }
    join(rp, un + vn, low, high + 1);
}

#else

static void multiply(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn) {
    (void)rp, (void)up, (void)un, (void)vp, (void)vn;
}

#endif

bool digits_serve(size_t un, size_t vn) {
    return un >= DIGITS_LEAST && vn >= DIGITS_LEAST && un <= DIGITS_LIMBS && vn <= DIGITS_LIMBS &&
           ifma_is_usable();
}

void digits_mul(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn) {
    multiply(rp, up, un, vp, vn);
}
