/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The recipe (the function that computes a job on the device) of programs over numbers: finds
 * memory for the variables, and runs the steps in order. It copies the program's tables first,
 * because their owner may release them if the device does not answer in time. */
#include <stdlib.h>

#include "lib/calc/calc_check.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/device/uploads.h"
#include "lib/job/numbers.h"
#include "lib/job/numbers_steps.h"

size_t numbers_bytes(const struct job *job) {
    const struct number_program k = numbers_of(job);
    const struct number_step *step = caller_enter(NULL, k.step, k.steps * sizeof *step);
    size_t bytes = 0;
    for (uint64_t i = 0; i < k.steps; i++)
        bytes += step[i].bits / 8;
    caller_leave(NULL);
    return bytes;
}

/* ---- device memory for the variables of numbers */

/* Finds device memory for the value of variable i: the variable's own memory if it has any;
 * otherwise memory of an equally long value that no later step needs, or new memory. */
static void find_room(struct calc *c, struct numbers_run *run, uint64_t i) {
    const struct number_variable *p = &run->variable[i];
    if (p->mem.h) {
        run->at[i] = (struct number){p->mem, 0, p->words};
        return;
    }
    for (size_t h = run->holes; h > 0; h--)
        if (run->hole[h - 1].words == p->words) {
            run->at[i] = run->hole[h - 1];
            run->hole[h - 1] = run->hole[--run->holes];
            return;
        }
    run->at[i] = calc_take(c, p->words);
}

static void take(struct calc *c, struct numbers_run *run, uint64_t i) {
    find_room(c, run, i);
    calc_forget(c, run->at[i]);
}

/* Makes the memory of variable i available to later values, if `step` is the last step that uses
 * its value. */
static void leave(struct numbers_run *run, uint64_t i, uint64_t step) {
    const struct number_variable *p = &run->variable[i];
    if (p->mem.h || p->host || run->last[i] != step || run->at[i].words == 0)
        return;
    run->hole[run->holes++] = run->at[i];
    run->at[i].words = 0;
}

/* ---- tables */

static void use(struct numbers_run *run, uint64_t variable, uint64_t step) {
    if (variable != NUMBER_NONE)
        run->last[variable] = step;
}

static void find_last_uses(struct numbers_run *run, const struct number_program *k) {
    for (uint64_t i = 0; i < k->steps; i++) {
        const struct number_step *step = &run->step[i];
        use(run, step->r, i);
        use(run, step->q, i);
        use(run, step->u, i);
        use(run, step->v, i);
        if (step->kind >= NUMBER_QUOTIENT)
            use(run, run->divisor[step->divisor].variable, i);
    }
}

/* Copies the program's tables and checks the copies, because another process may change the
 * originals at any time. */
static bool copy_tables(struct calc *c, struct numbers_run *run, struct number_program *k) {
    if (!calc_read(c, run->step, k->step, k->steps * sizeof *k->step) ||
        !calc_read(c, run->variable, k->variable, k->variables * sizeof *k->variable) ||
        !calc_read(c, run->divisor, k->divisor, k->divisors * sizeof *k->divisor))
        return false;
    k->step = run->step;
    k->variable = run->variable;
    k->divisor = run->divisor;
    if (!numbers_fit(k))
        c->status = GPU_FAILED;
    return c->status == GPU_OK;
}

/* ---- running */

/* Uploads the first approximation of the reciprocal of divisor i. Call it before the first kernel,
 * because an upload does not wait for kernels that use the same memory. */
static void upload_first(struct calc *c, struct numbers_run *run, uint64_t i,
                         const uint64_t *firsts) {
    const struct number_divisor *d = &run->divisor[i];
    run->is_made[i] = d->is_there;
    if (d->is_there || d->first == NUMBER_NONE)
        return;
    const struct calc_divisor by = numbers_divisor(d->bits, d->quads);
    const uint64_t limbs = calc_reciprocal_first_limbs(by.k);
    run->first_at[i] = calc_upload(c, firsts + d->first, limbs, 2 * limbs);
    calc_need(c, run->first_at[i]);
    if (!c->host)
        /* frees the upload's entry in the list of registered uploads, which has only few entries */
        uploads_forget(c->s);
}

static void begin_variable(struct calc *c, struct numbers_run *run, uint64_t i) {
    const struct number_variable *p = &run->variable[i];
    if (p->mem.h) {
        run->at[i] = (struct number){p->mem, 0, p->words};
    } else if (p->flags & NUMBER_IS_KNOWN) {
        run->at[i] = calc_operand(c, p->host, p->words / 2, p->words);
        calc_need(c, run->at[i]);
        if (!c->host)
            uploads_forget(c->s);
    }
    if (p->flags & NUMBER_HAS_RESIDUE)
        calc_know(c, run->at[i], p->residue);
}

static void run_step(struct calc *c, struct numbers_run *run, uint64_t i) {
    const struct number_step *step = &run->step[i];
    const uint64_t used[] = {step->r, step->q, step->u, step->v};
    for (int k = 0; k < 2; k++)
        if (used[k] != NUMBER_NONE)
            take(c, run, used[k]);
    uint64_t mark = calc_mark(c);
    numbers_step(c, run, step);
    calc_drop(c, mark);
    for (int k = 0; k < 4; k++)
        if (used[k] != NUMBER_NONE)
            leave(run, used[k], i);
}

static void run_all(struct calc *c, struct numbers_run *run, const struct number_program *k,
                    const uint64_t *firsts) {
    calc_check_room(c, k->variables + CALC_RECORDS_MORE);
    for (uint64_t i = 0; i < k->variables; i++)
        begin_variable(c, run, i);
    for (uint64_t i = 0; i < k->divisors; i++)
        upload_first(c, run, i, firsts);
    for (uint64_t i = 0; i < k->steps && c->status == GPU_OK; i++)
        run_step(c, run, i);
    for (uint64_t i = 0; i < k->variables; i++)
        if (run->variable[i].host && !(run->variable[i].flags & NUMBER_IS_KNOWN))
            calc_download(c, run->variable[i].host, run->at[i], run->variable[i].words / 2);
}

void recipe_numbers(struct calc *c, struct job *j) {
    struct number_program k = numbers_of(j);
    struct numbers_run *run = calloc(1, sizeof *run);
    if (!run) {
        c->status = GPU_NOMEM;
        return;
    }
    if (copy_tables(c, run, &k)) {
        find_last_uses(run, &k);
        run_all(c, run, &k, j->u[NUMBERS_FIRSTS].host);
    }
    free(run);
}
