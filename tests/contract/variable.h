/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Copies of a call's variables.  Results get a given number of allocated limbs in checked blocks
 * (tests/contract/blocks.h).  Operands get memory that cannot be written to. */
#ifndef MPGPU_VARIABLE_H
#define MPGPU_VARIABLE_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

/* VARIABLE_NONE: the type is not compared.  VARIABLE_STREAM: a FILE.  The others are GMP's
 * integers, fractions and floating-point numbers. */
enum variable_kind { VARIABLE_NONE, VARIABLE_STREAM, VARIABLE_Z, VARIABLE_Q, VARIABLE_F };

enum { VARIABLE_PARTS = 2 };

struct variable {
    enum variable_kind kind;
    bool is_result;
    union {
        __mpz_struct z;
        __mpq_struct q;
        __mpf_struct f;
    } own;   /* of a result */
    void *p; /* the variable */
    void *frozen;
    size_t frozen_bytes;
    mp_ptr given[VARIABLE_PARTS];      /* addresses of the limbs of each part, before the call */
    size_t given_room[VARIABLE_PARTS]; /* how many */
};

/* A copy of a variable's value, for comparisons. */
struct variable_value {
    int parts, size[VARIABLE_PARTS];
    mp_exp_t exponent;
    mp_ptr limbs[VARIABLE_PARTS];
};

/* Returns how many separately allocated parts a variable has: 1 for an integer, 2 for a fraction, 0
 * for other types. */
int variable_parts(enum variable_kind kind);
mpz_ptr variable_part(const struct variable *x, int part);

/* Makes a read-only copy of an operand. */
void variable_freeze(struct variable *x, enum variable_kind kind, const void *original);

/* Copies a result.  Part i gets memory for `room[i]` limbs, or for its value if that is longer. */
void variable_copy(struct variable *x, enum variable_kind kind, const void *original,
                   const size_t *room);

/* Prepares a result that the call itself initialises. */
void variable_new(struct variable *x, enum variable_kind kind);

/* Returns true if part i has the same limb address and allocation as before the call. */
bool variable_stays(const struct variable *x, int part);

/* Checks the memory blocks of a result, and frees the copy. */
void variable_free(struct variable *x);

void variable_get(struct variable_value *v, const struct variable *x);
bool variable_same(const struct variable_value *v, const struct variable *x);
void variable_forget(struct variable_value *v);

#endif
