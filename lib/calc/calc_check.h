/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The check of a composite operation (doc/design/device-numbers.md, "The check").
 *
 * The residue of each number modulo the context's random modulus is recorded once. The host
 * computes the residues of operands. The device computes a result's residue at the first demand (an
 * equation that must hold) in which the result occurs. Later demands use the recorded residue,
 * whatever the memory contains then. Downloads and comparisons read the words of some numbers
 * outside of demands. At the end, these numbers are compared with their recorded residues.
 *
 * The operation fails unless every demand was evaluated on the device, and held
 * (kernels/check/chain.h). If `verify` is not `device`, only calc_demand_less and
 * calc_demand_below_mersenne are checked. */
#ifndef MPGPU_CALC_CHECK_H
#define MPGPU_CALC_CHECK_H

#include "kernels/check/chain.h"
#include "lib/calc/calc.h"
#include "lib/device/modulus.h"

/* Returns true if the operation runs now and its residues are compared. */
bool calc_check_is_on(const struct calc *c);

/* Sets *residue to the residue of {from, limbs}, memory of the job's caller, modulo the context's
 * random modulus. Returns false, and sets nothing, if the number cannot be read. For the device's
 * engine only. */
bool calc_read_residue(struct calc *c, uint64_t *residue, const uint64_t *from, uint64_t limbs);

/* Sets how many residues the operation may record, if CALC_RECORDS_USUAL does not suffice. Call it
 * first in an operation, in both runs. */
void calc_check_room(struct calc *c, uint64_t records);
/* A caller of calc_check_room adds this number, for the residues of intermediate results. */
enum { CALC_RECORDS_MORE = 256 };

/* Declares x an operand uploaded from host memory, with `zeros` zero limbs below. The host computes
 * the residue of x when the check first needs it, or at the first download. */
void calc_operand_at(struct calc *c, struct number x, const void *host, uint64_t zeros,
                     uint64_t limbs);

/* Upload an operand as calc_upload_above and calc_upload do, and declare it by calc_operand_at. */
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

/* Uploads an operand as calc_operand does, but first the limbs at or above quad `high` (of 128
 * bits), then the lower ones. */
static inline struct number calc_operand_halves(struct calc *c, const void *host, uint64_t limbs,
                                                uint64_t words, uint64_t high) {
    struct number x = c->engine->upload(c, host, 0, limbs, words, high);
    calc_operand_at(c, x, host, 0, limbs);
    return x;
}

/* calc_know sets x's recorded residue to `residue`. calc_know_shifted sets it to that of u 2^bits,
 * for an operand u. */
void calc_know(struct calc *c, struct number x, uint64_t residue);
void calc_know_shifted(struct calc *c, struct number x, struct number u, uint64_t bits);

/* Discards the recorded residue of x, because another number will be in its memory. */
void calc_forget(struct calc *c, struct number x);

/* calc_doubt marks x for comparison with its recorded residue, because x's words have decided how
 * the operation continues, or were downloaded. calc_check_now compares all marked numbers. Call it
 * before the memory of these numbers is used again; the operation's end calls it, too. calc_one, if
 * it is marked, is compared with 1. A number without a recorded residue is not compared. */
void calc_doubt(struct calc *c, struct number x);
void calc_check_now(struct calc *c);

/* The equation e r w = f u v + g a + h. x[] has the numbers r, w, u, v and a, in this order. e, f,
 * g and h are residues. If a is a number without words, it counts as 0; any other number without
 * words counts as 1. `fresh` selects the numbers whose residues are recorded anew. */
struct calc_equation {
    struct number x[EQUATION_TERMS];
    uint64_t e, f, g, h;
    unsigned fresh; /* CALC_FRESH of places */
};
#define CALC_FRESH(place) (1u << (place))

/* Make the operation fail unless u < v (calc_demand_less) or u < 2^p - 1
 * (calc_demand_below_mersenne). u must have at least v.words words. */
void calc_demand_less(struct calc *c, struct number u, struct number v);
void calc_demand_below_mersenne(struct calc *c, struct number u, uint64_t p);

/* Makes the operation fail unless r = u v + a, where an a of no words is 0. The device computes
 * and records the residue of r, even if one is recorded already. It also computes and records the
 * residues of u, v and a that are not recorded yet. */
void calc_demand_product(struct calc *c, struct number r, struct number u, struct number v,
                         struct number a);

/* Make the operation fail unless these equations hold. calc_demand_rest: n = u v + r, where r may
 * have no words. calc_demand_difference: r = u - v + 2^bits. calc_demand_shifted: r = u 2^bits.
 * calc_demand_parts: u = r 2^bits + low. calc_demand_reduced: x y = q d + r. The residue of r is
 * recorded anew, that of low in calc_demand_parts, and that of q in calc_demand_reduced. */
void calc_demand_rest(struct calc *c, struct number n, struct number u, struct number v,
                      struct number r);
void calc_demand_difference(struct calc *c, struct number r, struct number u, struct number v,
                            uint64_t bits);
void calc_demand_shifted(struct calc *c, struct number r, struct number u, uint64_t bits);
void calc_demand_parts(struct calc *c, struct number u, struct number r, uint64_t bits,
                       struct number low);
void calc_demand_reduced(struct calc *c, struct number x, struct number y, struct number q,
                         struct number d, struct number r);

/* Makes the operation fail unless x is congruent to `expected` < m modulo the context's random
 * modulus m. At the end of the operation, x's words in memory are compared with `expected`. */
void calc_demand_residue(struct calc *c, struct number x, uint64_t expected);

/* Returns a word of device memory. A kernel sets it to 1 if something is wrong: the operation then
 * fails. */
struct number calc_check_wrong(struct calc *c);

/* Returns a word of device memory, to which kernels add the count of what they have found correct.
 * The operation fails unless the sum is `count`. */
struct number calc_check_count(struct calc *c, uint64_t count);

#endif
