/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A step of Barrett's reduction for some of the numbers of an operation, with its check. */
#ifndef MPGPU_BARRETT_STEP_H
#define MPGPU_BARRETT_STEP_H

#include "lib/modular/barrett.h"

/* Memory for the numbers of one piece, besides transforms; powers use four times that.  A piece has
 * at least one number.  Tests change it before the device is open. */
extern uint64_t barrett_piece_bytes;

/* Numbers from word `at` of a buffer on, each `step` words after the one before.  mem.h is 0 if
 * there are none. */
struct barrett_numbers {
    gpu_mem mem;
    uint64_t at;
    uint32_t step;
};

/* Numbers `first` to first + count - 1 of the operation.  The context's slots hold for each number:
 *
 * - x and the quotient's product, of twice `words` words each.
 * - the shifted number and the product by m, of `words` words.
 * - for the check, a residue in each row; row_of_m is the moduli's row. */
struct barrett_piece {
    const struct barrett_operation *b;
    uint64_t first, count;
    uint32_t row_of_m;
};

/* A step computes hi B^n + lo modulo m, for hi < m, and stores it at word r_at of r.  The check
 * verifies the step by residues: it applies operation `of` to rows a and b.  It stores the result's
 * residue in row `to`.  If is_last, the step computes the final result, whose residue may be kept
 * (lib/device/kept.h). */
struct barrett_step {
    struct barrett_numbers hi, lo;
    gpu_mem r;
    uint64_t r_at;
    uint32_t of, a, b, to;
    bool is_last;
};

/* Prepares the slots for pieces of p->count numbers, with `rows` rows; begins the check. */
enum gpu_status barrett_step_prepare(struct context *s, const struct barrett_piece *p,
                                     uint32_t rows);

/* Return the words from one modulus to the next, and from one modulus' known data to the next. */
uint32_t barrett_m_step(const struct barrett_piece *p);
uint32_t barrett_known_step(const struct barrett_piece *p);

/* Queue a step: a reduction; the reduction of a product u v, of rows a and b; a sum or difference
 * (BARRETT_ADD, BARRETT_SUB) of hi and lo, both below the modulus. */
enum gpu_status barrett_reduce(struct context *s, const struct barrett_piece *p,
                               const struct barrett_step *step);
enum gpu_status barrett_multiply(struct context *s, const struct barrett_piece *p,
                                 struct barrett_numbers u, struct barrett_numbers v,
                                 struct barrett_step step);
enum gpu_status barrett_sum(struct context *s, const struct barrett_piece *p, uint32_t kind,
                            const struct barrett_step *step);

/* Queues r = 1 modulo m. */
enum gpu_status barrett_unit(struct context *s, const struct barrett_piece *p, gpu_mem r,
                             uint64_t r_at, uint32_t to);

/* With verify:device, queue the residues: of the numbers of x as row `to`, and of the moduli. */
enum gpu_status barrett_residues(struct context *s, const struct barrett_piece *p, uint32_t to,
                                 struct barrett_numbers x);
enum gpu_status barrett_residues_of_m(struct context *s, const struct barrett_piece *p);

/* Waits for all steps.  Returns GPU_OK if none was wrong. */
enum gpu_status barrett_end(struct context *s);

#endif
