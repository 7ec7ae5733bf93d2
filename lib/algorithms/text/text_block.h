/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A text that grows in memory of the library's own, and ends the program if there is none, as GMP's
 * default functions do. */
#ifndef MPGPU_TEXT_BLOCK_H
#define MPGPU_TEXT_BLOCK_H

#include <stddef.h>
#include <stdio.h>

struct text_block {
    char *s; /* {s, n} in so many bytes */
    size_t n, bytes;
    char *small; /* where it stands as long as it is small; or NULL */
};

/* Empty, with that many bytes to begin with, >= 1. */
void text_block_open(struct text_block *b, size_t bytes);

/* The same in an array of so many bytes of the caller's, which short texts do not leave. */
void text_block_open_small(struct text_block *b, char *small, size_t bytes);

/* Room for `more` bytes behind the text, where they are to be written and n to be raised. */
char *text_block_room(struct text_block *b, size_t more);
void text_block_add(struct text_block *b, const char *s, size_t n);
void text_block_fill(struct text_block *b, char c, size_t n);

/* The text with a NUL behind it, which n does not count. */
const char *text_block_string(struct text_block *b);

void text_block_free(struct text_block *b);

/* Writes the text to the stream, standard output if that is NULL, and frees b.  Returns the bytes
 * written; 0 after an error of the stream, as GMP's functions do. */
size_t text_block_write(struct text_block *b, FILE *stream);

/* The text with a NUL in a block of just that size from the program's memory functions: what GMP
 * returns to a program.  Frees b, which was not opened as small.  Ends all scratch of this thread
 * (lib/gmp/memory.h). */
char *text_block_give(struct text_block *b);

#endif
