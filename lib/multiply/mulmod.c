/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes products modulo B^n - 1 and B^n + 1, where B = 2^64, in two ways.
 *
 * For any n, it computes the whole product low + B^n high, which is low + high modulo B^n - 1 and
 * low - high modulo B^n + 1.
 *
 * For n = 2^m digits, transforms of length n compute the product modulo x^n - 1 or x^n + 1, so
 * half the length suffices. The sum of the coefficients exceeds B^n slightly. The last launch
 * reduces the part above B^n in the same way, but changes only the lowest words. This nearly
 * always suffices. The host learns whether it sufficed when it gets the result, or waits for the
 * device.
 *
 * Bounds modulo x^n - 1. A coefficient is the sum of n products of two digits. It is exact since
 * n <= 2^25 <= PRIMES_MAX_TERMS.
 *
 * Bounds modulo x^n + 1. Some products are subtracted, and n <= 2^24. So a coefficient is at most
 * n (B-1)^2 in magnitude, which is less than K = 2^88 (B-1). To make coefficients positive,
 * kernels/ntt/crt.cl adds K to each of them, and 2^89 more to the first one. They are then below
 * 2^24 (B-1)^2 + 2^88 (B+1) < 2^25 B^2. They are exact since 2^25 B^2 is below PRIMES_MAX_TERMS
 * (B-1)^2. All added numbers amount to K (B^n - 1) / (B - 1) + 2^89 = 2^88 (B^n + 1), which is 0
 * modulo B^n + 1.
 *
 * In both cases the sum of all coefficients is below 2^25 B^2 (B^n - 1) / (B - 1) < 2^90 B^n. So
 * NTT_SURPLUS words above B^n suffice. */
#include "lib/multiply/mulmod.h"

#include "kernels/common/carry.h"
#include "kernels/common/tables.h"
#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/device/answers.h"
#include "lib/device/ntt_tables.h"
#include "lib/device/tables.h"
#include "lib/multiply/fft_product.h"
#include "lib/multiply/ntt.h"
#include "lib/multiply/ssa.h"

/* The longest transforms that compute a product modulo B^n - 1 (element 0) and B^n + 1 (element 1),
 * as log2 n; B = 2^64. For longer n the whole product is computed and reduced. */
static const unsigned most_log[2] = {NTT_MAX_LOG, 24};

#define LIMB_WORDS 2

enum { most_odd = 15 }; /* the largest odd factor of n with which lib/multiply/ssa.h is used */

_Static_assert(1u << NTT_MAX_LOG < PRIMES_MAX_TERMS, "coefficients fit the primes");

/* Returns true if number-theoretic transforms of length n can compute the product modulo B^n - 1 or
 * B^n + 1 (B = 2^64) directly. Then sets m->length. */
static bool can_wrap(const struct context *s, struct mulmod *m, uint64_t operands) {
    uint64_t n = m->words / NTT_DIGIT_WORDS;
    unsigned log_n = 63 - (unsigned)__builtin_clzll(n);
    struct ntt_length *l = &m->length;
    if (n & (n - 1) || log_n < NTT_MIN_LOG || log_n > most_log[m->plus] ||
        !ntt_ring_init(&l->ring[0], log_n, (unsigned)m->plus))
        return false;
    l->rings = 1;
    return ntt_has_room(s, l, m->words + operands);
}

/* Plans the product by the method of Schoenhage and Strassen, which also accepts
 * lengths of the modulus other than powers of two. Returns false if there is no such plan. */
static bool plan_ssa(const struct context *s, struct mulmod *m, uint64_t operands) {
    uint64_t n = m->words / NTT_DIGIT_WORDS;
    enum ssa_modulus kind = m->plus ? SSA_PLUS : SSA_MINUS;
    if (n >> __builtin_ctzll(n) > most_odd ||
        !ssa_plan_mulmod(s, &m->ssa, m->words, kind, operands))
        return false;
    m->way = MULMOD_BY_SSA;
    m->room = ssa_plan_mulmod_words(&m->ssa);
    return true;
}

static bool plan_ntt(const struct context *s, struct mulmod *m, uint64_t operands) {
    if (!can_wrap(s, m, operands))
        return false;
    m->way = MULMOD_BY_NTT;
    m->room = m->words + NTT_SURPLUS;
    return true;
}

static bool plan_fft(const struct context *s, struct mulmod *m, uint64_t operands) {
    if (!fft_product_plan_mulmod(s, &m->fft, m->words,
                                 m->plus ? FFT_PRODUCT_PLUS : FFT_PRODUCT_MINUS, operands))
        return false;
    m->way = MULMOD_BY_FFT;
    m->room = m->words + CARRY_SURPLUS;
    return true;
}

/* Plans the product by ssa (Schoenhage and Strassen) or fft (floating-point transforms) if one of
 * these is requested. Returns false if neither is requested, or the requested one is not
 * possible. */
static bool plan_special(const struct context *s, struct mulmod *m, uint64_t operands,
                         int algorithm) {
    return (algorithm == ALGORITHM_SSA && plan_ssa(s, m, operands)) ||
           (algorithm == ALGORITHM_FFT && plan_fft(s, m, operands));
}

static void tell_ntt(const struct mulmod *m, int algorithm) {
    if (algorithm == ALGORITHM_SSA || algorithm == ALGORITHM_FFT)
        mpgpu_log(LOG_INFO, "algorithm %s does not serve %llu words modulo B^n %c 1: ntt does",
                  algorithm == ALGORITHM_SSA ? "ssa" : "fft", (unsigned long long)m->words,
                  m->plus ? '+' : '-');
}

void mulmod_plan(const struct context *s, struct mulmod *m, uint64_t un, uint64_t vn,
                 unsigned without) {
    const bool is_power = (m->words & (m->words - 1)) == 0;
    int algorithm =
        product_algorithm(s, is_power ? PROFILE_MODULAR_PRODUCTS : PROFILE_OTHER_MODULAR, m->words);
    if (!(without & WITHOUT(algorithm)) && plan_special(s, m, un + vn, algorithm))
        return;
    if (plan_ntt(s, m, un + vn)) {
        if (!(without & WITHOUT(algorithm)))
            tell_ntt(m, algorithm);
        return;
    }
    m->way = MULMOD_IN_FULL;
    m->room = un + vn > m->words ? un + vn : m->words;
}

bool mulmod_is_by_fft(const struct mulmod *m) {
    return m->way == MULMOD_BY_FFT || (m->way == MULMOD_IN_FULL && m->product.algorithm == BY_FFT);
}

static uint64_t digits(uint64_t words) {
    return ceil_div(words, NTT_DIGIT_WORDS);
}

uint64_t mulmod_minus_words(uint64_t least, uint64_t un, uint64_t vn) {
    const struct ntt_device endless = {UINT64_MAX, UINT64_MAX, UINT64_MAX, NTT_LAUNCH_GPU};
    struct ntt_plan full, wrapped = {.parts = 1, .pieces = 1, .kept = 1};
    unsigned log_n = NTT_MIN_LOG;
    while (log_n < most_log[0] && digits(least) >> log_n)
        log_n++;
    uint64_t n = UINT64_C(1) << log_n;
    if (digits(least) > n || digits(un) > n || digits(vn) > n || digits(un + vn) <= n ||
        !ntt_length_init(&wrapped.length, log_n, 0))
        return 0;
    uint64_t longer = un > vn ? un : vn, shorter = un + vn - longer;
    if (!ntt_plan_init(&full, digits(longer), digits(shorter), &endless))
        return 0;
    return ntt_plan_cost(&wrapped, &endless) < ntt_plan_cost(&full, &endless) ? n * NTT_DIGIT_WORDS
                                                                              : 0;
}

/* Sets *one to a number on the device that is 1. */
static enum gpu_status number_one(struct context *s, struct number *one) {
    *one = (struct number){.at = TABLE_ONE, .words = 1};
    return tables_get(s, &one->mem);
}

/* Reduces low + B^n high, with B = 2^64, modulo B^n - 1 or B^n + 1.
 *
 * - Modulo B^n - 1, low becomes low + high. If the sum reaches B^n, the carry is dropped and 1 is
 *   added. There is no second carry, since low + high <= 2 (B^n - 1).
 * - Modulo B^n + 1, low becomes low - high. If the difference is negative, its words represent the
 *   difference plus B^n, so 1 is added. The result of -1 is B^n: its words are 0, and reduced->top
 *   is 1. */
static enum gpu_status reduce(struct context *s, struct number low, struct check_mulmod *reduced) {
    struct number one;
    enum gpu_status status = number_add(s, low, low, reduced->high, reduced->plus, &reduced->over);
    if (status == GPU_OK && reduced->over)
        status = number_one(s, &one);
    if (status == GPU_OK && reduced->over)
        status = number_add(s, low, low, one, 0, &reduced->top);
    return status;
}

/* Queues the whole product. If it is shorter than the modulus, fills the rest of r with zeros. */
static enum gpu_status full_product(struct context *s, const struct mulmod *m, struct number r,
                                    struct number u, struct number v) {
    struct number product = number_part(r, 0, u.words + v.words);
    enum gpu_status status = GPU_OK;
    if (product.words < r.words)
        status = gpu_zero(&s->queue, r.mem, 0, r.words * sizeof(uint32_t));
    return status == GPU_OK ? product_mul(s, &m->product, product, u, v) : status;
}

/* Returns a description of a product before its reduction, for its check. */
static struct check_mulmod unreduced(const struct mulmod *m, struct number r) {
    struct check_mulmod c = {.words = m->words, .plus = m->plus};
    c.high = number_part(r, m->words, r.words);
    c.wraps = m->way != MULMOD_IN_FULL;
    c.digits.plus = m->plus;
    if (m->way == MULMOD_BY_NTT) {
        c.digits.limbs = NTT_DIGIT_WORDS / LIMB_WORDS;
        c.offset = m->plus ? NTT_OFFSET_LOG : 0;
    } else if (m->way == MULMOD_BY_SSA) {
        c.digits.limbs = m->ssa.bits / 64;
        c.offset = m->ssa.bottom;
    } else if (m->way == MULMOD_BY_FFT) {
        c.digits.balanced = digits_make(m->fft.bits, m->fft.rest, m->fft.length);
        c.offset = fft_product_offset_log(&m->fft);
    }
    return c;
}

void mulmod_made(struct mulmod *m, struct number r) {
    m->reduced = unreduced(m, r);
    m->is_open = m->way == MULMOD_BY_NTT || m->way == MULMOD_BY_FFT;
}

enum gpu_status mulmod_begin(struct context *s, struct mulmod *m, struct number r, struct number u,
                             struct number v) {
    mulmod_made(m, r);
    if (m->is_open)
        return m->way == MULMOD_BY_FFT ? fft_product_mul(s, &m->fft, r, u, v)
                                       : ntt_mul_wraparound(s, &m->length, r, u, v);
    enum gpu_status status =
        m->way == MULMOD_BY_SSA ? ssa_mul(s, &m->ssa, r, u, v) : full_product(s, m, r, u, v);
    return status == GPU_OK ? reduce(s, number_part(r, 0, m->words), &m->reduced) : status;
}

enum gpu_status mulmod_ask(struct context *s, const struct mulmod *m) {
    return mulmod_is_by_fft(m) ? fft_product_ask(s)
           : m->is_open        ? answers_fetch(s, ANSWER_MULMOD + 1)
                               : GPU_OK;
}

enum gpu_status mulmod_end(struct context *s, struct mulmod *m, struct number r, int *changed) {
    uint64_t left = m->is_open ? s->answers.host[ANSWER_MULMOD] : 0;
    *changed = left != 0;
    m->is_open = 0;
    if (left > 1)
        return GPU_FAILED;
    return left ? reduce(s, number_part(r, 0, m->words), &m->reduced) : GPU_OK;
}

enum gpu_status mulmod_mul(struct context *s, struct mulmod *m, struct number r, struct number u,
                           struct number v) {
    int unused;
    enum gpu_status status = mulmod_begin(s, m, r, u, v);
    if (status == GPU_OK)
        status = mulmod_ask(s, m);
    if (status == GPU_OK && m->is_open)
        status = gpu_finish(&s->queue);
    return status == GPU_OK ? mulmod_end(s, m, r, &unused) : status;
}
