/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes an expression by one kernel launch.  If the results are checked, the kernel also stores
 * intermediate nodes in memory (expression_check.c). */
#include <stdlib.h>

#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/device/kept.h"
#include "lib/device/launch.h"
#include "lib/expression/expression.h"
#include "lib/expression/expression_text.h"
#include "lib/multiply/batch.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"

enum { NUMBERS = 3 };

/* An operation that one launch computes, its kernel, and the buffers in which its nodes are stored
 * for the check. */
struct fused {
    const struct expression_operation *op;
    enum expression_kernel kernel;
    bool is_checked;
    int8_t place[EXPRESSION_NODES];
};

/* ---- the launch */

static unsigned list_arguments(const struct context *s, const struct fused *f,
                               struct gpu_arg args[32]) {
    const struct expression *e = &f->op->e;
    uint64_t needed = expression_needed(e);
    unsigned n = 0;
    for (unsigned k = 0; k < e->results; k++)
        args[n++] = gpu_arg_mem(f->op->r[k]);
    for (unsigned i = 0; i < e->nodes; i++)
        if (f->is_checked && needed >> i & 1 && f->place[i] >= 0)
            args[n++] = gpu_arg_mem(expression_mem(s, f->op, f->place, i));
    args[n++] = gpu_arg_u64(f->op->count);
    for (unsigned k = 0; k < e->operands; k++)
        args[n++] = gpu_arg_mem(f->op->u[k]);
    return n;
}

/* Launches the kernel in `groups` groups; if 0, only builds it. */
static enum gpu_status launch_groups_of(struct context *s, const struct fused *f, uint64_t groups) {
    struct gpu_arg args[32];
    char *text = malloc(EXPRESSION_TEXT);
    if (!text)
        return GPU_NOMEM;
    unsigned nargs = list_arguments(s, f, args);
    expression_text(f->kernel, &f->op->e, f->op->words, f->is_checked, f->place, text);
    const struct gpu_text program = {BATCH_MUL_THREADS, text};
    enum gpu_status status = launch_text(s, &program, groups, args, nargs);
    free(text);
    return status;
}

static enum gpu_status launch(struct context *s, const struct fused *f) {
    uint32_t each = expression_numbers(f->kernel, &f->op->e, f->op->words);
    return launch_groups_of(s, f, ceil_div(f->op->count, each));
}

static enum gpu_status build(struct context *s, const struct fused *f) {
    return launch_groups_of(s, f, 0);
}

/* ---- the check */

static enum gpu_status prepare_check(struct context *s, const struct fused *f) {
    struct batch_operation any = {.kind = BATCH_LOW};
    enum gpu_status status = expression_reserve(s, f->op, f->place);
    return status == GPU_OK ? batch_check_prepare(s, &any) : status;
}

static enum gpu_status compute(struct context *s, const struct fused *f) {
    enum gpu_status status = f->is_checked ? prepare_check(s, f) : GPU_OK;
    if (status == GPU_OK)
        status = launch(s, f);
    if (status != GPU_OK)
        return status;
    return f->is_checked ? expression_check(s, f->op, f->place) : gpu_finish(&s->queue);
}

/* ---- the self-test: the known answers come from computing the expression node by node */

/* Returns how many words a result has for the test's numbers. */
static size_t words_of_result(const struct expression_operation *op, unsigned k) {
    return op->count * op->e.node[op->e.result[k]].times * op->words;
}

static void place_results(struct known_answer *t, struct expression_operation *op,
                          const enum context_slot slots[EXPRESSION_RESULTS]) {
    for (unsigned k = 0; k < op->e.results; k++)
        op->r[k] = known_answer_buffer(t, slots[k], words_of_result(op, k));
}

static void verify_numbers(struct known_answer *t) {
    static const enum context_slot here[EXPRESSION_RESULTS] = {SLOT_R, SLOT_ADDEND, SLOT_PART},
                                   there[EXPRESSION_RESULTS] = {SLOT_KEPT, SLOT_WINDOW, SLOT_FFT};
    struct fused few = *(const struct fused *)t->plan;
    struct expression_operation made = *few.op;
    made.count = NUMBERS;
    for (unsigned k = 0; k < made.e.operands; k++)
        made.u[k] = t->x[k % 2].mem;
    struct expression_operation right = made;
    few.op = &made;
    place_results(t, &made, here);
    place_results(t, &right, there);
    KNOWN_ANSWER(t, compute(t->s, &few));
    KNOWN_ANSWER(t, expression_by_steps(t->s, &right));
    for (unsigned k = 0; k < made.e.results; k++) {
        const size_t words = words_of_result(&made, k);
        known_answer_down(t, t->host[0], right.r[k], 0, words);
        known_answer_compare(t, made.r[k], 0, t->host[0], words, "expression");
    }
}

/* Returns a hash, never 0, of the expression, the operands' length, the kernel, and whether the
 * check reads the nodes. */
static uint64_t name_of(const struct fused *f) {
    const unsigned char *bytes = (const unsigned char *)&f->op->e;
    uint64_t hash = (f->op->words * 2 + f->is_checked) * 2 + f->kernel;
    for (size_t i = 0; i < sizeof f->op->e; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash | 1;
}

/* The hashes of the latest expressions that have passed the self-test. */
enum { PASSED = 32 };
struct passed {
    unsigned count;
    uint64_t name[PASSED];
};

static bool has_passed(const struct passed *passed, uint64_t name) {
    for (unsigned i = 0; i < PASSED; i++)
        if (passed->name[i] == name)
            return true;
    return false;
}

static enum gpu_status verify_steps(struct context *s, const struct fused *f) {
    const struct expression *e = &f->op->e;
    uint64_t needed = expression_needed(e);
    enum gpu_status status = GPU_OK;
    for (unsigned i = 0; i < e->nodes && status == GPU_OK; i++)
        if (expression_computes(e, needed, i)) {
            struct batch_operation step = expression_check_of(s, f->op, f->place, i);
            status = selftest_batch(s, &step);
        }
    return status;
}

static enum gpu_status ensure_verified(struct context *s, const struct fused *f) {
    struct passed *passed = context_state(s, OWNER_EXPRESSIONS, sizeof *passed);
    uint64_t name = name_of(f);
    if (!passed || has_passed(passed, name))
        return passed ? GPU_OK : GPU_NOMEM;
    enum gpu_status status = build(s, f);
    if (status == GPU_OK)
        /* Calls verify_steps before known_answer_verify, because both use the same slots of the
         * context. */
        status = verify_steps(s, f);
    if (status == GPU_OK)
        status = known_answer_verify(s, (size_t)NUMBERS * f->op->words * EXPRESSION_TIMES / 2,
                                     verify_numbers, f);
    if (status == GPU_OK)
        passed->name[passed->count++ % PASSED] = name;
    return status;
}

/* ---- whole operations */

/* Returns the kind of the kernel: EXPRESSION_ROWS if one of the expression's products, as a batch
 * of its own, would use matrix units. */
static enum expression_kernel kernel_of(const struct context *s,
                                        const struct expression_operation *op) {
    uint64_t needed = expression_needed(&op->e);
    for (unsigned i = 0; i < op->e.nodes; i++) {
        const struct expression_node *n = &op->e.node[i];
        uint32_t words = op->e.node[n->term[0]].times * op->words;
        if (needed >> i & 1 && (n->kind == EXPRESSION_PRODUCT || n->kind == EXPRESSION_LOW) &&
            batch_is_matrices(batch_program(&s->dev.caps, words, n->times * op->words)))
            return EXPRESSION_ROWS;
    }
    return EXPRESSION_TEAMS;
}

/* Returns true if the expression is computed in one launch. One launch saves time only if it
 * computes more than one node. On a CPU one kernel takes longer than several
 * (gpu/opencl_program.c). */
static bool is_for_one_launch(const struct context *s, const struct expression_operation *op) {
    uint64_t needed = expression_needed(&op->e);
    unsigned computed = 0;
    for (unsigned i = 0; i < op->e.nodes; i++)
        computed += expression_computes(&op->e, needed, i);
    return computed > 1 && (!s->dev.caps.is_cpu || gpu_uses_kernels_of_gpus()) &&
           expression_items(&op->e, op->words) <= EXPRESSION_MOST_ITEMS &&
           (conf_job().algorithm == ALGORITHM_AUTO || conf_job().algorithm == ALGORITHM_BLOCK);
}

enum gpu_status expression_operate(struct context *s, const struct expression_operation *op) {
    struct fused f = {
        .op = op, .kernel = kernel_of(s, op), .is_checked = mpgpu_conf.verify == VERIFY_DEVICE};
    if (!is_for_one_launch(s, op) || !expression_places(&op->e, true, f.place))
        return expression_by_steps(s, op);
    enum gpu_status status = ensure_verified(s, &f);
    if (status == GPU_OK)
        status = compute(s, &f);
    if (status != GPU_NOBUILD)
        return status;
    kept_restart(s);
    return expression_by_steps(s, op);
}
