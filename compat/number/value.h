/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Values of numbers (include/mpgpu.h). A value is an integer that never changes; numbers, moduli
 * and recorded operations share it. A value is a recorded operation, or it is computed: then its
 * limbs are on the host and perhaps also on the device. */
#ifndef MPGPU_COMPAT_VALUE_H
#define MPGPU_COMPAT_VALUE_H

#include "compat/number/queue.h"
#include "lib/job/numbers.h"

/* Returned by value_sign for a recorded difference: its sign is known only after the
 * computation. */
enum { SIGN_UNKNOWN = 2 };

struct value {
    mpgpu_queue *queue;
    /* number of all references; number of references from numbers and moduli */
    size_t refs, holders;
    enum number_kind kind;
    /* The sign of the value: 1, -1 or 0. For a recorded difference (NUMBER_SUB), the value is
     * `sign` times |u| - |v|. */
    int sign;
    uint64_t bits; /* number of bits of the value if it is computed, otherwise an upper bound */
    /* If not 0: the magnitude is below the modulus that has this number (struct modulus). */
    uint64_t below;

    /* The magnitude if it is computed: `words` 32-bit words, of which the highest may be 0. If
     * `store` has bytes, the device has a copy. */
    mp_limb_t *limbs;
    struct batch_store store;
    /* The words of the magnitude; for a recorded operation, of the result on the device. */
    uint64_t words;
    /* The residue (checksum) of the limbs, valid if has_residue. The device compares it with the
     * residue of its copy. */
    uint64_t residue;
    bool has_residue;

    /* The members from here to `shift` are used only by a recorded operation, which combines the
     * magnitudes of u and v. */
    struct value *u, *v, *next, *previous; /* operands; neighbours in the queue */
    struct modulus *modulus;
    uint64_t shift;

    /* The index in the job's table of values, while the queue is computed. */
    size_t variable;
};

/* A modulus or divisor: the absolute value of a number m of the program, and its reciprocal on the
 * device. */
struct modulus {
    size_t refs;
    struct value *value;
    bool is_kept; /* the modulus serves many divisions: the device keeps m and its reciprocal */
    /* the length of quotients by this divisor, in quads of four 32-bit words (lib/job/numbers.h); 0
     * for a modulus */
    uint64_t quads;
    uint64_t number; /* a number that no other modulus of the program has, from 1 */
    uint64_t form;   /* the code of |m|'s special form, such as 2^e - 1 (calc_form_find); or 0 */
    struct batch_store store;
    bool is_there;
    size_t index; /* the index in the job's table of divisors, while the queue is being computed */
    bool is_in_run;
};

/* Returns the sign of x, 1, -1 or 0, or SIGN_UNKNOWN. A recorded value may still turn out to be
 * 0. */
static inline int value_sign(const struct value *x) {
    return x->kind == NUMBER_SUB ? SIGN_UNKNOWN : x->sign;
}

/* Creates a computed value from a copy of {xp, n}, without high zeros, with one reference. Returns
 * NULL if memory is exhausted. */
struct value *value_of_limbs(mpgpu_queue *queue, int sign, mp_srcptr xp, size_t n);

/* Records an operation in its queue and takes references to its operands. Returns its value, or
 * NULL if memory is exhausted. */
struct value *value_record(const struct value *operation);

/* Makes x a computed value: its magnitude is `limbs`, of `words` 32-bit words, from malloc. Takes
 * ownership of `limbs`. */
void value_arrive(struct value *x, mp_limb_t *limbs, uint64_t words, int sign);

/* value_use adds a reference for a recorded operation, and value_leave drops one. value_retain and
 * value_release do the same for numbers and moduli. value_use and value_leave accept NULL. */
struct value *value_use(struct value *x);
void value_leave(struct value *x);
void value_retain(struct value *x);
void value_release(struct value *x);

void modulus_leave(struct modulus *m);

/* value_limbs returns the number of significant limbs of x; VALUE_MPZ is the magnitude as a
 * read-only mpz. */
size_t value_limbs(const struct value *x);
#define VALUE_MPZ(x) MPZ_ROINIT_N((x)->limbs, (mp_size_t)value_limbs(x))

#endif
