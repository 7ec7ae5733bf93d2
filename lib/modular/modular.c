/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches the kernels for modular batches by Montgomery's method. */
#include "lib/modular/modular.h"

#include <string.h>

#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/base/min.h"
#include "lib/device/launch.h"
#include "lib/device/tables.h"

/* The most bytes of device memory for the tables of powers that the device computes at the same
 * time. */
static const uint64_t table_bytes = 512 << 20;

static bool is_power(const struct modular_operation *op) {
    return op->kind == MODULAR_KIND_POW || op->kind == MODULAR_KIND_POW_SECURE;
}

unsigned modular_program(uint32_t words) {
    unsigned most = MODULAR_LEAST_WORDS;
    while (most < words)
        most *= 2;
    return most;
}

/* Returns the size of a launch for `numbers` numbers, each of which several work-items (lanes)
 * share. */
struct launch_groups modular_groups(uint64_t numbers, uint32_t words) {
    return launch_row(
        ceil_div(numbers * MODULAR_LANES(modular_program(words)), (uint64_t)MODULAR_THREADS));
}

/* ---- powers */

/* Returns the window length in bits that needs the fewest products for exponents of `words`
 * words. */
static unsigned window_of(uint32_t words) {
    unsigned best = 1;
    uint64_t least = UINT64_MAX;
    for (unsigned window = 1; window <= MODULAR_MOST_WINDOW; window++) {
        uint64_t products = ceil_div(UINT64_C(32) * words, window) + (UINT64_C(1) << window);
        best = products < least ? window : best;
        least = min_u64(least, products);
    }
    return best;
}

bool modular_is_by_doubles(const struct context *s, uint32_t words) {
    return s->dev.caps.fast_doubles && modular_program(words) >= MODULAR_LEAST_DOUBLE_WORDS;
}

/* Returns the size in bytes of the table of powers for one number. If the operation is checked, the
 * table also has the residues of its entries. */
static uint64_t bytes_of_table(const struct context *s, const struct modular_operation *op) {
    const unsigned program = modular_program(op->words);
    const uint64_t words =
        modular_is_by_doubles(s, op->words) ? MODULAR_DOUBLE_WORDS(program) : program;
    const uint64_t trace =
        modular_is_by_doubles(s, op->words) ? MODULAR_DOUBLE_TRACE_WORDS : MODULAR_TRACE_WORDS;
    const uint64_t all = words + (op->record.h ? trace * MODULAR_LANES(program) : 0);
    return (all << window_of(op->exponent_words)) * sizeof(uint32_t);
}

/* Returns how many teams (work-items that share a number) run at once on an NVIDIA device;
 * UINT64_MAX for other devices. Further teams would run alone afterwards. */
static uint64_t teams_at_once(const struct context *s, const struct modular_operation *op) {
    const struct gpu_caps *caps = &s->dev.caps;
    if (strncmp(caps->vendor, "NVIDIA", 6) != 0)
        return UINT64_MAX;
    return (uint64_t)caps->compute_units * MODULAR_GROUPS * MODULAR_THREADS /
           MODULAR_LANES(modular_program(op->words));
}

/* Returns how many powers are computed at the same time: a multiple of 32, so that warps are
 * full. */
static uint32_t slots_of(const struct context *s, const struct modular_operation *op) {
    uint64_t most = min_u64(table_bytes / bytes_of_table(s, op), teams_at_once(s, op)) / 32;
    return 32 * (uint32_t)min_u64(ceil_div(op->count, UINT64_C(32)), most);
}

static uint32_t shared_of(const struct modular_operation *op) {
    return (op->moduli.is_one ? MODULAR_ONE_MODULUS : 0u) |
           (op->is_one_exponent ? MODULAR_ONE_EXPONENT : 0u);
}

/* launch_plain: the type of launch_modular_power and launch_modular_power_double. launch_traced:
 * the type of their variants that also compute residues for the check. */
typedef enum gpu_status launch_plain(struct context *, unsigned, struct launch_groups, gpu_mem,
                                     gpu_mem, gpu_mem, gpu_mem, gpu_mem, gpu_mem, uint64_t,
                                     uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
                                     uint32_t);
typedef enum gpu_status launch_traced(struct context *, unsigned, struct launch_groups, gpu_mem,
                                      gpu_mem, gpu_mem, gpu_mem, gpu_mem, gpu_mem, gpu_mem,
                                      uint64_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
                                      uint32_t, uint32_t, gpu_mem, uint64_t, uint64_t);

static enum gpu_status launch_power(struct context *s, const struct modular_operation *op) {
    launch_plain *const plain =
        modular_is_by_doubles(s, op->words) ? launch_modular_power_double : launch_modular_power;
    launch_traced *const traced = modular_is_by_doubles(s, op->words)
                                      ? launch_modular_power_double_traced
                                      : launch_modular_power_traced;
    const uint32_t slots = slots_of(s, op), window = window_of(op->exponent_words);
    const struct launch_groups groups = modular_groups(slots, op->words);
    const unsigned program = modular_program(op->words);
    const gpu_mem tables = s->slot[SLOT_WORK].mem;
    bool is_secret = op->kind == MODULAR_KIND_POW_SECURE;
    if (op->record.h)
        return traced(s, program, groups, op->r, op->u, op->v, op->moduli.m, op->moduli.known,
                      tables, op->record, op->count, op->words, modular_rows(op->words),
                      op->exponent_words, window, is_secret, shared_of(op), slots,
                      s->slot[SLOT_TABLES].mem, tables_residue_at(), op->nonce);
    return plain(s, program, groups, op->r, op->u, op->v, op->moduli.m, op->moduli.known, tables,
                 op->count, op->words, modular_rows(op->words), op->exponent_words, window,
                 is_secret, shared_of(op), slots);
}

static enum gpu_status power(struct context *s, const struct modular_operation *op) {
    enum gpu_status status = launch_power(s, op);
    return status == GPU_OK && op->kind == MODULAR_KIND_POW_SECURE
               ? gpu_zero(&s->queue, s->slot[SLOT_WORK].mem, 0,
                          slots_of(s, op) * bytes_of_table(s, op))
               : status;
}

/* ---- operations */

static const uint32_t kinds[] = {[MODULAR_KIND_REDUCE] = MODULAR_REDUCE,
                                 [MODULAR_KIND_ADD] = MODULAR_ADD,
                                 [MODULAR_KIND_SUB] = MODULAR_SUB,
                                 [MODULAR_KIND_MUL] = MODULAR_MUL};

static enum gpu_status arithmetic(struct context *s, const struct modular_operation *op) {
    bool is_reduction = op->kind == MODULAR_KIND_REDUCE;
    const gpu_mem v = is_reduction ? op->u : op->v;
    const uint32_t u_words = is_reduction ? op->u_words : op->words;
    const uint32_t rows = modular_rows(op->words);
    const unsigned program = modular_program(op->words);
    const struct launch_groups groups = modular_groups(op->count, op->words);
    if (op->record.h)
        return launch_modular_arithmetic_traced(
            s, program, groups, op->r, op->u, v, op->moduli.m, op->moduli.known, op->record,
            op->count, op->words, rows, u_words, kinds[op->kind], shared_of(op),
            s->slot[SLOT_TABLES].mem, tables_residue_at(),
            op->nonce - MODULAR_KEY(kinds[op->kind], op->words, rows, u_words, shared_of(op)));
    return launch_modular_arithmetic(s, program, groups, op->r, op->u, v, op->moduli.m,
                                     op->moduli.known, op->count, op->words, rows, u_words,
                                     kinds[op->kind], shared_of(op));
}

enum gpu_status modular_prepare(struct context *s, const struct modular_operation *op) {
    gpu_mem unused;
    if (!is_power(op))
        return GPU_OK;
    return context_buffer(s, SLOT_WORK, slots_of(s, op) * bytes_of_table(s, op), &unused);
}

enum gpu_status modular_compute(struct context *s, const struct modular_operation *op) {
    return is_power(op) ? power(s, op) : arithmetic(s, op);
}

enum gpu_status modular_operate(struct context *s, const struct modular_operation *asked) {
    struct modular_operation op = *asked;
    bool is_checked = mpgpu_conf.verify == VERIFY_DEVICE;
    enum gpu_status status = is_checked ? modular_check_prepare(s, &op) : GPU_OK;
    if (status == GPU_OK)
        status = modular_prepare(s, &op);
    if (status == GPU_OK)
        status = modular_compute(s, &op);
    if (status == GPU_OK && is_checked)
        return modular_check(s, &op);
    return status == GPU_OK ? gpu_finish(&s->queue) : status;
}

/* ---- moduli */

static enum gpu_status find(struct context *s, const struct modular_request *r) {
    return launch_modular_prepare(s, modular_program(r->words), modular_groups(r->count, r->words),
                                  r->known, r->kinds, r->m, r->count, r->words,
                                  modular_rows(r->words));
}

enum gpu_status modular_moduli_compute(struct context *s, const struct modular_request *r) {
    bool is_checked = mpgpu_conf.verify == VERIFY_DEVICE;
    enum gpu_status status = find(s, r);
    if (status == GPU_OK && is_checked)
        return modular_check_known(s, r);
    return status == GPU_OK ? gpu_finish(&s->queue) : status;
}
