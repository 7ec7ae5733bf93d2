/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Residues of batches that stay on the device. The host keeps the residue of each batch, whose
 * memory is read as one long number, modulo the check's random modulus. An operation computes the
 * residues of its operands and compares them with the kept ones. It also computes the residues of
 * its results.
 *
 * So a word that changes at any time is detected. The residue of a result is computed before the
 * check reads the result. The residue of an operand is computed after the last launch that uses the
 * operand. An operation of several steps handles its intermediate numbers in the same way
 * (kept_step). */
#ifndef MPGPU_KEPT_H
#define MPGPU_KEPT_H

#include "lib/device/context.h"

enum { KEPT_OPERANDS = 8, KEPT_RESULTS = 3 };

/* A batch in device memory, read as one long number {mem, words}, and its residue. */
struct kept_number {
    gpu_mem mem;
    uint64_t words, residue;
};

/* The numbers of one operation. The residues of operands are known; the operation sets the residues
 * of results. */
struct kept {
    unsigned operands, results;
    struct kept_number operand[KEPT_OPERANDS], result[KEPT_RESULTS];
};

/* A part of a number, whose residue the device computes in groups of `words` words. Each of the
 * entries from `first` on has the residue of one group. The part begins at word `at` of *number. */
struct kept_part {
    struct kept_number *number;
    uint64_t at, words, groups, first;
    bool is_operand;
};

/* KEPT_ENTRIES: how many entries of 64 bits SLOT_VERDICT has for the residues of groups, behind the
 * verdict (lib/device/verdict.h). KEPT_PARTS: the most parts (struct kept_part). */
enum { KEPT_ENTRIES = 1 << 12, KEPT_PARTS = 32 };

/* The residues of an operation's operands and results whose computation is queued so far. */
struct kept_work {
    struct kept *kept;
    uint64_t done[KEPT_RESULTS]; /* words */
    bool has_compared;
    /* made: result of the current step; used: numbers that no later step uses */
    struct kept_number *made, *const *used;
    unsigned used_count;
    struct kept_part part[KEPT_PARTS];
    unsigned parts;
    uint64_t entries;
    uint64_t host[1 + KEPT_ENTRIES];
};

/* kept_begin begins to compute an operation's residues. kept_restart begins again, if the operation
 * is repeated. */
void kept_begin(struct context *s, struct kept_work *work, struct kept *kept);
void kept_restart(struct context *s);

/* Queues the computation of the residue of words `at` to at + words - 1 of a result. Call it after
 * the launch that computes these words, and before the words are checked. Does nothing for memory
 * that is neither a result of the operation nor the number of its current step. */
enum gpu_status kept_result(struct context *s, gpu_mem r, uint64_t at, uint64_t words);

/* Begins a step of an operation, just before its launches.
 *
 * - made: the number that the step computes, or NULL.
 * - used: the `count` numbers that this step is the last one to use. The next verdict_end compares
 *   their residues with the residues that earlier steps have set. If a number in `used` is a result
 *   of the operation, judged by its memory, the entry in `used` is replaced by a pointer to that
 *   result.
 *
 * The caller must keep all these structs and arrays until that verdict_end. */
void kept_step(struct context *s, struct kept_number *made, struct kept_number **used,
               unsigned count);

/* ---- for lib/device/verdict.c */

/* Queues the computation of the residues of those numbers that no step after the current one uses.
 * Once the residues of all results are queued, also queues those of the operands. */
enum gpu_status kept_compare(struct context *s);

/* Computes the numbers' residues from the downloaded entries in `host`. Returns GPU_FAILED, with a
 * warning in the log, if an operand has changed. */
enum gpu_status kept_coalesce(struct context *s);

#endif
