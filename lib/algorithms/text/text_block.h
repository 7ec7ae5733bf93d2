/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A text that grows in memory of the library.  If memory is missing, it ends the program, as GMP's
 * default functions do. */
#ifndef MPGPU_TEXT_BLOCK_H
#define MPGPU_TEXT_BLOCK_H

#include <stddef.h>
#include <stdio.h>

struct text_block {
    char *s; /* the text {s, n}, in a block of `bytes` bytes */
    size_t n, bytes;
    char *small; /* the caller's array, while the text fits in it; otherwise NULL */
};

/* Opens an empty text with room for `bytes` bytes, at least 1. */
void text_block_open(struct text_block *b, size_t bytes);

/* Opens an empty text in the caller's array of `bytes` bytes.  A text that outgrows the array moves
 * to allocated memory. */
void text_block_open_small(struct text_block *b, char *small, size_t bytes);

/* text_block_room returns room for `more` bytes after the text: the caller writes them, and
 * increases n. text_block_add appends {s, n}, text_block_fill appends n times c. */
char *text_block_room(struct text_block *b, size_t more);
void text_block_add(struct text_block *b, const char *s, size_t n);
void text_block_fill(struct text_block *b, char c, size_t n);

/* Writes a NUL after the text. The text's length b->n does not include it. Returns the text. */
const char *text_block_string(struct text_block *b);

void text_block_free(struct text_block *b);

/* Writes the text to the stream, or to standard output if `stream` is NULL, and frees b.  Returns
 * the number of bytes written; 0 after an error of the stream, as GMP's functions do. */
size_t text_block_write(struct text_block *b, FILE *stream);

/* Returns the text with a NUL, as GMP returns texts: in a block of exactly the text's size, from
 * the program's memory functions. Frees b, which text_block_open must have opened. Before it
 * allocates a copy, it calls memory_scratch_stop: from then on GMP's functions allocate for the
 * program. */
char *text_block_give(struct text_block *b);

#endif
