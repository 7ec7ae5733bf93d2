/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Residues of batches that stay on the device.  The host keeps the residue of each batch, its
 * memory as one long number, modulo the check's random modulus.  An operation compares the residues
 * of its operands with those, and finds the residues of its results.
 *
 * A changed word is found whenever it changes: the residue of a result is computed before the check
 * reads the result, those of operands after the last launch that computes with them. */
#ifndef MPGPU_KEPT_H
#define MPGPU_KEPT_H

#include "lib/device/context.h"

enum { KEPT_OPERANDS = 8, KEPT_RESULTS = 3 };

/* {mem, words}, and its residue. */
struct kept_number {
    gpu_mem mem;
    uint64_t words, residue;
};

/* Of one operation.  The residues of operands are known; the operation sets those of results. */
struct kept {
    unsigned operands, results;
    struct kept_number operand[KEPT_OPERANDS], result[KEPT_RESULTS];
};

/* Residues of parts that the device computes: entry `first` and the next ones, one for each group
 * of `words` words, of the part of *number that begins at word `at`. */
struct kept_part {
    struct kept_number *number;
    uint64_t at, words, groups, first;
    bool is_operand;
};

/* Entries of 64 bits behind the verdict (lib/device/verdict.h), and parts that have some. */
enum { KEPT_ENTRIES = 1 << 12, KEPT_PARTS = 32 };

/* What an operation has done of it. */
struct kept_work {
    struct kept *kept;
    uint64_t done[KEPT_RESULTS]; /* words */
    bool has_compared;
    struct kept_part part[KEPT_PARTS];
    unsigned parts;
    uint64_t entries;
    uint64_t host[1 + KEPT_ENTRIES];
};

/* Begins; forgets what has been done, where the operation is begun once more. */
void kept_begin(struct context *s, struct kept_work *work, struct kept *kept);
void kept_restart(struct context *s);

/* Puts into the queue the residue of words `at` to at + words - 1 of a result, behind what computes
 * them and before their check.  Does nothing for memory that is no result of the operation. */
enum gpu_status kept_result(struct context *s, gpu_mem r, uint64_t at, uint64_t words);

/* ---- for lib/device/verdict.c */

/* Puts the residues of the operands into the queue, if those of all results are there. */
enum gpu_status kept_compare(struct context *s);

/* Adds up the entries in `host`.  GPU_FAILED, with a warning in the log, if an operand has changed.
 */
enum gpu_status kept_gather(struct context *s);

#endif
