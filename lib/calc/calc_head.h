/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What lies before the numbers of a composite operation, and is the same to lib/calc's files. */
#ifndef MPGPU_CALC_HEAD_H
#define MPGPU_CALC_HEAD_H

#include "lib/calc/calc.h"

/* Words: flags, in turn; parts of residues. */
#define CALC_FLAGS 32
#define CALC_FLAGS_MOST 32 /* of two words each */
#define CALC_PARTS 96
#define CALC_PARTS_GROUPS 256 /* of each of four numbers */
#define CALC_HEAD (CALC_PARTS + 4 * CALC_PARTS_GROUPS * 2)

/* Records of the check, at most. */
enum { CALC_RECORDS_USUAL = 64, CALC_RECORDS_MOST = 1536 };

/* The next of the flags that calc_reduce returns. */
struct number calc_next_flag(struct calc *c);

/* Ends a series of launches (calc_series). */
void calc_series_end(struct calc *c);

/* ---- the check, for lib/calc alone */

/* A number and its residue: known to the host, to be computed from an operand's limbs, or on the
 * device alone. */
struct calc_record {
    struct number x;
    const uint64_t *host;
    uint64_t zeros, limbs;
    uint64_t residue; /* where the host knows it */
    bool is_there, is_of_host, is_pending, is_doubtful;
};

/* The record of the number that begins where x does, or NULL; that of x, a new one that says
 * nothing yet, or NULL where there is no room; the entry of the check's memory. */
struct calc_record *calc_record_find(const struct calc *c, struct number x);
struct calc_record *calc_record_of(struct calc *c, struct number x);
uint64_t calc_record_entry(const struct calc *c, const struct calc_record *k);

/* An operand's residue is computed, unless it is known. */
void calc_record_read(struct calc *c, struct calc_record *k);

/* The check's memory as the host has it. */
uint64_t *calc_check_host(const struct calc *c);

/* The state as it begins goes to the device, and what the host has come to know; what a demand that
 * holds makes of the state. */
void calc_check_bring(struct calc *c);
void calc_check_advance(struct calc *c, uint64_t demand);

/* Nothing is recorded yet; and at the end what calc_check_begin took is released. */
void calc_check_begin(struct calc *c);
void calc_check_close(struct calc *c);

/* The residues of operands that the host has still to compute: while the device works. */
void calc_check_read(struct calc *c);

/* Where a comparison is demanded: the state, which `choose` advances (kernels/sums/window.cl), and
 * its argument, to which *demand is the beginning. */
struct number calc_check_state(struct calc *c, uint32_t *demand);

/* After all demands: puts the way of the state to the host into the queue.  Once that is done: have
 * all demands been made, and held? */
void calc_check_fetch(struct calc *c);
bool calc_check_holds(const struct calc *c);

#endif
