/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The first words of a composite operation's memory, which hold flags and residues, and functions
 * that several files of lib/calc use. A demand is an equation or comparison that must hold,
 * otherwise the operation fails (calc_check.h). */
#ifndef MPGPU_CALC_HEAD_H
#define MPGPU_CALC_HEAD_H

#include "lib/calc/calc.h"

/* Places of data in an operation's memory, in words from its start. CALC_FLAGS: the flags, which
 * calc_reduce uses one after another. CALC_PARTS: the residues of parts of numbers. */
#define CALC_FLAGS 32
#define CALC_FLAGS_MOST 32 /* flags, of two words each */
#define CALC_PARTS 96
#define CALC_PARTS_GROUPS 256 /* most parts into which each of up to four numbers is cut */
#define CALC_HEAD (CALC_PARTS + 4 * CALC_PARTS_GROUPS * 2)

/* Usual and largest number of residues that the check of an operation records. */
enum { CALC_RECORDS_USUAL = 64, CALC_RECORDS_MOST = 1536 };

/* Returns the flag that calc_reduce uses next. */
struct number calc_next_flag(struct calc *c);

/* Ends a series of launches (calc_series). */
void calc_series_end(struct calc *c);

/* ---- the check: what only lib/calc uses */

/* A number and its residue. The host knows the residue, or can compute it from an operand's limbs,
 * or only the device knows it. */
struct calc_record {
    struct number x;
    const uint64_t *host;
    uint64_t zeros, limbs;
    uint64_t residue; /* valid if the host knows the residue */
    bool is_there, is_of_host, is_pending, is_doubtful;
};

/* calc_record_find returns the record of the number that begins where x does, or NULL.
 * calc_record_of returns the record of x, and adds an empty record if there is none. It returns
 * NULL if there is no room for another record. calc_record_entry returns the place of a record in
 * the check's memory. */
struct calc_record *calc_record_find(const struct calc *c, struct number x);
struct calc_record *calc_record_of(struct calc *c, struct number x);
uint64_t calc_record_entry(const struct calc *c, const struct calc_record *k);

/* Computes an operand's residue, unless the host knows it already. */
void calc_record_read(struct calc *c, struct calc_record *k);

/* Returns the host's copy of the check's memory on the device. */
uint64_t *calc_check_host(const struct calc *c);

/* calc_check_bring uploads the residues that the host has computed since the previous call. The
 * first call also uploads the initial state of the check: a number that the device changes with
 * each demand (an equation or comparison that must hold). calc_check_advance computes the value
 * that the state should have after one more demand. */
void calc_check_bring(struct calc *c);
void calc_check_advance(struct calc *c, uint64_t demand);

/* calc_check_begin allocates the check's records, which are empty; calc_check_close frees them. */
void calc_check_begin(struct calc *c);
void calc_check_close(struct calc *c);

/* Computes the operands' residues that are still missing, on the host, while the device runs
 * kernels. */
void calc_check_read(struct calc *c);

/* Returns the check's state, a number of two words on the device, for calc_demand_less. The
 * kernel `choose` (kernels/sums/window.cl) changes the state if a comparison holds. Adds 4 times
 * the count of calls so far to *demand, so that the argument `demand` of `choose` is a different
 * one for each comparison. */
struct number calc_check_state(struct calc *c, uint32_t *demand);

/* calc_check_fetch queues the download of the check's state, which the device has changed with each
 * demand (an equation or comparison that must hold). After the download, calc_check_holds returns
 * true if all demands were evaluated, and held. */
void calc_check_fetch(struct calc *c);
bool calc_check_holds(const struct calc *c);

#endif
