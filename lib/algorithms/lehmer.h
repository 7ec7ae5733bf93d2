/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Steps of Euclid's algorithm on mpz that hang on their highest bits alone. */
#ifndef MPGPU_LEHMER_H
#define MPGPU_LEHMER_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/algorithms/theory/symbol.h"

/* Of numbers that are not negative, with the determinant 1: how numbers a0, b0 come from what
 * steps of Euclid's algorithm have made of them, (a0, b0) = m (a, b). */
struct lehmer_matrix {
    mpz_t e[2][2];
    struct symbol *symbol; /* what follows the steps, or NULL */
};

/* Room for what is computed; its numbers are initialised. */
struct lehmer_scratch {
    mpz_t x, y;
};

/* As many such steps as the highest 128 bits of the larger of a and b and the same of the other
 * tell, with m = m times theirs: some 62 bits less. a, b >= 2^s before, and after as well; false,
 * and nothing has changed, if there is none. */
bool lehmer_steps(struct lehmer_scratch *l, mpz_ptr a, mpz_ptr b, size_t s,
                  struct lehmer_matrix *m);

#endif
