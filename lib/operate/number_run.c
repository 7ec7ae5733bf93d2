/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs of operations on numbers: their life, their places, and how the device's thread makes them.
 */
#include "lib/operate/number_run.h"

#include <stdlib.h>

#include "lib/base/ceil_div.h"
#include "lib/calc/calc_check.h"
#include "lib/device/room.h"
#include "lib/device/uploads.h"
#include "lib/operate/number_steps.h"
#include "lib/session/session.h"

enum { QUAD_LIMBS = 2 };

uint64_t number_divisor_words(const struct calc_divisor *by) {
    return CALC_QUAD * (by->n + by->k + 1);
}

/* A bit of d is left free, so that the product of two residues takes twice its quads at most. */
struct calc_divisor number_modulus_plan(uint64_t bits) {
    struct calc_divisor by = {.n = bits / CALC_QUAD_BITS + 1};
    by.k = by.n + 1;
    by.shift = (int64_t)(by.n * CALC_QUAD_BITS - bits);
    return by;
}

/* With one bit more its highest quads are less than B^n / 2, and d is not. */
uint64_t number_dividend_quads(const struct calc_divisor *by, uint64_t bits) {
    uint64_t quads = ceil_div(bits + (uint64_t)by->shift + 1, CALC_QUAD_BITS);
    return quads > by->n ? quads : by->n + 1;
}

struct number_run *number_run_create(size_t places, size_t divisors, size_t steps) {
    struct number_run *run = calloc(1, sizeof *run);
    if (!run)
        return NULL;
    run->place = calloc(places + 1, sizeof *run->place);
    run->touch = calloc(places + 1, sizeof *run->touch);
    run->hole = calloc(places + 1, sizeof *run->hole);
    run->divisor = calloc(divisors + 1, sizeof *run->divisor);
    run->step = calloc(steps + 1, sizeof *run->step);
    if (run->place && run->touch && run->hole && run->divisor && run->step)
        return run;
    number_run_free(run);
    return NULL;
}

void number_run_free(struct number_run *run) {
    for (size_t i = 0; i < run->divisors; i++)
        free(run->divisor[i].first);
    free(run->place);
    free(run->touch);
    free(run->hole);
    free(run->divisor);
    free(run->step);
    free(run);
}

/* Its memory: its own, or room of the same size that a value had which is not needed any more. */
static void place(struct calc *c, struct number_run *run, struct number_place *p) {
    if (p->store.bytes > 0) {
        p->at = (struct number){p->store.mem, 0, p->words};
        return;
    }
    for (size_t i = run->holes; i > 0; i--)
        if (run->hole[i - 1].words == p->words) {
            p->at = run->hole[i - 1];
            run->hole[i - 1] = run->hole[--run->holes];
            return;
        }
    p->at = calc_take(c, p->words);
}

static void take(struct calc *c, struct number_run *run, struct number_place *p) {
    place(c, run, p);
    calc_forget(c, p->at);
}

static void leave(struct number_run *run, size_t place, size_t step) {
    struct number_place *p = &run->place[place];
    if (place == NUMBER_NONE || p->store.bytes > 0 || p->last != step || p->at.words == 0)
        return;
    run->hole[run->holes++] = p->at;
    p->at.words = 0;
}

/* It comes before all kernels: an upload does not wait for those that use its room. */
static void upload(struct calc *c, struct number_divisor *d) {
    uint64_t quads = d->first_quads + 1;
    d->is_made = d->is_there;
    if (d->is_there)
        return;
    d->first_at = calc_upload(c, d->first, QUAD_LIMBS * quads, CALC_QUAD * quads);
    calc_need(c, d->first_at);
    uploads_forget(c->s); /* few can be expected at once */
}

/* What a pass begins with. */
static void begin(struct calc *c, struct number_run *run) {
    run->holes = 0;
    calc_check_room(c, run->places + CALC_RECORDS_MORE);
    for (size_t i = 0; i < run->places; i++) {
        struct number_place *p = &run->place[i];
        p->at = (struct number){p->store.mem, 0, p->store.bytes > 0 ? p->words : 0};
        if (p->is_known)
            calc_know(c, p->at, p->residue);
    }
    for (size_t i = 0; i < run->divisors; i++)
        upload(c, &run->divisor[i]);
}

static void steps(struct calc *c, void *argument) {
    struct number_run *run = *(struct number_run **)argument;
    begin(c, run);
    for (size_t i = 0; i < run->steps && c->status == GPU_OK; i++) {
        const struct number_step *step = &run->step[i];
        const size_t used[] = {step->r, step->q, step->u, step->v};
        for (int k = 0; k < 2; k++)
            if (used[k] != NUMBER_NONE)
                take(c, run, &run->place[used[k]]);
        uint64_t mark = calc_mark(c);
        number_step(c, run, step);
        calc_drop(c, mark);
        for (int k = 0; k < 4; k++)
            if (used[k] != NUMBER_NONE)
                leave(run, used[k], i);
    }
    for (size_t i = 0; i < run->places; i++)
        if (run->place[i].host)
            calc_download(c, run->place[i].host, run->place[i].at, run->place[i].words / 2);
}

static enum gpu_status run_steps(struct context *s, void *argument) {
    return calc_run(s, steps, argument);
}

static enum gpu_status run_there(struct context *s, void *argument) {
    struct number_run *run = *(struct number_run **)argument;
    enum gpu_status status = room_persist(s, run_steps, argument);
    atomic_store(&run->has_ended, true);
    return status;
}

/* What the steps read and write, about, for the time that is given to them. */
static size_t bytes_of(const struct number_run *run) {
    size_t bytes = 0;
    for (size_t i = 0; i < run->steps; i++)
        bytes += run->step[i].bits / 8;
    return bytes;
}

enum outcome number_run(struct number_run *run) {
    size_t touches = 0;
    enum outcome outcome = OUTCOME_MEMORY;
    for (size_t i = 0; i < run->places; i++)
        if (run->place[i].host)
            run->touch[touches++] =
                (struct touch){run->place[i].host, run->place[i].words * sizeof(uint32_t), true};
    if (touch_all(run->touch, touches))
        outcome = session_run(run_there, &run, sizeof run, 4 * bytes_of(run));
    if (outcome != OUTCOME_FAILED || atomic_load(&run->has_ended))
        number_run_free(run);
    return outcome;
}
