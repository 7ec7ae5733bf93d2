/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Integers and their texts: sign and digits. */
#ifndef MPGPU_TEXT_INTEGER_H
#define MPGPU_TEXT_INTEGER_H

#include "lib/algorithms/composite.h"
#include "lib/algorithms/text/text_block.h"

/* What is compared with the threshold for a text of so many bytes, and no less than that for a
 * text of digits: for the way past. */
static inline size_t text_integer_limbs(size_t bytes) {
    return bytes / 8;
}

/* Bytes for the text of u and a NUL. */
size_t text_integer_room(int base, mpz_srcptr u);

/* {s, returned} = the text of u in a base of text_base_of, without a NUL; in that many bytes as
 * above.  Returns 0 if text_digits_get fails, or memory is short: GMP is to compute the call. */
size_t text_integer_write(struct composite *w, int base, const char *characters, char *s,
                          mpz_srcptr u);

/* The same behind a block's text; false likewise, and the block is what it was. */
bool text_integer_append(struct composite *w, int base, const char *characters,
                         struct text_block *b, mpz_srcptr u);

/* r = the number of the text {s, n}, as mpz_set_str reads it: white space, sign, digits with white
 * space between them; base 2 to 62.  False, and r is what it was, where the text is none, or 0, or
 * text_digits_set fails, or memory is short. */
bool text_integer_read(struct composite *w, int base, mpz_ptr r, const char *s, size_t n);

#endif
