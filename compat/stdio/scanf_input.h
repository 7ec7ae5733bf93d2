/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What gmp_scanf and its relatives read from: a stream or a string. */
#ifndef MPGPU_SCANF_INPUT_H
#define MPGPU_SCANF_INPUT_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct scanf_input {
    FILE *stream;  /* or NULL */
    const char *s; /* the rest of the string */
    size_t read;   /* characters so far */
    bool locked;   /* the stream is, for many characters */
};

/* The next character, or EOF, which counts as one. */
static inline int scanf_input_next(struct scanf_input *in) {
    in->read++;
    if (in->stream)
        return in->locked ? getc_unlocked(in->stream) : getc(in->stream);
    return *in->s ? (unsigned char)*in->s++ : EOF;
}

/* Unreads c, the last one. */
static inline void scanf_input_back(struct scanf_input *in, int c) {
    in->read--;
    if (in->stream)
        ungetc(c, in->stream);
    else if (c != EOF)
        in->s--;
}

/* The next character that is no white space. */
static inline int scanf_input_skip(struct scanf_input *in) {
    int c;
    while (isspace(c = scanf_input_next(in)))
        ;
    return c;
}

#endif
