/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of polynomials of balanced digits: exactly on the host, and on the device. */
#ifndef MPGPU_TEST_CONVOLUTION_CASE_H
#define MPGPU_TEST_CONVOLUTION_CASE_H

#include <stdbool.h>
#include <stdint.h>

/* Patterns of operands.  The first ones repeat two parts of a number again and again. */
enum convolution_shape {
    CONVOLUTION_LOWEST,      /* all digits next to -2^(bits - 1) */
    CONVOLUTION_HIGHEST,     /* all 2^(bits - 1) - 1 */
    CONVOLUTION_ALTERNATING, /* -2^(bits - 1) and 2^(bits - 1) alternately */
    CONVOLUTION_ONES,        /* all bits are 1: digits are 0 but at the ends */
    CONVOLUTION_SIGNS,       /* the extremes at random */
    CONVOLUTION_RUNS,        /* long runs of ones and zeros */
    CONVOLUTION_ONE_BIT,
    CONVOLUTION_RANDOM,
    CONVOLUTION_SHAPES
};

extern const char *const convolution_shape_names[CONVOLUTION_SHAPES];

struct convolution_operand {
    uint32_t *words;
    uint64_t count, digits;
    unsigned bits;
};

/* Creates a number of `words` words, and its digits to base 2^bits. */
struct convolution_operand convolution_operand_make(enum convolution_shape shape, unsigned bits,
                                                    uint64_t words);
void convolution_operand_free(struct convolution_operand *x);

/* The most words whose digits are at most `length`; at least 1. */
uint64_t convolution_words(uint64_t length, unsigned bits);

/* Digit k, by the definition of lib/fft/convolution.h. */
int64_t convolution_digit(const struct convolution_operand *x, uint64_t k);

/* c[k], k < length, exactly: they must be below 2^62.  By GMP's product, and by n^2 products. */
void convolution_exact(int64_t *c, uint64_t length, bool plus, const struct convolution_operand *u,
                       const struct convolution_operand *v);
void convolution_direct(int64_t *c, uint64_t length, bool plus, const struct convolution_operand *u,
                        const struct convolution_operand *v);

/* Returns true if c's nearest integers are right at a root of x^length - 1, or x^length + 1, modulo
 * a prime. */
bool convolution_is_right(const double *c, uint64_t length, bool plus,
                          const struct convolution_operand *u, const struct convolution_operand *v);

/* Returns the greatest distance of a coefficient from an integer; infinite if one is NaN. */
double convolution_distance(const double *c, uint64_t length);

/* Computes the product on the session's device; fails the test on failure.  v may be u, for a
 * square.  Returns false if the device has no doubles. */
bool convolution_on_device(double *c, uint64_t length, bool plus,
                           const struct convolution_operand *u,
                           const struct convolution_operand *v);

/* The same by these passes, of 2 plan->points coefficients. */
struct fft_plan;
bool convolution_by_plan(double *c, const struct fft_plan *plan, bool plus,
                         const struct convolution_operand *u, const struct convolution_operand *v);

#endif
