/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How digits are cut for a radix conversion (kernels/radix/text.h), how large their numbers are,
 * and texts on the device. */
#ifndef MPGPU_CALC_TEXT_H
#define MPGPU_CALC_TEXT_H

#include "kernels/radix/text.h"
#include "lib/calc/calc.h"

/* digits << levels digits in 1 << levels leaves.  `log` is log2(base) in units of 2^-56, rounded
 * down: between it and two units more. */
struct calc_cut {
    uint32_t base, digits, per, head, chunks;
    unsigned levels;
    uint64_t log;
};

/* For numbers of so many digits; 3 <= base <= 255, no power of two. */
struct calc_cut calc_cut_plan(unsigned base, uint64_t digits);

/* At most so many bits has base^digits, and all below it. */
uint64_t calc_cut_bits(const struct calc_cut *x, uint64_t digits);

/* Words of numbers below base^(digits << level). */
uint64_t calc_cut_words(const struct calc_cut *x, unsigned level);

/* So many digits has a number of `bits` bits that begin with those of `top`, whose highest one is
 * set: at least, and at most, which is one more at times. */
void calc_cut_digits(unsigned base, uint64_t top, uint64_t bits, uint64_t *least, uint64_t *most);

/* A text of n digits: `whole` bytes of it in `bytes`, the others in `tail`; kernels/radix/text.h
 * has the kinds of characters. */
struct calc_text {
    struct number bytes;
    uint64_t n, whole, tail;
    uint32_t characters;
};

/* Chunks of a text: `chunks` words of each leaf.  Word 0 of `wrong` becomes 1 where something is
 * no digit of the base. */
void calc_text_chunks(struct calc *c, const struct calc_cut *x, struct number chunks,
                      const struct calc_text *text, struct number wrong);

/* The text of the lowest text->n digits, all of it to text->bytes. */
void calc_text_digits(struct calc *c, const struct calc_cut *x, const struct calc_text *text,
                      struct number chunks);

/* Unless r is the number of the text, the operation fails: by residues modulo the random modulus,
 * where `verify` asks for the device's check.  Word 0 of `wrong` as above, or to let the operation
 * fail if it has no words. */
void calc_text_demand(struct calc *c, const struct calc_cut *x, const struct calc_text *text,
                      struct number r, struct number wrong);

#endif
