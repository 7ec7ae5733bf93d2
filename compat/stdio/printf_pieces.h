/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The writes by which GMP sends a text to a stream.  gmp_fprintf returns the sum of their return
 * values.  This matters if the stream fails: a failed part of the format ends the call with -1;
 * digits count as far as they were written; padding counts in either case. */
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

/* An array of pieces, as the bytes of a block. */
struct printf_pieces {
    struct text_block list;
};

void printf_pieces_open(struct printf_pieces *p);
void printf_pieces_free(struct printf_pieces *p);

/* Appends a piece unless it is empty; `p` may be NULL. */
void printf_pieces_add(struct printf_pieces *p, enum printf_kind kind, size_t bytes);

/* Adds the pieces of the digits of a number, without sign and padding. */
void printf_pieces_add_digits(struct printf_pieces *p, const struct printf_spec *s,
                              const char *digits, size_t n);

/* Writes the text piece by piece, and frees both.  Returns what GMP's function returns. */
int printf_pieces_write(struct printf_pieces *p, struct text_block *b, FILE *stream);

#endif
