/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Integers and their texts: sign and digits. */
#ifndef MPGPU_TEXT_INTEGER_H
#define MPGPU_TEXT_INTEGER_H

#include "lib/algorithms/composite.h"
#include "lib/algorithms/text/text_block.h"

/* Returns the size that is compared with the threshold for a text of `bytes` bytes.  It is no less
 * than the size of a text of digits: texts below the threshold skip the rest. */
static inline size_t text_integer_limbs(size_t bytes) {
    return bytes / 8;
}

/* Returns the bytes for the text of u and a NUL. */
size_t text_integer_room(int base, mpz_srcptr u);

/* {s, returned} = the text of u in a base of text_base_of, without a NUL; s has text_integer_room
 * bytes.  Returns 0 without memory, or if text_digits_get fails: GMP must compute the call. */
size_t text_integer_write(struct composite *w, int base, const char *characters, char *s,
                          mpz_srcptr u);

/* Appends that text to a block.  Returns false likewise, with the block unchanged. */
bool text_integer_append(struct composite *w, int base, const char *characters,
                         struct text_block *b, mpz_srcptr u);

/* r = the number of the text {s, n}, read like mpz_set_str in base 2 to 62: white space, sign,
 * digits with white space between them.  Returns false, and leaves r unchanged, without memory; if
 * the text is no number, or 0; or if text_digits_set fails. */
bool text_integer_read(struct composite *w, int base, mpz_ptr r, const char *s, size_t n);

#endif
