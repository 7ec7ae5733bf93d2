/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes powers of a batch's numbers. Each launch handles all numbers of a piece. The exponents
 * are processed in windows (groups of bits), from the highest bit down: several squares for each
 * window, and a product by an entry of a table of powers. */
#include "lib/modular/barrett_power.h"

#include <stdlib.h>

#include "kernels/batch/batch.h"
#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/base/min.h"
#include "lib/device/launch.h"
#include "lib/device/verdict.h"
#include "lib/modular/barrett_step.h"
#include "lib/transfer/transfer.h"

/* One launch finds the longest exponent by at most LENGTHS + 1 counters. */
enum { LENGTHS = 1 << 16 };

/* Rows of residues for the check. They follow the rows of the table's entries, and are counted from
 * the first row behind those. */
enum { ROW_M, ROW_ENTRY, ROW_POWER, ROWS };

/* A number of a piece needs WORDS_EACH times `words` words of memory besides the table. */
enum { WORDS_EACH = 6 };

struct power {
    struct barrett_piece piece;
    unsigned window;
    uint64_t bits;
};

static const struct modular_operation *operation(const struct power *p) {
    return &p->piece.b->op;
}

static bool is_secret(const struct power *p) {
    return operation(p)->kind == MODULAR_KIND_POW_SECURE;
}

static uint32_t row(const struct power *p, uint32_t k) {
    return (1u << p->window) + k;
}

static uint64_t words_at_once(const struct power *p) {
    return p->piece.count * operation(p)->words;
}

/* ---- exponents */

static uint64_t exponents(const struct modular_operation *op) {
    return op->is_one_exponent ? 1 : op->count;
}

/* Downloads the counters `found`, one for each exponent length, and sets *units to the greatest
 * length whose counter is not 0. */
static enum gpu_status longest(struct context *s, gpu_mem found, uint32_t lengths,
                               uint32_t *units) {
    uint32_t *counts = malloc(lengths * sizeof *counts);
    enum gpu_status status =
        counts ? transfer_down(s->transfer, &s->queue, counts, found, 0, lengths * sizeof *counts)
               : GPU_NOMEM;
    *units = lengths - 1;
    while (status == GPU_OK && *units > 0 && counts[*units] == 0)
        --*units;
    free(counts);
    return status;
}

/* Sets *bits to the bit length of the longest exponent, or to slightly more, because lengths are
 * counted in units of several bits. *bits is at least 1. */
static enum gpu_status find_bits(struct context *s, const struct modular_operation *op,
                                 uint64_t *bits) {
    const uint64_t most = UINT64_C(32) * op->exponent_words;
    const uint32_t unit = (uint32_t)ceil_div(most, LENGTHS),
                   lengths = (uint32_t)ceil_div(most, unit) + 1;
    uint32_t units = 0;
    gpu_mem found;
    enum gpu_status status =
        context_buffer(s, SLOT_FLAGS, lengths * sizeof(uint32_t) + sizeof(uint64_t), &found);
    if (status == GPU_OK)
        status = gpu_zero(&s->queue, found, 0, lengths * sizeof(uint32_t));
    if (status == GPU_OK)
        status = launch_barrett_lengths(s, launch_row(ceil_div(exponents(op), BATCH_THREADS)),
                                        found, op->v, exponents(op), op->exponent_words, unit);
    if (status == GPU_OK)
        status = longest(s, found, lengths, &units);
    *bits = min_u64(most, (uint64_t)unit * (units ? units : 1));
    return status;
}

static enum gpu_status check_bits(struct context *s, const struct power *p) {
    const struct modular_operation *op = operation(p);
    if (mpgpu_conf.verify != VERIFY_DEVICE)
        return GPU_OK;
    const struct launch_groups groups = launch_row(ceil_div(exponents(op), BATCH_THREADS));
    return launch_barrett_check_lengths(s, groups, verdict_mem(s), verdict_pass(s, groups.x), op->v,
                                        exponents(op), op->exponent_words, p->bits);
}

/* Returns the window length in bits that needs the fewest products for exponents of `bits` bits. */
static unsigned window_of(uint64_t bits) {
    unsigned best = 1;
    uint64_t least = UINT64_MAX;
    for (unsigned window = 1; window <= BARRETT_MOST_WINDOW; window++) {
        uint64_t products = ceil_div(bits, window) + (UINT64_C(1) << window);
        best = products < least ? window : best;
        least = min_u64(least, products);
    }
    return best;
}

/* ---- the table of powers: entry k of a number u is u^k modulo its modulus */

static struct barrett_numbers entry(struct context *s, const struct power *p, uint32_t k) {
    return (struct barrett_numbers){s->slot[SLOT_WINDOW].mem, k * words_at_once(p),
                                    operation(p)->words};
}

static enum gpu_status first_entries(struct context *s, const struct power *p) {
    const struct modular_operation *op = operation(p);
    const struct barrett_numbers to = entry(s, p, 1);
    const struct barrett_step step = {.lo = {op->u, p->piece.first * op->words, op->words},
                                      .r = to.mem,
                                      .r_at = to.at,
                                      .of = BARRETT_OF_ONE,
                                      .a = 1,
                                      .b = 1,
                                      .to = 1};
    enum gpu_status status = barrett_unit(s, &p->piece, to.mem, 0, 0);
    if (status == GPU_OK)
        status = barrett_residues(s, &p->piece, 1, step.lo);
    return status == GPU_OK ? barrett_reduce(s, &p->piece, &step) : status;
}

static enum gpu_status fill_table(struct context *s, const struct power *p) {
    enum gpu_status status = first_entries(s, p);
    for (uint32_t k = 2; k < 1u << p->window && status == GPU_OK; k++) {
        const uint32_t a = k % 2 ? k - 1 : k / 2, b = k % 2 ? 1 : k / 2;
        const struct barrett_numbers to = entry(s, p, k);
        const struct barrett_step step = {.r = to.mem, .r_at = to.at, .a = a, .b = b, .to = k};
        status = barrett_multiply(s, &p->piece, entry(s, p, a), entry(s, p, b), step);
    }
    return status;
}

/* Queues the selection of a table entry for each number: the entry with the index that is in its
 * exponent's window at bit `at`. An entry has `words` words. */
static enum gpu_status select_entry(struct context *s, const struct power *p, gpu_mem r,
                                    uint64_t r_at, gpu_mem table, uint64_t at, uint32_t words) {
    const struct modular_operation *op = operation(p);
    const uint32_t step = op->is_one_exponent ? 0 : op->exponent_words;
    const uint64_t groups = ceil_div(p->piece.count * words, BATCH_SPAN * BATCH_THREADS);
    return launch_barrett_entry(s, launch_row(groups), r, r_at, table, op->v, p->piece.first * step,
                                step, op->exponent_words, at, p->window, is_secret(p),
                                p->piece.count, words);
}

/* Queues the selection of the table entries for one window. With verify:device also copies the
 * entries' residues to row `to` of the buffer of residues, for the check. */
static enum gpu_status fetch_entry(struct context *s, const struct power *p, gpu_mem r,
                                   uint64_t r_at, uint64_t at, uint32_t to) {
    const gpu_mem rows = s->slot[SLOT_CALC].mem;
    enum gpu_status status =
        select_entry(s, p, r, r_at, s->slot[SLOT_WINDOW].mem, at, operation(p)->words);
    if (status != GPU_OK || mpgpu_conf.verify != VERIFY_DEVICE)
        return status;
    return select_entry(s, p, rows, 2 * to * p->piece.count, rows, at, 2);
}

/* ---- powers */

static enum gpu_status multiply(struct context *s, const struct power *p, struct barrett_numbers x,
                                struct barrett_numbers by, uint32_t by_row, bool is_last) {
    const struct barrett_step step = {.r = x.mem,
                                      .r_at = x.at,
                                      .a = row(p, ROW_POWER),
                                      .b = by_row,
                                      .to = row(p, ROW_POWER),
                                      .is_last = is_last};
    return barrett_multiply(s, &p->piece, x, by, step);
}

static enum gpu_status raise(struct context *s, const struct power *p) {
    const struct modular_operation *op = operation(p);
    const struct barrett_numbers x = {op->r, p->piece.first * op->words, op->words};
    const struct barrett_numbers by = {s->slot[SLOT_KEPT].mem, 0, op->words};
    uint64_t i = ceil_div(p->bits, p->window) - 1;
    enum gpu_status status = fetch_entry(s, p, x.mem, x.at, i * p->window, row(p, ROW_POWER));
    /* With only one window no step would be checked. So the selected entry is multiplied by entry
     * 0, which is 1, in a step. */
    if (i == 0 && status == GPU_OK)
        status = multiply(s, p, x, entry(s, p, 0), 0, true);
    while (i-- > 0 && status == GPU_OK) {
        for (unsigned k = 0; k < p->window && status == GPU_OK; k++)
            status = multiply(s, p, x, x, row(p, ROW_POWER), false);
        if (status == GPU_OK)
            status = fetch_entry(s, p, by.mem, 0, i * p->window, row(p, ROW_ENTRY));
        if (status == GPU_OK)
            status = multiply(s, p, x, by, row(p, ROW_ENTRY), i == 0);
    }
    return status;
}

static enum gpu_status perform(struct context *s, const struct power *p) {
    enum gpu_status status = barrett_residues_of_m(s, &p->piece);
    if (status == GPU_OK)
        status = fill_table(s, p);
    return status == GPU_OK ? raise(s, p) : status;
}

/* ---- memory */

static enum gpu_status prepare(struct context *s, struct power *p) {
    const struct modular_operation *op = operation(p);
    const uint64_t bytes = op->words * sizeof(uint32_t), entries = UINT64_C(1) << p->window;
    const uint64_t most = 4 * barrett_piece_bytes / ((WORDS_EACH + entries) * bytes);
    gpu_mem unused;
    p->piece.count = min_u64(op->count, most ? most : 1);
    p->piece.row_of_m = row(p, ROW_M);
    enum gpu_status status = barrett_step_prepare(s, &p->piece, row(p, ROWS));
    if (status == GPU_OK)
        status = context_buffer(s, SLOT_WINDOW, entries * p->piece.count * bytes, &unused);
    return status == GPU_OK ? context_buffer(s, SLOT_KEPT, p->piece.count * bytes, &unused)
                            : status;
}

/* Clears the buffers that have contained tables and intermediate results of powers with secret
 * exponents. */
static enum gpu_status clear(struct context *s) {
    static const enum context_slot slots[] = {SLOT_U,    SLOT_V,    SLOT_PART,  SLOT_WORK,
                                              SLOT_KEPT, SLOT_CALC, SLOT_WINDOW};
    enum gpu_status status = GPU_OK;
    for (unsigned k = 0; k < sizeof slots / sizeof *slots; k++)
        if (status == GPU_OK && s->slot[slots[k]].bytes > 0)
            status = gpu_zero(&s->queue, s->slot[slots[k]].mem, 0, s->slot[slots[k]].bytes);
    return status;
}

static enum gpu_status perform_all(struct context *s, struct power p) {
    const uint64_t count = operation(&p)->count;
    enum gpu_status status = prepare(s, &p);
    if (status == GPU_OK)
        status = check_bits(s, &p);
    while (status == GPU_OK && p.piece.first < count) {
        p.piece.count = min_u64(p.piece.count, count - p.piece.first);
        status = perform(s, &p);
        p.piece.first += p.piece.count;
    }
    if (is_secret(&p)) {
        enum gpu_status cleared = clear(s);
        status = status == GPU_OK ? cleared : status;
    }
    return status == GPU_OK ? barrett_end(s) : status;
}

enum gpu_status barrett_power(struct context *s, const struct barrett_operation *b) {
    struct power p = {.piece = {.b = b}, .bits = UINT64_C(32) * b->op.exponent_words};
    enum gpu_status status = is_secret(&p) ? GPU_OK : find_bits(s, &b->op, &p.bits);
    p.window = window_of(p.bits);
    return status == GPU_OK ? perform_all(s, p) : status;
}
