/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches the kernels that solve systems of linear equations modulo many primes. */
#include "lib/matrix/matrix_system.h"

#include <stdlib.h>

#include "kernels/matrix/system.h"
#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/min.h"
#include "lib/device/kept.h"
#include "lib/device/launch.h"
#include "lib/device/verdict.h"
#include "lib/matrix/matrix_primes.h"
#include "lib/transfer/transfer.h"

/* The most primes of one pass. A launch has a row of work-groups for each prime. */
enum { MOST_PASS = 1 << 14 };

/* A system that is being solved. The buffer `table` begins with the constants of the primes. From
 * word chosen_at it contains the indices of the chosen primes, later the product of all primes. */
struct run {
    struct context *s;
    const struct matrix_system *op;
    /* primes: how many the result needs; most: how many a pass has at most */
    uint32_t primes, most;
    /* chosen: count of primes chosen so far; zeros: count of primes that divide the determinant */
    uint32_t chosen, zeros;
    uint32_t last;          /* the prime that was tried last */
    uint32_t words;         /* of the table */
    uint32_t *host, *prime; /* host: the table in host memory; prime: the chosen primes */
    gpu_mem table, det, a, y, weights, inverses;
};

static uint32_t chosen_at(const struct run *r) {
    return SYSTEM_PRIME_WORDS * r->primes;
}

/* ---- memory */

static uint64_t width_of(const struct run *r) {
    return r->op->side + r->op->columns;
}

static enum gpu_status alloc_residues(struct run *r) {
    const struct gpu_caps *caps = &r->s->dev.caps;
    const uint64_t most = min_u64(caps->max_alloc, caps->memory_bytes / 4) >> r->s->tight;
    const uint64_t each = r->op->side * width_of(r) * sizeof(uint32_t);
    enum gpu_status status = GPU_NOMEM;
    r->most = (uint32_t)min_u64(min_u64(r->primes, MOST_PASS), most / each);
    while (r->most && status == GPU_NOMEM) {
        status = context_buffer(r->s, SLOT_WORK, r->most * each, &r->a);
        if (status == GPU_NOMEM)
            r->most /= 2;
    }
    return status;
}

static enum gpu_status alloc(struct run *r) {
    const size_t words = r->primes * sizeof(uint32_t);
    const struct {
        enum context_slot slot;
        size_t bytes;
        gpu_mem *mem;
    } all[] = {{SLOT_KEPT, r->words * sizeof(uint32_t), &r->table},
               {SLOT_EXPRESSION, words, &r->det},
               {SLOT_EXPRESSION + 1, words, &r->inverses},
               {SLOT_WINDOW, matrix_system_numbers(r->op) * words, &r->y},
               {SLOT_PART, r->primes * words, &r->weights}};
    enum gpu_status status = GPU_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == GPU_OK; i++)
        status = context_buffer(r->s, all[i].slot, all[i].bytes, all[i].mem);
    return status == GPU_OK ? alloc_residues(r) : status;
}

/* ---- launches */

static struct launch_groups groups_of(uint64_t items, unsigned rows) {
    return launch_grid(ceil_div(items, SYSTEM_THREADS), rows);
}

static uint32_t pass_of(const struct run *r, struct launch_groups groups) {
    return verdict_pass_rows(r->s, groups.x, groups.y);
}

/* Queues the computation of the residues of `count` entries modulo n primes. The residues are
 * stored in matrices of `width` columns, from column `offset`. */
static enum gpu_status convert(const struct run *r, gpu_mem to, gpu_mem entries, uint64_t at,
                               uint64_t count, uint64_t columns, uint64_t width, uint64_t offset,
                               uint32_t words, uint32_t n) {
    const struct launch_groups groups = groups_of(count, n);
    return count
               ? launch_system_residues(r->s, groups, verdict_mem(r->s), pass_of(r, groups), to,
                                        entries, at, count, columns, width, offset, words, r->table)
               : GPU_OK;
}

static enum gpu_status convert_all(const struct run *r, uint32_t n) {
    const struct matrix_system *op = r->op;
    enum gpu_status status =
        convert(r, r->a, op->a, 0, op->side * op->side, op->side, width_of(r), 0, op->a_words, n);
    return status == GPU_OK ? convert(r, r->a, op->b, 0, op->side * op->columns, op->columns,
                                      width_of(r), op->side, op->b_words, n)
                            : status;
}

/* Queues step k of the elimination. Without right-hand sides, only rows below row k must be
 * changed. */
static enum gpu_status eliminate_one(const struct run *r, uint32_t k, uint32_t n) {
    const uint32_t rows = (uint32_t)r->op->side, width = (uint32_t)width_of(r);
    const uint32_t begin = r->op->columns ? 0 : k + 1;
    const uint32_t tiles = (uint32_t)ceil_div(width - k - 1, SYSTEM_COLUMNS);
    const struct launch_groups of_pivots = launch_row(n),
                               of_tiles =
                                   launch_grid(tiles * ceil_div(rows - begin, SYSTEM_ROWS), n);
    enum gpu_status status =
        launch_system_pivot(r->s, of_pivots, verdict_mem(r->s), pass_of(r, of_pivots), r->a, r->det,
                            k, rows, width, r->table);
    return status == GPU_OK && of_tiles.x
               ? launch_system_update(r->s, of_tiles, verdict_mem(r->s), pass_of(r, of_tiles), r->a,
                                      begin, k, rows, width, tiles, r->table)
               : status;
}

static enum gpu_status eliminate(const struct run *r, uint32_t n) {
    enum gpu_status status = convert_all(r, n);
    for (uint32_t k = 0; k < r->op->side && status == GPU_OK; k++)
        status = eliminate_one(r, k, n);
    return status;
}

/* ---- passes */

/* Uploads the constants of the next n primes. */
static enum gpu_status put_primes(struct run *r, uint32_t n) {
    for (uint32_t q = 0; q < n; q++) {
        r->last = matrix_primes_next(r->last);
        matrix_primes_fill(r->host + SYSTEM_PRIME_WORDS * q, r->last);
    }
    return r->last >= SYSTEM_LEAST_PRIME
               ? transfer_up(r->s->transfer, &r->s->queue, r->table, 0, r->host,
                             SYSTEM_PRIME_WORDS * n * sizeof *r->host)
               : GPU_FAILED;
}

/* Chooses the primes of a pass that do not divide the determinant; if there are no right-hand
 * sides, chooses all. Returns their count, and sets `list` to their indices. */
static uint32_t choose(struct run *r, const uint32_t *det, uint32_t n, uint32_t *list) {
    uint32_t count = 0;
    for (uint32_t q = 0; q < n; q++) {
        r->zeros += det[q] == 0;
        if (det[q] || r->op->columns == 0) {
            r->prime[r->chosen + count] = r->host[SYSTEM_PRIME_WORDS * q + SYSTEM_P];
            list[count++] = q;
        }
    }
    return count;
}

static enum gpu_status gather(struct run *r, const uint32_t *list, uint32_t count) {
    const uint64_t numbers = matrix_system_numbers(r->op), at = chosen_at(r);
    const struct launch_groups groups = groups_of(numbers, count);
    enum gpu_status status = count ? transfer_up(r->s->transfer, &r->s->queue, r->table,
                                                 at * sizeof *list, list, count * sizeof *list)
                                   : GPU_OK;
    if (status == GPU_OK && count)
        status = launch_system_gather(r->s, groups, verdict_mem(r->s), pass_of(r, groups), r->y,
                                      r->chosen * numbers, r->a, r->det, r->table, at,
                                      (uint32_t)r->op->side, (uint32_t)r->op->columns, r->table);
    r->chosen += count;
    return status == GPU_OK ? gpu_finish(&r->s->queue) : status;
}

/* Runs the elimination modulo the next n primes. */
static enum gpu_status pass(struct run *r, uint32_t n) {
    uint32_t *det = r->host + chosen_at(r), *list = det + r->primes;
    enum gpu_status status = put_primes(r, n);
    if (status == GPU_OK)
        status = eliminate(r, n);
    if (status == GPU_OK)
        status = transfer_down(r->s->transfer, &r->s->queue, det, r->det, 0, n * sizeof *r->host);
    return status == GPU_OK ? gather(r, list, choose(r, det, n, list)) : status;
}

/* ---- conversion of residues to numbers */

/* Uploads the chosen primes and their product. */
static enum gpu_status put_product(struct run *r) {
    for (uint32_t q = 0; q < r->primes; q++)
        matrix_primes_fill(r->host + SYSTEM_PRIME_WORDS * q, r->prime[q]);
    matrix_primes_multiply(r->host + chosen_at(r), r->primes, r->prime, r->primes);
    return transfer_up(r->s->transfer, &r->s->queue, r->table, 0, r->host,
                       (chosen_at(r) + r->primes) * sizeof *r->host);
}

/* Queues a comparison of the result's determinant modulo n primes with the residues in y. y has
 * `count` numbers for each prime, of which the last is compared. Overwrites *to. */
static enum gpu_status compare(const struct run *r, gpu_mem to, gpu_mem y, uint64_t count,
                               uint32_t n) {
    const uint64_t words = r->op->r_words, at = (matrix_system_numbers(r->op) - 1) * words;
    const struct launch_groups groups = groups_of(n, 1);
    enum gpu_status status = convert(r, to, r->op->r, at, 1, 1, 1, 0, (uint32_t)words, n);
    return status == GPU_OK ? launch_system_compare(r->s, groups, verdict_mem(r->s),
                                                    pass_of(r, groups), to, y, count, count - 1, n)
                            : status;
}

/* Computes the determinant modulo one more prime, by separate launches, and compares it with the
 * result. This detects launches that were wrong for all primes. */
static enum gpu_status confirm(struct run *r) {
    enum gpu_status status = gpu_finish(&r->s->queue);
    if (status == GPU_OK)
        status = put_primes(r, 1);
    if (status == GPU_OK)
        status = eliminate(r, 1);
    return status == GPU_OK ? compare(r, r->inverses, r->det, 1, 1) : status;
}

static enum gpu_status restore(struct run *r) {
    const struct launch_groups of_primes = groups_of(r->primes, 1),
                               of_numbers = launch_row(matrix_system_numbers(r->op));
    enum gpu_status status = put_product(r);
    if (status == GPU_OK)
        status = launch_system_weights(r->s, of_primes, verdict_mem(r->s), pass_of(r, of_primes),
                                       r->weights, r->inverses, chosen_at(r), r->primes, r->primes,
                                       r->table);
    if (status == GPU_OK)
        status = launch_system_restore(r->s, of_numbers, verdict_mem(r->s), pass_of(r, of_numbers),
                                       r->op->r, r->op->r_words, r->y, matrix_system_numbers(r->op),
                                       r->primes, r->weights, r->inverses, chosen_at(r), r->primes,
                                       r->table);
    return status == GPU_OK ? compare(r, r->det, r->y, matrix_system_numbers(r->op), r->primes)
                            : status;
}

/* Sets the result to zeros. The determinant is 0, because the product of the primes that divide it
 * exceeds its bound. */
static enum gpu_status put_zeros(const struct run *r) {
    const size_t bytes = matrix_system_numbers(r->op) * r->op->r_words * sizeof(uint32_t);
    void *zeros = calloc(1, bytes);
    enum gpu_status status =
        zeros ? transfer_up(r->s->transfer, &r->s->queue, r->op->r, 0, zeros, bytes) : GPU_NOMEM;
    free(zeros);
    return status;
}

static enum gpu_status compute(struct run *r) {
    enum gpu_status status = alloc(r);
    while (r->chosen < r->primes && r->zeros < r->primes && status == GPU_OK)
        status = pass(r, (uint32_t)min_u64(r->most, r->primes - r->chosen));
    const bool is_zero = r->chosen < r->primes;
    if (status == GPU_OK)
        status = is_zero ? put_zeros(r) : restore(r);
    return status == GPU_OK && mpgpu_conf.verify == VERIFY_DEVICE && (is_zero || !r->op->columns)
               ? confirm(r)
               : status;
}

enum gpu_status matrix_system_compute(struct context *s, const struct matrix_system *op) {
    struct run r = {
        .s = s, .op = op, .primes = (uint32_t)matrix_system_primes(op), .last = (uint32_t)1 << 31};
    r.words = (SYSTEM_PRIME_WORDS + 1) * r.primes;
    r.host = malloc((r.words + r.primes) * sizeof *r.host);
    r.prime = malloc(r.primes * sizeof *r.prime);
    enum gpu_status status = r.host && r.prime ? compute(&r) : GPU_NOMEM;
    free(r.host);
    free(r.prime);
    return status;
}

enum gpu_status matrix_system_operate(struct context *s, const struct matrix_system *op) {
    const bool is_checked = mpgpu_conf.verify == VERIFY_DEVICE;
    enum gpu_status status = is_checked ? matrix_system_check_prepare(s, op) : GPU_OK;
    if (status == GPU_OK)
        status = verdict_begin(s);
    if (status == GPU_OK)
        status = matrix_system_compute(s, op);
    if (status == GPU_OK && is_checked)
        status = kept_result(s, op->r, 0, matrix_system_numbers(op) * op->r_words);
    if (status == GPU_OK && is_checked && op->columns)
        status = matrix_system_check(s, op);
    return status == GPU_OK ? verdict_end(s) : status;
}
