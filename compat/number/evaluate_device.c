/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A queue's operations as one run of the device (lib/operate/number_run.h).  Values that numbers or
 * moduli hold get memory of their own there, and come to the host with the run; the others live in
 * the run alone. */
#include <stdlib.h>

#include "compat/number/evaluate.h"
#include "lib/base/conf.h"
#include "lib/base/outcome.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/calc/calc_check.h"
#include "lib/device/tables.h"
#include "lib/memory/wipe.h"
#include "lib/operate/first_reciprocal.h"
#include "lib/session/session.h"

struct making {
    struct number_run *run;
    mpgpu_queue *queue;
    struct value **held; /* those to come that are held, */
    mp_limb_t **limbs;   /* and where their limbs go */
    size_t count;
    struct modulus **modulus; /* by their index */
    enum outcome outcome;
};

static size_t bytes_of(uint64_t words) {
    return words * sizeof(uint32_t);
}

static void forget_places(const mpgpu_queue *q) {
    for (struct value *x = q->first; x; x = x->next) {
        x->place = x->u->place = NUMBER_NONE;
        if (x->v)
            x->v->place = NUMBER_NONE;
        if (x->modulus) {
            x->modulus->value->place = NUMBER_NONE;
            x->modulus->is_in_run = false;
        }
    }
}

static enum outcome upload(struct value *x) {
    enum outcome outcome = queue_store(x->queue, &x->store, bytes_of(x->words));
    if (outcome == OUTCOME_DONE)
        outcome = batch_write(&x->store, 0, x->limbs, bytes_of(x->words));
    if (outcome != OUTCOME_DONE)
        queue_give_back(x->queue, &x->store);
    return outcome;
}

/* One that numbers hold and that is to come. */
static void hold(struct making *k, struct value *x, struct number_place *p) {
    mp_limb_t *limbs = malloc(bytes_of(x->words));
    k->held[k->count] = x;
    k->limbs[k->count++] = limbs;
    p->host = limbs;
    k->outcome = limbs ? queue_store(k->queue, &x->store, bytes_of(x->words)) : OUTCOME_MEMORY;
    p->store = x->store;
}

/* What lies on a device that is not the queue's any more. */
static bool is_elsewhere(const struct making *k, const struct batch_store *store) {
    return store->bytes > 0 && store->device != k->queue->device;
}

/* Once for all runs: of what the host has. */
static uint64_t residue_of(struct value *x) {
    if (!x->has_residue)
        x->residue = calc_residue_of_number(x->limbs, x->words / 2, tables_check_modulus());
    x->has_residue = true;
    return x->residue;
}

/* The index of its place, which this step uses. */
static size_t place(struct making *k, struct value *x, size_t step) {
    if (x->place == NUMBER_NONE) {
        struct number_place *p = &k->run->place[x->place = k->run->places++];
        p->words = x->words;
        if (is_elsewhere(k, &x->store))
            batch_free(&x->store);
        if (x->kind == NUMBER_KNOWN && x->store.bytes == 0 && k->outcome == OUTCOME_DONE)
            k->outcome = upload(x);
        else if (x->kind != NUMBER_KNOWN && x->holders > 0 && k->outcome == OUTCOME_DONE)
            hold(k, x, p);
        p->store = x->store;
        p->is_known = x->kind == NUMBER_KNOWN && mpgpu_conf.verify == VERIFY_DEVICE;
        p->residue = p->is_known ? residue_of(x) : 0;
    }
    k->run->place[x->place].last = step;
    return x->place;
}

/* Of a reciprocal that is still to be made. */
static void approximate(struct making *k, const struct modulus *m, struct number_divisor *d) {
    d->first_quads = calc_reciprocal_first(d->by.k);
    d->first = malloc(FIRST_RECIPROCAL_LIMBS * sizeof *d->first);
    if (d->first)
        first_reciprocal(d->first, d->first_quads, m->value->limbs, value_limbs(m->value), 0);
    else
        k->outcome = OUTCOME_MEMORY;
}

static size_t divisor(struct making *k, struct modulus *m, size_t step) {
    if (!m->is_in_run) {
        struct number_divisor *d = &k->run->divisor[m->index = k->run->divisors++];
        k->modulus[m->index] = m;
        m->is_in_run = true;
        if (is_elsewhere(k, &m->store)) {
            batch_free(&m->store);
            m->is_there = false;
        }
        d->by = m->by;
        d->is_there = m->is_there;
        if (m->is_kept && m->store.bytes == 0 && k->outcome == OUTCOME_DONE)
            k->outcome = queue_store(k->queue, &m->store, bytes_of(number_divisor_words(&m->by)));
        d->store = m->store;
        if (!d->is_there)
            approximate(k, m, d);
    }
    k->run->divisor[m->index].place = place(k, m->value, step);
    return m->index;
}

/* Of what a step divides, or of its result. */
static uint64_t dividend_bits(const struct value *x) {
    switch (x->kind) {
    case NUMBER_PRODUCT:
        return x->u->bits + x->v->bits;
    case NUMBER_QUOTIENT:
    case NUMBER_REST:
        return x->u->bits;
    default:
        return x->bits;
    }
}

/* The step for x, and for what comes next where that belongs to it. */
static struct value *add_step(struct making *k, struct value *x) {
    size_t i = k->run->steps++;
    struct number_step *step = &k->run->step[i];
    struct value *other = evaluate_is_pair(x) ? x->next : NULL;
    *step = (struct number_step){.kind = x->kind,
                                 .r = NUMBER_NONE,
                                 .q = NUMBER_NONE,
                                 .v = NUMBER_NONE,
                                 .shift = x->shift,
                                 .bits = dividend_bits(x)};
    step->u = place(k, x->u, i);
    if (x->v)
        step->v = place(k, x->v, i);
    if (x->modulus)
        step->divisor = divisor(k, x->modulus, i);
    *(x->kind == NUMBER_QUOTIENT ? &step->q : &step->r) = place(k, x, i);
    if (other)
        step->r = place(k, other, i);
    return other ? other->next : x->next;
}

static bool begin(struct making *k) {
    size_t count = k->queue->count;
    k->run = number_run_create(4 * count, count, count);
    k->held = calloc(count, sizeof *k->held);
    k->limbs = calloc(count, sizeof *k->limbs);
    k->modulus = calloc(count, sizeof *k->modulus);
    return k->run && k->held && k->limbs && k->modulus;
}

static enum outcome run(struct making *k) {
    k->outcome = OUTCOME_DONE;
    forget_places(k->queue);
    for (struct value *x = k->queue->first; x && k->outcome == OUTCOME_DONE;)
        x = add_step(k, x);
    if (k->outcome != OUTCOME_DONE)
        return k->outcome;
    k->outcome = number_run(k->run);
    k->run = NULL; /* it has gone */
    return k->outcome;
}

/* Its limbs are |u - v|, from what NUMBER_SUB says; the sign. */
static int settle(mp_limb_t *limbs, uint64_t words) {
    mp_size_t n = (mp_size_t)(words - CALC_QUAD) / 2;
    bool is_negative = limbs[n] == 0;
    limbs[n] = 0;
    if (is_negative) {
        mpn_com(limbs, limbs, n);
        mpn_add_1(limbs, limbs, n, 1);
    }
    return is_negative ? -1 : 1;
}

static void arrive(struct value *x, mp_limb_t *limbs) {
    int sign = x->sign;
    if (x->kind == NUMBER_SUB && settle(limbs, x->words) < 0) {
        sign = -sign;
        queue_give_back(x->queue, &x->store);
    }
    value_arrive(x, limbs, x->words, sign);
}

static void finish(struct making *k) {
    for (size_t i = 0; k->modulus && i < k->queue->count && k->modulus[i]; i++)
        if (k->modulus[i]->is_kept)
            k->modulus[i]->is_there = true;
    for (size_t i = 0; i < k->count; i++)
        arrive(k->held[i], k->limbs[i]);
}

static void forget_copy(struct value *x) {
    if (x && x->kind == NUMBER_KNOWN)
        queue_give_back(x->queue, &x->store);
}

/* After a failure what lies there is not used again. */
static void distrust(mpgpu_queue *q) {
    for (struct value *x = q->first; x; x = x->next) {
        forget_copy(x->u);
        forget_copy(x->v);
        if (x->modulus) {
            forget_copy(x->modulus->value);
            x->modulus->is_there = false;
        }
    }
}

/* Nothing has come. */
static void drop(struct making *k) {
    for (size_t i = 0; i < k->count; i++) {
        queue_give_back(k->queue, &k->held[i]->store);
        wipe_free(k->limbs[i], bytes_of(k->held[i]->words));
    }
    if (k->run)
        number_run_free(k->run);
    if (k->outcome == OUTCOME_FAILED)
        distrust(k->queue);
}

static enum outcome evaluate_here(mpgpu_queue *q) {
    struct making k = {.queue = q, .outcome = OUTCOME_MEMORY};
    if (begin(&k) && run(&k) == OUTCOME_DONE)
        finish(&k);
    else
        drop(&k);
    free(k.held);
    free(k.limbs);
    free(k.modulus);
    return k.outcome;
}

/* The queue's device is the one with the least in use at its first run, and another once that can't
 * be used any more: numbers have their limbs on the host, too. */
enum outcome evaluate_on_device(mpgpu_queue *q) {
    if (q->device == SESSION_ANY || !session_is_usable(q->device))
        q->device = session_place();
    int before = session_bind(q->device);
    enum outcome outcome = evaluate_here(q);
    session_bind(before);
    return outcome;
}
