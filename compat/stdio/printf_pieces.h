/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The pieces of a text that GMP would write to a stream one by one. gmp_fprintf returns the
 * number of bytes written. If the stream fails during a piece, the result depends on the piece's
 * kind:
 *
 * - literal text of the format: gmp_fprintf returns -1
 * - digits of a number: gmp_fprintf counts the bytes written so far
 * - padding: gmp_fprintf counts the whole piece */
#ifndef MPGPU_PRINTF_PIECES_H
#define MPGPU_PRINTF_PIECES_H

#include <stddef.h>
#include <stdio.h>

#include "compat/stdio/printf_spec.h"
#include "lib/algorithms/text/text_block.h"

enum printf_kind { PIECE_FORMAT, PIECE_DIGITS, PIECE_PADDING };

struct printf_piece {
    enum printf_kind kind;
    size_t bytes;
};

/* An array of struct printf_piece, in the bytes of a text block. */
struct printf_pieces {
    struct text_block list;
};

void printf_pieces_open(struct printf_pieces *p);
void printf_pieces_free(struct printf_pieces *p);

/* Appends a piece unless it is empty; `p` may be NULL. */
void printf_pieces_add(struct printf_pieces *p, enum printf_kind kind, size_t bytes);

/* Records the pieces into which GMP divides the n digits of a number. Sign and padding are separate
 * pieces, which the caller adds. */
void printf_pieces_add_digits(struct printf_pieces *p, const struct printf_spec *s,
                              const char *digits, size_t n);

/* Writes the text in b to the stream, piece by piece. Frees p and b. Returns what GMP's function
 * would return. */
int printf_pieces_write(struct printf_pieces *p, struct text_block *b, FILE *stream);

#endif
