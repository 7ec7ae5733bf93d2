/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Shared by tests/proofs/enumerate_*.c.  Each of these programs checks functions on many inputs,
 * and prints the number of inputs of each function. A wrong result ends the program with status
 * 1. */
#ifndef MPGPU_PROOFS_ENUMERATE_H
#define MPGPU_PROOFS_ENUMERATE_H

#include <stdio.h>
#include <stdlib.h>

typedef unsigned long number; /* wide enough for exact values */

static number inputs;
static const char *function;

/* Begins function `name`. */
static void begin(const char *name) {
    function = name;
    inputs = 0;
}

static void end(void) {
    printf("enumerated %s %lu\n", function, inputs);
}

/* Checks the result for one input of the function. Prints a, b and c if the result is wrong. */
#define CHECK(is_right, a, b, c)                                                                   \
    do {                                                                                           \
        inputs++;                                                                                  \
        if (!(is_right)) {                                                                         \
            printf("WRONG %s: %ld %ld %ld\n", function, (long)(a), (long)(b), (long)(c));          \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define EACH(type, i, begin, end) for (type i = (begin); i < (end); i++)

#endif
