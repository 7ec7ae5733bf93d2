/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of polynomials whose coefficients are balanced digits (positive and negative digits of
 * numbers): computed exactly on the host, and on the device. */
#ifndef MPGPU_TEST_CONVOLUTION_CASE_H
#define MPGPU_TEST_CONVOLUTION_CASE_H

#include <stdbool.h>
#include <stdint.h>

/* Patterns of the digits of operands. */
enum convolution_shape {
    CONVOLUTION_LOWEST,      /* all digits are near their least value */
    CONVOLUTION_HIGHEST,     /* all digits are near their greatest value */
    CONVOLUTION_ALTERNATING, /* the least and the greatest value of a digit alternate */
    /* all bits are 1, so that all balanced digits except the lowest and highest are 0 */
    CONVOLUTION_ONES,
    CONVOLUTION_SIGNS, /* each digit has its least or its greatest value, at random */
    CONVOLUTION_RUNS,  /* long runs of ones and zeros */
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

/* Creates a number of `words` words with this pattern, and its digits to base 2^bits. */
struct convolution_operand convolution_operand_make(enum convolution_shape shape, unsigned bits,
                                                    uint64_t words);
void convolution_operand_free(struct convolution_operand *x);

/* Returns the largest number of words that has at most `length` digits of `bits` bits; at least
 * 1. */
uint64_t convolution_words(uint64_t length, unsigned bits);

/* Returns balanced digit k of x, as lib/fft/convolution.h defines it. */
int64_t convolution_digit(const struct convolution_operand *x, uint64_t k);

/* Compute the product's coefficients c[0] to c[length - 1] exactly, modulo x^length - 1 or, with
 * `plus`, x^length + 1. They must be below 2^62. convolution_exact uses one product by GMP;
 * convolution_direct multiplies each digit of u by each digit of v. */
void convolution_exact(int64_t *c, uint64_t length, bool plus, const struct convolution_operand *u,
                       const struct convolution_operand *v);
void convolution_direct(int64_t *c, uint64_t length, bool plus, const struct convolution_operand *u,
                        const struct convolution_operand *v);

/* Returns true if the integers nearest to c are the coefficients of the right product. Compares
 * both polynomials' values at a root of x^length - 1 (with `plus`: x^length + 1), modulo a
 * prime. */
bool convolution_is_right(const double *c, uint64_t length, bool plus,
                          const struct convolution_operand *u, const struct convolution_operand *v);

/* Returns the largest distance of a coefficient from its nearest integer; infinity if one is
 * NaN. */
double convolution_distance(const double *c, uint64_t length);

/* Computes the product on the session's device; an error fails the test. v may be u, for a square.
 * Returns false if the device does not support double. */
bool convolution_on_device(double *c, uint64_t length, bool plus,
                           const struct convolution_operand *u,
                           const struct convolution_operand *v);

/* Computes the product as convolution_on_device does, but by the passes of `plan`. The product has
 * 2 plan->points coefficients. */
struct fft_plan;
bool convolution_by_plan(double *c, const struct fft_plan *plan, bool plus,
                         const struct convolution_operand *u, const struct convolution_operand *v);

#endif
