/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The check of a composite operation (doc/design/device-numbers.md, "The check").
 *
 * A number's residue modulo the context's random modulus is recorded once: computed on the host for
 * operands, taken on the device at the first demand that names a result.  Later demands go by what
 * was recorded, whatever the memory holds then.  Numbers whose words decide something without a
 * demand that names them, such as downloads and comparisons, are compared with their record at the
 * end.
 *
 * The operation fails unless every demand was made on the device, and held (kernels/check/chain.h).
 * With `verify` other than device only calc_demand_less is checked. */
#ifndef MPGPU_CALC_CHECK_H
#define MPGPU_CALC_CHECK_H

#include "kernels/check/chain.h"
#include "lib/calc/calc.h"
#include "lib/device/modulus.h"

/* Are residues compared now? */
bool calc_check_is_on(const struct calc *c);

/* Sets *residue to that of {from, limbs} of the job's caller, modulo the context's random modulus.
 * Returns false, and sets nothing, if the number is not to be read.  Of a device alone. */
bool calc_read_residue(struct calc *c, uint64_t *residue, const uint64_t *from, uint64_t limbs);

/* Before anything else of an operation, in both runs: the numbers that are recorded at most, unless
 * the usual number suffices. */
void calc_check_room(struct calc *c, uint64_t records);
enum { CALC_RECORDS_MORE = 256 }; /* of numbers inside steps */

/* x is an operand that is uploaded from host memory, `zeros` limbs of zeros below it: its residue
 * is the host's, computed when the first demand names it, or at the first download. */
void calc_operand_at(struct calc *c, struct number x, const void *host, uint64_t zeros,
                     uint64_t limbs);

/* calc_upload of an operand. */
static inline struct number calc_operand_above(struct calc *c, const void *host, uint64_t zeros,
                                               uint64_t limbs, uint64_t words) {
    struct number x = calc_upload_above(c, host, zeros, limbs, words);
    calc_operand_at(c, x, host, zeros, limbs);
    return x;
}
static inline struct number calc_operand(struct calc *c, const void *host, uint64_t limbs,
                                         uint64_t words) {
    return calc_operand_above(c, host, 0, limbs, words);
}

/* The same for an operand whose limbs in quads from `high` on are wanted before the others. */
static inline struct number calc_operand_halves(struct calc *c, const void *host, uint64_t limbs,
                                                uint64_t words, uint64_t high) {
    struct number x = c->engine->upload(c, host, 0, limbs, words, high);
    calc_operand_at(c, x, host, 0, limbs);
    return x;
}

/* x's residue is known; or it is that of the operand u, times 2^bits. */
void calc_know(struct calc *c, struct number x, uint64_t residue);
void calc_know_shifted(struct calc *c, struct number x, struct number u, uint64_t bits);

/* What was recorded of x is not so any more: another number will be there. */
void calc_forget(struct calc *c, struct number x);

/* The words of x have decided something: they are compared with the record of x at the end, or at
 * the next calc_settle, before their memory is used again; calc_one is compared with 1.  Other
 * numbers without a record are not compared. */
void calc_doubt(struct calc *c, struct number x);
void calc_settle(struct calc *c);

/* e r w = f u v + g a + h: a number without words is 1, or 0 in the place of a.  Of those in
 * `fresh` the record is made anew. */
struct calc_equation {
    struct number x[EQUATION_PLACES];
    uint64_t e, f, g, h;
    unsigned fresh; /* CALC_FRESH of places */
};
#define CALC_FRESH(place) (1u << (place))

/* Unless u < v, u.words >= v.words, the operation fails. */
void calc_demand_less(struct calc *c, struct number u, struct number v);

/* Unless r = u v + a, the operation fails.  The record of r is made now, and that of each number
 * that has none.  a may have no words. */
void calc_demand_product(struct calc *c, struct number r, struct number u, struct number v,
                         struct number a);

/* The same for n = u v + r, which has a new record, or no words; r = u - v + 2^bits; r = u 2^bits;
 * u = r 2^bits + low, both of which have new ones; and x y = q d + r, where q and r have. */
void calc_demand_rest(struct calc *c, struct number n, struct number u, struct number v,
                      struct number r);
void calc_demand_difference(struct calc *c, struct number r, struct number u, struct number v,
                            uint64_t bits);
void calc_demand_shifted(struct calc *c, struct number r, struct number u, uint64_t bits);
void calc_demand_parts(struct calc *c, struct number u, struct number r, uint64_t bits,
                       struct number low);
void calc_demand_reduced(struct calc *c, struct number x, struct number y, struct number q,
                         struct number d, struct number r);

/* Unless x is congruent to `expected`, less than m, modulo the context's random modulus m, the
 * operation fails; x is compared at the end. */
void calc_demand_residue(struct calc *c, struct number x, uint64_t expected);

/* A word of the device's memory that becomes 1 where something is wrong: then the operation
 * fails. */
struct number calc_check_wrong(struct calc *c);

/* A word to which a kernel adds, in all, `count` for what it has found right: else the operation
 * fails. */
struct number calc_check_count(struct calc *c, uint64_t count);

#endif
