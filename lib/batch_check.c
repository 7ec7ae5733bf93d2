/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The check of batches (verify:device): the residues of each number are computed and compared on
 * the device, which counts those that are wrong. */
#include "batch.h"
#include "log.h"
#include "modulus.h"
#include "number.h"
#include "tables.h"
#include "transfer.h"

_Static_assert(BATCH_MOST_SUM_WORDS / BATCH_SPAN <= RESIDUE_THREADS * RESIDUE_STEPS / 2,
               "residue_of_span can do it");

/* Work-items to a number, each with a span of it and so many groups further on the next. */
static uint32_t items_of(uint32_t words) {
    uint32_t spans = (words + BATCH_SPAN - 1) / BATCH_SPAN;
    return spans < BATCH_THREADS ? spans : BATCH_THREADS;
}

static int launch(struct session *s, const char *kernel, uint64_t count, uint32_t words,
                  const struct gpu_arg *args, unsigned nargs) {
    uint32_t each = BATCH_THREADS / items_of(words);
    return number_launch(s, GPU_PROGRAM_batch_check, kernel, (count + each - 1) / each, 1,
                         BATCH_THREADS, args, nargs);
}

int batch_check_begin(struct session *s) {
    return gpu_zero(&s->queue, s->slot[SLOT_RESIDUES].mem, 0, sizeof(uint32_t));
}

int batch_check_product(struct session *s, const struct batch_product *p, gpu_mem low,
                        uint64_t low_at, uint32_t low_stride) {
    uint32_t items = items_of(p->words);
    struct gpu_arg args[] = {gpu_arg_mem(s->slot[SLOT_RESIDUES].mem),
                             gpu_arg_mem(low),
                             gpu_arg_u64(low_at),
                             gpu_arg_u32(low_stride),
                             gpu_arg_mem(p->r),
                             gpu_arg_mem(p->u),
                             gpu_arg_u64(p->u_at),
                             gpu_arg_mem(p->v),
                             gpu_arg_u64(p->v_at),
                             gpu_arg_u64(modulus_residue_of_power(p->words, s->modulus)),
                             gpu_arg_u64(p->count),
                             gpu_arg_u32(p->words),
                             gpu_arg_u32(items),
                             gpu_arg_u32(BATCH_THREADS / items),
                             gpu_arg_mem(s->slot[SLOT_TABLES].mem),
                             gpu_arg_u64(tables_residue_at())};
    return launch(s, "batch_check_product", p->count, p->words, args, sizeof args / sizeof *args);
}

int batch_check_sum(struct session *s, const struct batch_operation *op) {
    uint32_t items = items_of(op->words);
    struct gpu_arg args[13 + BATCH_TERMS] = {
        gpu_arg_mem(s->slot[SLOT_RESIDUES].mem),
        gpu_arg_mem(op->r),
        gpu_arg_mem(op->carries),
        gpu_arg_u32(op->borrows != 0),
        gpu_arg_u64(modulus_residue_of_power(op->words, s->modulus)),
        gpu_arg_u64(op->count),
        gpu_arg_u32(op->words),
        gpu_arg_u32(items),
        gpu_arg_u32(BATCH_THREADS / items),
        gpu_arg_mem(s->slot[SLOT_TABLES].mem),
        gpu_arg_u64(tables_residue_at()),
        gpu_arg_u32(op->terms),
        gpu_arg_u32(op->negated)};
    for (unsigned k = 0; k < BATCH_TERMS; k++)
        args[13 + k] = gpu_arg_mem(op->term[k < op->terms ? k : 0]);
    return launch(s, "batch_check_sum", op->count, op->words, args, sizeof args / sizeof *args);
}

int batch_check_end(struct session *s) {
    uint32_t wrong;
    int status =
        transfer_down(s->transfer, &s->queue, &wrong, s->slot[SLOT_RESIDUES].mem, 0, sizeof wrong);
    if (status != GPU_OK || wrong == 0)
        return status;
    mpgpu_log(LOG_WARNING, "%s: %u wrong numbers of a batch, found by their residues",
              s->dev.caps.name, wrong);
    return GPU_FAILED;
}
