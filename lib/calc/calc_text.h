/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Plans how the digits of a text are cut into leaves for a radix conversion (kernels/radix/text.h),
 * computes the sizes of the numbers, and reads and writes texts on the device. */
#ifndef MPGPU_CALC_TEXT_H
#define MPGPU_CALC_TEXT_H

#include "kernels/radix/text.h"
#include "lib/calc/calc.h"

/* How a text of digits << levels digits is cut into 1 << levels leaves. `log` is log2(base) in
 * units of 2^-56, too small by at most two units. */
struct calc_cut {
    uint32_t base, digits, per, head, chunks;
    unsigned levels;
    uint64_t log;
};

/* Plans the cut for numbers of `digits` digits; 3 <= base <= 255, not a power of two. */
struct calc_cut calc_cut_plan(unsigned base, uint64_t digits);

/* Returns an upper bound of the bit length of base^digits. */
uint64_t calc_cut_bits(const struct calc_cut *x, uint64_t digits);

/* Returns the length in words of numbers below base^(digits << level). */
uint64_t calc_cut_words(const struct calc_cut *x, unsigned level);

/* Sets *least and *most to bounds for a number's count of digits; they differ by at most one. The
 * number has `bits` bits, and begins with the bits of `top`, whose highest bit is set. */
void calc_cut_digits(unsigned base, uint64_t top, uint64_t bits, uint64_t *least, uint64_t *most);

/* A text of n digits: `whole` bytes are in `bytes`, the others in `tail`. kernels/radix/text.h has
 * the kinds of characters. */
struct calc_text {
    struct number bytes;
    uint64_t n, whole, tail;
    uint32_t characters;
};

/* Computes the chunks of a text: words with x->per digits each, x->chunks of them for each leaf.
 * Sets word 0 of `wrong` to 1 if a character is no digit of the base. */
void calc_text_chunks(struct calc *c, const struct calc_cut *x, struct number chunks,
                      const struct calc_text *text, struct number wrong);

/* Writes the text of the lowest text->n digits to text->bytes, from its chunks (words of x->per
 * digits each). */
void calc_text_digits(struct calc *c, const struct calc_cut *x, const struct calc_text *text,
                      struct number chunks);

/* If `verify` asks for the device's check, makes the operation fail unless r is the number that the
 * text represents, modulo the random modulus. calc_text_chunks describes `wrong`. If `wrong` has no
 * words, a character that is no digit makes the operation fail. */
void calc_text_demand(struct calc *c, const struct calc_cut *x, const struct calc_text *text,
                      struct number r, struct number wrong);

#endif
