/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Values of the numbers of include/mpgpu.h: integers that do not change, shared by the numbers,
 * moduli and recorded operations that use them.  A value is computed, with its limbs on the host
 * and perhaps also on the device, or it is a recorded operation. */
#ifndef MPGPU_COMPAT_VALUE_H
#define MPGPU_COMPAT_VALUE_H

#include "compat/number/queue.h"
#include "lib/job/numbers.h"

/* The sign of a recorded operation that is known only after its computation. */
enum { SIGN_UNKNOWN = 2 };

struct value {
    mpgpu_queue *queue;
    size_t refs, holders; /* users; numbers and moduli among them */
    enum number_kind kind;
    int sign;      /* if recorded: 1 or -1, unless it is 0; for NUMBER_SUB the factor of u - v */
    uint64_t bits; /* exact if computed, otherwise an upper bound */

    /* If computed: |value|, `words` words, zeros above; also on the device if the store has
     * bytes. */
    mp_limb_t *limbs;
    struct batch_store store;
    uint64_t words;   /* also of a recorded operation's result, on the device */
    uint64_t residue; /* of the limbs, by which the device's check goes, */
    bool has_residue; /* once it was computed */

    /* An operation: of magnitudes. */
    struct value *u, *v, *next, *previous; /* operands; neighbours in the queue */
    struct modulus *modulus;
    uint64_t shift;

    /* While a run is being made of the queue. */
    size_t place;
};

/* A divisor |m|: a value, and its data on the device. */
struct modulus {
    size_t refs;
    struct value *value;
    bool is_kept;   /* for many divisions: d and its reciprocal stay */
    uint64_t quads; /* of quotients, or 0 (lib/job/numbers.h) */
    struct batch_store store;
    bool is_there;
    size_t index; /* while a run is being made */
    bool is_in_run;
};

/* Returns the sign for later operations: SIGN_UNKNOWN, or the sign unless the value is 0. */
static inline int value_sign(const struct value *x) {
    return x->kind == NUMBER_SUB ? SIGN_UNKNOWN : x->sign;
}

/* Creates a value with one reference from a copy of {xp, n}, without its high zeros.  Returns NULL
 * without memory. */
struct value *value_of_limbs(mpgpu_queue *queue, int sign, mp_srcptr xp, size_t n);

/* Appends an operation to the queue and takes references to its operands.  Returns its value, or
 * NULL without memory. */
struct value *value_record(const struct value *operation);

/* Makes x a computed value of `words` words.  Takes ownership of `limbs`, which are from malloc. */
void value_arrive(struct value *x, mp_limb_t *limbs, uint64_t words, int sign);

/* Add or drop a reference; x may be NULL. */
struct value *value_use(struct value *x);
void value_leave(struct value *x);
void value_hold(struct value *x);
void value_release(struct value *x);

void modulus_leave(struct modulus *m);

/* value_limbs returns the significant limbs; VALUE_MPZ is the magnitude as an mpz. */
size_t value_limbs(const struct value *x);
#define VALUE_MPZ(x) MPZ_ROINIT_N((x)->limbs, (mp_size_t)value_limbs(x))

#endif
