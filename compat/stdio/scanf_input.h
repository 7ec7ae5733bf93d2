/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The input of gmp_scanf and related functions: a stream or a string. */
#ifndef MPGPU_SCANF_INPUT_H
#define MPGPU_SCANF_INPUT_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct scanf_input {
    FILE *stream;  /* or NULL */
    const char *s; /* the part of the string that is not read yet */
    size_t read;   /* the number of characters read so far */
    bool locked;   /* the caller has locked the stream, to read many characters faster */
};

/* Reads the next character, or EOF. Counts EOF as a character, until scanf_input_back unreads
 * it. */
static inline int scanf_input_next(struct scanf_input *in) {
    in->read++;
    if (in->stream)
        return in->locked ? getc_unlocked(in->stream) : getc(in->stream);
    return *in->s ? (unsigned char)*in->s++ : EOF;
}

/* Unreads c, which must be the last character read. */
static inline void scanf_input_back(struct scanf_input *in, int c) {
    in->read--;
    if (in->stream)
        ungetc(c, in->stream);
    else if (c != EOF)
        in->s--;
}

/* Skips white space. Returns the next character, or EOF. */
static inline int scanf_input_skip(struct scanf_input *in) {
    int c;
    while (isspace(c = scanf_input_next(in)))
        ;
    return c;
}

#endif
