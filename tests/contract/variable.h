/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Copies of a call's variables: results with a given room in blocks that are checked
 * (tests/contract/blocks.h), operands in memory that cannot be written to. */
#ifndef MPGPU_VARIABLE_H
#define MPGPU_VARIABLE_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

/* A type that is no variable, a stream, and GMP's integers, fractions and floating-point numbers.
 */
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
    mp_ptr given[VARIABLE_PARTS];      /* the limbs before the call */
    size_t given_room[VARIABLE_PARTS]; /* how many */
};

/* The value of a variable. */
struct variable_value {
    int parts, size[VARIABLE_PARTS];
    mp_exp_t exponent;
    mp_ptr limbs[VARIABLE_PARTS];
};

/* Returns the number of parts with their own limbs and room: 1 for an integer, 2 for a fraction, 0
 * for others. */
int variable_parts(enum variable_kind kind);
mpz_ptr variable_part(const struct variable *x, int part);

/* A copy of an operand, read-only. */
void variable_freeze(struct variable *x, enum variable_kind kind, const void *original);

/* A copy of a result whose part i has room for `room[i]` limbs, or for its value if that is more.
 */
void variable_copy(struct variable *x, enum variable_kind kind, const void *original,
                   const size_t *room);

/* A result that the call initialises. */
void variable_new(struct variable *x, enum variable_kind kind);

/* Whether part i has the limbs and the room that it was given. */
bool variable_stays(const struct variable *x, int part);

/* Checks the blocks of a result and frees the copy. */
void variable_free(struct variable *x);

void variable_get(struct variable_value *v, const struct variable *x);
bool variable_same(const struct variable_value *v, const struct variable *x);
void variable_forget(struct variable_value *v);

#endif
