/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of polynomials whose coefficients are balanced digits (positive and negative digits of
 * numbers), computed exactly on the host. */
#include "tests/support/testing.h"

#include "tests/unit/fft/convolution_case.h"

#include <math.h>
#include <string.h>

const char *const convolution_shape_names[CONVOLUTION_SHAPES] = {
    "lowest", "highest", "alternating", "ones", "signs", "runs", "one-bit", "random"};

uint64_t convolution_words(uint64_t length, unsigned bits) {
    uint64_t words = (length - 1) * bits / 32;
    while (words > 1 && 32 * words / bits + 1 > length)
        words--;
    return words > 0 ? words : 1;
}

/* ---- operands */

/* Returns digit k of an operand that has this pattern: a number from 0 to 2^bits - 1. */
static uint64_t part(enum convolution_shape shape, unsigned bits, uint64_t k) {
    const uint64_t half = UINT64_C(1) << (bits - 1);
    switch (shape) {
    case CONVOLUTION_LOWEST:
        return half;
    case CONVOLUTION_HIGHEST:
        return half - 1;
    case CONVOLUTION_ALTERNATING:
        return k & 1 ? half - 1 : half;
    case CONVOLUTION_SIGNS:
        return testing_below(2) ? half : half - 1;
    default:
        return 2 * half - 1;
    }
}

static void fill_parts(struct convolution_operand *x, enum convolution_shape shape) {
    for (uint64_t k = 0, at = 0; at < 32 * x->count; k++, at += x->bits) {
        uint64_t shifted = part(shape, x->bits, k) << at % 32;
        x->words[at / 32] |= (uint32_t)shifted;
        if (at / 32 + 1 < x->count)
            x->words[at / 32 + 1] |= (uint32_t)(shifted >> 32);
    }
}

static void fill_runs(struct convolution_operand *x, bool is_random) {
    mpz_t z;
    mpz_init(z);
    if (is_random)
        mpz_urandomb(z, *testing_random(), 32 * x->count);
    else
        mpz_rrandomb(z, *testing_random(), 32 * x->count);
    mpz_export(x->words, NULL, -1, sizeof *x->words, 0, 0, z);
    mpz_clear(z);
}

struct convolution_operand convolution_operand_make(enum convolution_shape shape, unsigned bits,
                                                    uint64_t words) {
    struct convolution_operand x = {calloc(words, sizeof *x.words), words, 32 * words / bits + 1,
                                    bits};
    ck_assert_ptr_nonnull(x.words);
    if (shape == CONVOLUTION_RANDOM || shape == CONVOLUTION_RUNS)
        fill_runs(&x, shape == CONVOLUTION_RANDOM);
    else if (shape == CONVOLUTION_ONE_BIT)
        x.words[testing_below(words)] = UINT32_C(1) << testing_below(32);
    else
        fill_parts(&x, shape);
    return x;
}

void convolution_operand_free(struct convolution_operand *x) {
    free(x->words);
}

/* Returns the bits of x from k * bits to (k + 1) * bits - 1. */
static int64_t part_of(const struct convolution_operand *x, uint64_t k) {
    uint64_t at = k * x->bits, word = at / 32;
    uint64_t low = word < x->count ? x->words[word] : 0;
    uint64_t high = word + 1 < x->count ? x->words[word + 1] : 0;
    return (int64_t)((low | high << 32) >> at % 32 & ((UINT64_C(1) << x->bits) - 1));
}

int64_t convolution_digit(const struct convolution_operand *x, uint64_t k) {
    const int64_t base = INT64_C(1) << x->bits;
    int64_t e = part_of(x, k), below = k > 0 ? part_of(x, k - 1) : 0;
    return e - (2 * e >= base ? base : 0) + (2 * below >= base);
}

/* ---- coefficients */

static void add_folded(int64_t *c, uint64_t length, bool plus, uint64_t k, int64_t value) {
    bool negative = plus && k / length % 2 == 1;
    c[k % length] += negative ? -value : value;
}

void convolution_direct(int64_t *c, uint64_t length, bool plus, const struct convolution_operand *u,
                        const struct convolution_operand *v) {
    memset(c, 0, length * sizeof *c);
    for (uint64_t i = 0; i < u->digits; i++)
        for (uint64_t k = 0; k < v->digits; k++)
            add_folded(c, length, plus, i + k, convolution_digit(u, i) * convolution_digit(v, k));
}

/* Sets z to the polynomial's value at 2^64. */
static void value_at_limb(mpz_t z, const struct convolution_operand *x) {
    uint64_t *positive = calloc(x->digits, sizeof *positive);
    uint64_t *negative = calloc(x->digits, sizeof *negative);
    mpz_t minus;
    ck_assert(positive && negative);
    for (uint64_t k = 0; k < x->digits; k++) {
        int64_t d = convolution_digit(x, k);
        *(d < 0 ? &negative[k] : &positive[k]) = (uint64_t)(d < 0 ? -d : d);
    }
    mpz_init(minus);
    mpz_import(z, x->digits, -1, sizeof *positive, 0, 0, positive);
    mpz_import(minus, x->digits, -1, sizeof *negative, 0, 0, negative);
    mpz_sub(z, z, minus);
    mpz_clear(minus);
    free(positive), free(negative);
}

void convolution_exact(int64_t *c, uint64_t length, bool plus, const struct convolution_operand *u,
                       const struct convolution_operand *v) {
    mpz_t z, w;
    uint64_t carry = 0;
    mpz_init(z), mpz_init(w);
    value_at_limb(z, u);
    value_at_limb(w, v);
    mpz_mul(z, z, w);
    memset(c, 0, length * sizeof *c);
    for (uint64_t k = 0; k < u->digits + v->digits; k++) {
        uint64_t limb = mpz_getlimbn(z, (mp_size_t)k), sum = limb + carry;
        int64_t value = (int64_t)sum;
        carry = value < 0 || sum < limb;
        add_folded(c, length, plus, k, mpz_sgn(z) < 0 ? -value : value);
    }
    mpz_clear(z), mpz_clear(w);
}

/* ---- arithmetic modulo a prime */

static uint64_t mul_mod(uint64_t a, uint64_t b, uint64_t m) {
    return (uint64_t)((unsigned __int128)a * b % m);
}

static uint64_t power_mod(uint64_t a, uint64_t e, uint64_t m) {
    uint64_t r = 1;
    for (; e > 0; e >>= 1, a = mul_mod(a, a, m))
        if (e & 1)
            r = mul_mod(r, a, m);
    return r;
}

/* Returns a prime p above 2^60 for which p - 1 is divisible by `step`. */
static uint64_t prime_above(uint64_t step) {
    uint64_t p = ((UINT64_C(1) << 60) / step + testing_below(1ul << 20)) * step + 1;
    mpz_t z;
    mpz_init_set_ui(z, p);
    while (mpz_probab_prime_p(z, 25) == 0)
        mpz_add_ui(z, z, step);
    p = mpz_get_ui(z);
    mpz_clear(z);
    return p;
}

static uint64_t residue(int64_t value, uint64_t p) {
    int64_t r = value % (int64_t)p;
    return (uint64_t)(r < 0 ? r + (int64_t)p : r);
}

static uint64_t value_of_operand(const struct convolution_operand *x, uint64_t t, uint64_t p) {
    uint64_t sum = 0;
    for (uint64_t k = x->digits; k-- > 0;)
        sum = (mul_mod(sum, t, p) + residue(convolution_digit(x, k), p)) % p;
    return sum;
}

bool convolution_is_right(const double *c, uint64_t length, bool plus,
                          const struct convolution_operand *u,
                          const struct convolution_operand *v) {
    uint64_t p = prime_above(2 * length), sum = 0, t;
    do
        t = power_mod(2 + testing_below(1ul << 60), (p - 1) / (plus ? 2 * length : length), p);
    while (power_mod(t, length, p) != (plus ? p - 1 : 1) || t < 2);
    for (uint64_t k = length; k-- > 0;) {
        if (!(fabs(c[k]) < 0x1p62))
            return false;
        sum = (mul_mod(sum, t, p) + residue((int64_t)rint(c[k]), p)) % p;
    }
    return sum == mul_mod(value_of_operand(u, t, p), value_of_operand(v, t, p), p);
}

double convolution_distance(const double *c, uint64_t length) {
    double most = 0;
    for (uint64_t k = 0; k < length; k++) {
        double d = fabs(c[k] - rint(c[k]));
        if (!(d <= most))
            most = isnan(d) ? (double)INFINITY : d;
    }
    return most;
}
