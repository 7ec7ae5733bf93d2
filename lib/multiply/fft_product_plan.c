/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Plans a product by floating-point transforms: cuts the operands into balanced digits of `bits`
 * bits, which lie between -2^(bits - 1) and 2^(bits - 1).
 *
 * Size of coefficients. Random digits are uniformly distributed, so a digit has the variance
 * 4^bits / 12. A coefficient is a sum of at most `terms` products of two digits, so its variance
 * is terms 16^bits / 144. The largest of n coefficients is about sqrt(2 ln n) = sqrt(1.39 log2 n)
 * standard deviations from 0.
 *
 * Errors. A level of a transform rounds with a relative error of about 2^-53. A product consists
 * of three transforms of log2 n levels. Their error is about error_factor 2^-53 sqrt(log2 n)
 * times a coefficient's standard deviation. error_factor was measured with random digits
 * (doc/measurements/fft_product.md). A bound is proven for all digits, but it is much larger and
 * would allow few bits per digit (doc/design/fft_product.md). So every product is checked; the
 * estimate only decides how often a product must be repeated.
 *
 * Rings. Modulo B^n - 1 or B^n + 1, where B = 2^32, all digits together have 32 n bits. If the
 * count of digits does not divide 32 n, digits have two lengths and are weighted
 * (kernels/common/balanced_digits.h). The estimates use the greater length for all digits.
 *
 * The sum. kernels/fft/sum.cl adds the coefficients, each at its digit's place. Coefficients are
 * within 2^49 of 0. An offset makes each coefficient positive and less than 2^52
 * (kernels/fft/sum.h). Let p be the number of bits of all digits, and o = 51 - bits. Then the
 * offsets add up to 2^o (2^p - 1):
 * - Whole product: 2^o is added to the first coefficient, so the total is 2^(o + bits * length).
 *   It is above the highest word of the result, since o >= bits and bits length > 32 (un + vn) -
 *   bits.
 * - Modulo B^n - 1: the offsets add up to 0.
 * - Modulo B^n + 1: 2^(o + 1) is added to the first coefficient, so the total is 0.
 *
 * In both rings the sum is below 2^(53 - bits) B^n, so CARRY_SURPLUS words above B^n suffice. A
 * sum modulo 2^p - 1 is below 2^(p + 53 - bits). */
#include "lib/multiply/fft_product_plan.h"

#include "kernels/common/carry.h"
#include "kernels/common/balanced_digits.h"
#include "kernels/fft/sum.h"
#include "lib/base/ceil_div.h"
#include "lib/fft/convolution.h"

#define LIMB_WORDS 2

_Static_assert(SUM_LOG_OFFSET(CONVOLUTION_MAX_BITS) >= CONVOLUTION_MAX_BITS,
               "what makes coefficients positive ends beyond the result");
_Static_assert(SUM_LOG_MOST < SUM_LOG_OFFSET(0) - 1, "and makes them positive");
_Static_assert(53 - CONVOLUTION_MIN_BITS < 32 * CARRY_SURPLUS, "a sum in a ring has room");
_Static_assert(53 - CONVOLUTION_MIN_BITS <= FFT_PRODUCT_SUM_BITS, "and is no longer than it says");

/* error_factor: measured (doc/measurements/fft_product.md); the comment at the top of this file has
 * the formula that contains it. aim: the largest expected error of a plan. */
static const double error_factor = 1.4, aim = 0.125;

static double levels_of(uint64_t length) {
    return 64 - __builtin_clzll(length);
}

double fft_product_most_squared(unsigned bits, uint64_t terms, uint64_t length) {
    const double square = (double)((uint64_t)1 << 2 * bits);
    return 1.39 * levels_of(length) * (double)terms * square * square / 144;
}

double fft_product_error_squared(unsigned bits, uint64_t terms, uint64_t length) {
    const double unit = error_factor / (double)((uint64_t)1 << 53);
    return unit * unit * levels_of(length) * fft_product_most_squared(bits, terms, length);
}

/* Returns true if a product is expected to pass the test for doubtful coefficients
 * (fft_product_is_doubted). Each of its `length` coefficients is a sum of up to `terms` products
 * of digits of `bits` bits. */
static bool is_sure(unsigned bits, uint64_t terms, uint64_t length) {
    const double most = (double)((uint64_t)1 << SUM_LOG_MOST) / 1.25;
    return fft_product_error_squared(bits, terms, length) <= aim * aim &&
           fft_product_most_squared(bits, terms, length) <= most * most;
}

uint64_t fft_product_coefficient_bytes(const struct fft_product_plan *plan) {
    /* the caller may round the words of the sum up to whole quads (4 words) */
    const uint64_t words = ceil_div(plan->length * plan->bits + plan->rest, 32) + 2 * CARRY_SURPLUS;
    return (plan->length + ceil_div(words, CARRY_CHUNK_ABOVE)) * sizeof(double);
}

uint64_t fft_product_plan_bytes(const struct fft_product_plan *plan) {
    return 2 * convolution_bytes(&plan->transform) + fft_product_coefficient_bytes(plan);
}

/* Times measured on an H200, in microseconds (doc/measurements/fft_product.md). pass_cost: a pass
 * over a million points. end_cost: the addition of their coefficients. launch_cost: a launch. */
static const double pass_cost = 9, end_cost = 15, launch_cost = 4;

double fft_product_plan_cost(const struct fft_product_plan *plan) {
    const double points = (double)plan->transform.points * 1e-6;
    return 3 * plan->transform.passes * (launch_cost + pass_cost * points) + 4 * launch_cost +
           end_cost * points;
}

static bool has_room(const struct fft_product_plan *plan, uint64_t room, uint64_t largest) {
    return convolution_bytes(&plan->transform) <= largest &&
           fft_product_coefficient_bytes(plan) <= largest && fft_product_plan_bytes(plan) <= room;
}

/* The most coefficients of a transform: it has at most 2^30 points, with two coefficients each. */
#define MOST_COEFFICIENTS ((uint64_t)1 << 31)

/* The length of a transform is one of these odd numbers times a power of two. */
static const uint64_t odd[] = {1, 3, 5, 9, 15, 25};

/* Plans a product modulo 2^p - 1 or 2^p + 1: cuts p bits into plan->length digits. Returns false if
 * such digits are not possible, or if the product is expected to be doubted
 * (fft_product_is_doubted). */
static bool cut(struct fft_product_plan *plan, uint64_t p) {
    plan->bits = (unsigned)(p / plan->length);
    plan->rest = (uint32_t)(p % plan->length);
    const unsigned most = fft_product_most_bits(plan);
    return plan->length % DIGITS_UNIT == 0 && plan->bits >= CONVOLUTION_MIN_BITS &&
           most <= CONVOLUTION_MAX_BITS &&
           (plan->rest == 0 || plan->length >> DIGITS_MOST_LOG == 0) &&
           is_sure(most, plan->length, plan->length);
}

/* Sets *plan to the cheapest plan with at least `least` coefficients whose buffers fit into memory.
 * If p is 0, digits have plan->bits bits; otherwise all digits together have p bits. Returns false
 * if there is no plan. */
static bool cheapest(struct fft_product_plan *plan, uint64_t least, uint64_t p, uint64_t room,
                     uint64_t largest) {
    double best = 0;
    for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct fft_product_plan candidate = *plan;
        candidate.length = 2 * odd[i];
        while (candidate.length < least ||
               ((!convolution_plan(&candidate.transform, candidate.length) ||
                 (p > 0 && !cut(&candidate, p))) &&
                candidate.length <= 8 * least))
            candidate.length *= 2;
        if (candidate.transform.passes == 0 || candidate.length > 8 * least ||
            !has_room(&candidate, room, largest))
            continue;
        double cost = fft_product_plan_cost(&candidate);
        if (best > 0 && best <= cost)
            continue;
        best = cost;
        *plan = candidate;
    }
    return best > 0;
}

/* Returns the most bits per digit with which a product of un by vn words is not expected to be
 * doubted (fft_product_is_doubted), or 0. Sets *coefficients to the count of the product's
 * coefficients. */
static unsigned most_bits(uint64_t un, uint64_t vn, uint64_t *coefficients) {
    if (vn < FFT_PRODUCT_MIN_WORDS || un >= (uint64_t)1 << 32)
        return 0;
    for (unsigned bits = CONVOLUTION_MAX_BITS; bits >= CONVOLUTION_MIN_BITS; bits--) {
        uint64_t terms = convolution_digits(vn, bits);
        *coefficients = convolution_digits(un, bits) + terms - 1;
        if (is_sure(bits, terms, *coefficients))
            return bits;
    }
    return 0;
}

bool fft_product_serves(uint64_t un, uint64_t vn) {
    uint64_t coefficients;
    return most_bits(un, vn, &coefficients) > 0 && coefficients <= MOST_COEFFICIENTS;
}

bool fft_product_plan_init(struct fft_product_plan *plan, uint64_t un, uint64_t vn, uint64_t room,
                           uint64_t largest) {
    uint64_t coefficients;
    *plan = (struct fft_product_plan){.bits = most_bits(un, vn, &coefficients)};
    return plan->bits > 0 && cheapest(plan, coefficients, 0, room, largest);
}

bool fft_product_plan_init_mulmod(struct fft_product_plan *plan, uint64_t words,
                                  enum fft_product_modulus ring, uint64_t room, uint64_t largest) {
    const uint64_t last = words % CARRY_CHUNK_ABOVE;
    *plan = (struct fft_product_plan){.ring = ring};
    /* the last group of fft_sum must write all words above the modulus */
    return words % LIMB_WORDS == 0 && words > CARRY_CHUNK_ABOVE && words < (uint64_t)1 << 32 &&
           last + CARRY_SURPLUS <= CARRY_CHUNK_ABOVE &&
           cheapest(plan, 32 * words / CONVOLUTION_MAX_BITS, 32 * words, room, largest);
}

bool fft_product_plan_init_mersenne(struct fft_product_plan *plan, uint64_t p, uint64_t room,
                                    uint64_t largest) {
    *plan = (struct fft_product_plan){.ring = FFT_PRODUCT_MERSENNE};
    return cheapest(plan, p / CONVOLUTION_MAX_BITS, p, room, largest);
}
