/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Integers and their texts: sign and digits. */
#ifndef MPGPU_TEXT_INTEGER_H
#define MPGPU_TEXT_INTEGER_H

#include "lib/algorithms/composite.h"
#include "lib/algorithms/text/text_block.h"

/* Returns the size of a text of `bytes` bytes to compare with the device's threshold: an upper
 * bound, since some bytes may be no digits. */
static inline size_t text_integer_limbs(size_t bytes) {
    return bytes / 8;
}

/* Returns how many bytes the text of u and a NUL need. */
size_t text_integer_room(int base, mpz_srcptr u);

/* Writes the text of u to s, without a NUL, in a base that text_base_of returned. s has
 * text_integer_room bytes.  Returns the text's length.  Returns 0 if memory is missing, or if
 * text_digits_get fails: GMP must compute the call. */
size_t text_integer_write(struct composite *w, int base, const char *characters, char *s,
                          mpz_srcptr u);

/* Appends the text of u to block b.  If text_integer_write would return 0, returns false and leaves
 * b unchanged. */
bool text_integer_append(struct composite *w, int base, const char *characters,
                         struct text_block *b, mpz_srcptr u);

/* Sets r to the value of the text {s, n}, read like mpz_set_str in base 2 to 62: white space, sign,
 * digits with white space between them. Returns false if the text is no number, its value is 0,
 * memory is missing, or text_digits_set fails; r may be 0 then. */
bool text_integer_read(struct composite *w, int base, mpz_ptr r, const char *s, size_t n);

#endif
