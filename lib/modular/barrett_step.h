/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A step of Barrett's reduction for some of the numbers of an operation, with its check. */
#ifndef MPGPU_BARRETT_STEP_H
#define MPGPU_BARRETT_STEP_H

#include "lib/modular/barrett.h"

/* Memory for what is computed at a time, beside transforms; of powers four times as much.  At least
 * a number is.  Tests change it before the device is open. */
extern uint64_t barrett_piece_bytes;

/* Numbers from word `at` of a buffer on, `step` words from one to the next; none where mem.h is 0.
 */
struct barrett_numbers {
    gpu_mem mem;
    uint64_t at;
    uint32_t step;
};

/* Numbers `first` to first + count - 1 of the operation.  Slots of the context hold x of 2 words
 * words each, the quotient's product, of as many, and a number each for what is shifted and the
 * product by m; and for the check rows of `count` residues, row_of_m that of the moduli. */
struct barrett_piece {
    const struct barrett_operation *b;
    uint64_t first, count;
    uint32_t row_of_m;
};

/* hi B^n + lo, hi below the modulus, is to be reduced: to r from word r_at on.  For the check it is
 * `of` of those in rows a and b; row `to` is the result's.  is_last: the result is the
 * operation's, whose residue may be kept (lib/device/kept.h). */
struct barrett_step {
    struct barrett_numbers hi, lo;
    gpu_mem r;
    uint64_t r_at;
    uint32_t of, a, b, to;
    bool is_last;
};

/* The slots for pieces of p->count numbers, with so many rows; begins the check. */
enum gpu_status barrett_step_prepare(struct context *s, const struct barrett_piece *p,
                                     uint32_t rows);

/* Words from one modulus, or what is known of it, to the next. */
uint32_t barrett_m_step(const struct barrett_piece *p);
uint32_t barrett_known_step(const struct barrett_piece *p);

/* Into the queue: the step; that of a product u v, of rows a and b; a sum or difference (of
 * BARRETT_ADD, BARRETT_SUB) of hi and lo, both below the modulus. */
enum gpu_status barrett_reduce(struct context *s, const struct barrett_piece *p,
                               const struct barrett_step *step);
enum gpu_status barrett_multiply(struct context *s, const struct barrett_piece *p,
                                 struct barrett_numbers u, struct barrett_numbers v,
                                 struct barrett_step step);
enum gpu_status barrett_sum(struct context *s, const struct barrett_piece *p, uint32_t kind,
                            const struct barrett_step *step);

/* 1 modulo m. */
enum gpu_status barrett_unit(struct context *s, const struct barrett_piece *p, gpu_mem r,
                             uint64_t r_at, uint32_t to);

/* With verify:device: row `to` from the numbers of x; from the moduli. */
enum gpu_status barrett_residues(struct context *s, const struct barrett_piece *p, uint32_t to,
                                 struct barrett_numbers x);
enum gpu_status barrett_residues_of_m(struct context *s, const struct barrett_piece *p);

/* Behind all: GPU_OK if nothing was wrong. */
enum gpu_status barrett_end(struct context *s);

#endif
