/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One step of Barrett's reduction for a piece (some numbers) of a batch, and the check of the
 * step. */
#ifndef MPGPU_BARRETT_STEP_H
#define MPGPU_BARRETT_STEP_H

#include "lib/modular/barrett.h"

/* Device memory in bytes for the intermediate results of one piece, not counting those of
 * transforms. Powers use four times this size. A piece always has at least one number, even if that
 * needs more memory. Tests change the value before the device is opened. */
extern uint64_t barrett_piece_bytes;

/* A list of numbers: the first number begins at word `at` of a buffer, and each following number
 * begins `step` words after the previous one. mem.h is 0 if the list is absent. */
struct barrett_numbers {
    gpu_mem mem;
    uint64_t at;
    uint32_t step;
};

/* A piece of a batch: numbers `first` to first + count - 1 of the operation. Buffers of the context
 * hold for each number:
 *
 * - the product to reduce, of 2 * words words;
 * - the product for the quotient, of 2 * words words;
 * - the shifted number, later the product of quotient and modulus, of `words` words;
 * - the residues for the check. A row of the check's buffer has one residue for each number; row
 *   row_of_m has the moduli's residues. */
struct barrett_piece {
    const struct barrett_operation *b;
    uint64_t first, count;
    uint32_t row_of_m;
};

/* One step, for all numbers of a piece: computes hi B^n + lo modulo m, where B^n = 2^(32 * words)
 * and hi < m. Stores the results from word r_at of r.
 *
 * The check verifies the step by residues of its operands, which are in rows a and b. `of`
 * (BARRETT_OF_...) selects the operation that it verifies. The results' residues are stored in row
 * `to`. If is_last, these are final results, and their residues are also retained for later
 * operations (lib/device/kept.h). */
struct barrett_step {
    struct barrett_numbers hi, lo;
    gpu_mem r;
    uint64_t r_at;
    uint32_t of, a, b, to;
    bool is_last;
};

/* Allocates buffers for pieces of p->count numbers, with `rows` rows of residues, and begins the
 * check. Call it once before all steps of an operation. */
enum gpu_status barrett_step_prepare(struct context *s, const struct barrett_piece *p,
                                     uint32_t rows);

/* Return distances in words: barrett_m_step from one modulus to the next, barrett_known_step from
 * one modulus's constants to the next. Both are 0 if all numbers share one modulus. */
uint32_t barrett_m_step(const struct barrett_piece *p);
uint32_t barrett_known_step(const struct barrett_piece *p);

/* Queue a step for all numbers of a piece. barrett_reduce reduces hi B^n + lo, where B^n =
 * 2^(32 * words). barrett_multiply reduces the product u v; the residues of u and v must be in rows
 * step.a and step.b. barrett_sum computes the sum or difference (BARRETT_ADD, BARRETT_SUB) of hi
 * and lo, both below the modulus. */
enum gpu_status barrett_reduce(struct context *s, const struct barrett_piece *p,
                               const struct barrett_step *step);
enum gpu_status barrett_multiply(struct context *s, const struct barrett_piece *p,
                                 struct barrett_numbers u, struct barrett_numbers v,
                                 struct barrett_step step);
enum gpu_status barrett_sum(struct context *s, const struct barrett_piece *p, uint32_t kind,
                            const struct barrett_step *step);

/* Queues a step that sets all numbers, which begin at word r_at of r, to 1 modulo their moduli. */
enum gpu_status barrett_unit(struct context *s, const struct barrett_piece *p, gpu_mem r,
                             uint64_t r_at, uint32_t to);

/* With verify:device, barrett_residues queues the computation of the residues of the numbers x, in
 * row `to`. barrett_residues_of_m does the same for the moduli. Otherwise they do nothing. */
enum gpu_status barrett_residues(struct context *s, const struct barrett_piece *p, uint32_t to,
                                 struct barrett_numbers x);
enum gpu_status barrett_residues_of_m(struct context *s, const struct barrett_piece *p);

/* Waits until all steps have ended. Returns GPU_FAILED if the check has found a wrong number. */
enum gpu_status barrett_end(struct context *s);

#endif
