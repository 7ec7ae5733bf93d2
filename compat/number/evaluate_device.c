/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the operations of a queue on the device as one job (lib/job/numbers.h). Only values to
 * which numbers or moduli refer are downloaded. All other values exist only during the job. */
#include <stdlib.h>

#include "compat/number/evaluate.h"
#include "lib/base/conf.h"
#include "lib/base/outcome.h"
#include "lib/calc/calc_form.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/device/limbs_residue.h"
#include "lib/device/tables.h"
#include "lib/memory/wipe.h"
#include "lib/operate/first_reciprocal.h"
#include "lib/session/session.h"

struct making {
    struct number_step *step;
    struct number_variable *variable;
    struct number_divisor *divisor;
    mp_limb_t *first;
    size_t steps, variables, divisors, firsts;
    mpgpu_queue *queue;
    struct value **held; /* the recorded values that numbers or moduli of the program refer to */
    mp_limb_t **limbs;   /* host memory to which the job downloads the values of `held` */
    size_t count;
    struct modulus **modulus; /* the modulus or divisor that each entry of `divisor` describes */
    enum outcome outcome;
};

static size_t bytes_of(uint64_t words) {
    return words * sizeof(uint32_t);
}

static void forget_places(const mpgpu_queue *q) {
    for (struct value *x = q->first; x; x = x->next) {
        x->variable = x->u->variable = NUMBER_NONE;
        if (x->v)
            x->v->variable = NUMBER_NONE;
        if (x->modulus) {
            x->modulus->value->variable = NUMBER_NONE;
            x->modulus->is_in_run = false;
        }
    }
}

static enum outcome upload(struct value *x) {
    enum outcome outcome = queue_store(x->queue, &x->store, bytes_of(x->words));
    if (outcome == OUTCOME_DONE)
        outcome = batch_write(&x->store, 0, x->limbs, bytes_of(x->words));
    if (outcome != OUTCOME_DONE)
        queue_recycle(x->queue, &x->store);
    return outcome;
}

/* Adds x to the values that are downloaded after the run, because numbers or moduli of the program
 * refer to x. Allocates device memory and host memory for the value. */
static void store_new(struct making *k, struct value *x, struct number_variable *p) {
    mp_limb_t *limbs = malloc(bytes_of(x->words));
    k->held[k->count] = x;
    k->limbs[k->count++] = limbs;
    p->host = limbs;
    k->outcome = limbs ? queue_store(k->queue, &x->store, bytes_of(x->words)) : OUTCOME_MEMORY;
}

/* Returns true if `store` is memory on a device that the queue does not use now. */
static bool is_elsewhere(const struct making *k, const struct batch_store *store) {
    return store->bytes > 0 && store->device != k->queue->device;
}

/* Returns the residue (checksum) of the limbs of x on the host. The device compares it with the
 * residue of its copy of x. Computes the residue once. */
static uint64_t residue_of(struct value *x) {
    if (!x->has_residue)
        x->residue = limbs_residue(x->limbs, x->words / 2, tables_check_modulus());
    x->has_residue = true;
    return x->residue;
}

static gpu_mem memory_of(const struct batch_store *store) {
    const gpu_mem none = {0};
    return store->bytes > 0 ? store->mem : none;
}

static void make_variable(struct making *k, struct value *x, struct number_variable *p) {
    const bool is_known = x->kind == NUMBER_KNOWN;
    p->words = x->words;
    p->flags = is_known ? NUMBER_IS_KNOWN : 0;
    if (is_elsewhere(k, &x->store))
        batch_free(&x->store);
    if (is_known && x->store.bytes == 0 && k->outcome == OUTCOME_DONE)
        k->outcome = upload(x);
    else if (!is_known && x->holders > 0 && k->outcome == OUTCOME_DONE)
        store_new(k, x, p);
    p->mem = memory_of(&x->store);
    /* a server checks every job, even for a program with verify:off; without the operands'
     * residues, an equation would need residues of more numbers than a launch computes */
    if (is_known && (mpgpu_conf.verify == VERIFY_DEVICE || mpgpu_conf.server != SERVER_OFF)) {
        p->flags |= NUMBER_HAS_RESIDUE;
        p->residue = residue_of(x);
    }
}

/* Returns the index of x in the job's table of values; adds x to the table if it is missing. */
static size_t variable(struct making *k, struct value *x) {
    if (x->variable == NUMBER_NONE) {
        x->variable = k->variables++;
        make_variable(k, x, &k->variable[x->variable]);
    }
    return x->variable;
}

/* Computes the first approximation of the reciprocal of x, from which the device computes the full
 * reciprocal. */
static void approximate(struct making *k, const struct value *x, struct number_divisor *d) {
    const uint64_t limbs = calc_reciprocal_first_limbs(numbers_divisor(d->bits, d->quads).k);
    d->first = k->firsts;
    k->firsts += limbs;
    first_reciprocal(k->first + d->first, limbs / 2 - 1, x->limbs, value_limbs(x), 0);
}

static void make_divisor(struct making *k, struct modulus *m, struct number_divisor *d) {
    if (is_elsewhere(k, &m->store)) {
        batch_free(&m->store);
        m->is_there = false;
    }
    d->bits = m->value->bits;
    d->quads = m->quads;
    d->form = m->form;
    d->is_there = m->is_there;
    d->first = NUMBER_NONE;
    d->mem = memory_of(&m->store);
    d->variable = variable(k, m->value);
}

/* Prepares the reciprocal of a modulus, for a step that needs it. */
static void need_reciprocal(struct making *k, struct modulus *m, struct number_divisor *d) {
    const struct calc_divisor by = numbers_divisor(d->bits, d->quads);
    if (d->is_there || d->first != NUMBER_NONE)
        return;
    if (m->is_kept && m->store.bytes == 0 && k->outcome == OUTCOME_DONE)
        k->outcome = queue_store(k->queue, &m->store, bytes_of(numbers_divisor_words(&by)));
    d->mem = memory_of(&m->store);
    approximate(k, m->value, d);
}

static size_t divisor(struct making *k, struct modulus *m) {
    if (!m->is_in_run) {
        m->index = k->divisors++;
        m->is_in_run = true;
        k->modulus[m->index] = m;
        make_divisor(k, m, &k->divisor[m->index]);
    }
    return m->index;
}

/* x is an operation of a queue. If x divides, returns the number of bits of the dividend: of an
 * operand, or of the product of both operands, which x reduces by a modulus. For other operations,
 * returns the number of bits of the result. */
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

/* Returns true if u is known to be below the modulus m. If m is a power of two minus 1, u may also
 * be equal to m. */
static bool is_residue(const struct value *u, const struct modulus *m) {
    const struct calc_form form = calc_form_of(m->form, m->value->bits);
    const bool is_mersenne = form.k == 1 && !form.plus;
    return u->below == m->number || u->bits < m->value->bits + is_mersenne;
}

static bool is_near(const struct value *u, const struct modulus *m) {
    return u->bits <= m->value->bits + CALC_FORM_SPARE;
}

/* Sets the divisor of a step that computes x. */
static void add_divisor(struct making *k, struct number_step *step, struct value *x) {
    struct modulus *m = x->modulus;
    step->divisor = divisor(k, m);
    struct number_divisor *d = &k->divisor[step->divisor];
    if (!numbers_has_form(d, step->bits))
        need_reciprocal(k, m, d);
    if (x->kind == NUMBER_PRODUCT)
        step->shift = is_residue(x->u, m) && is_residue(x->v, m) ? CALC_FORM_RESIDUES
                      : is_near(x->u, m) && is_near(x->v, m)     ? CALC_FORM_NEAR
                                                                 : CALC_FORM_ANY;
}

/* Adds a step that computes x, and also the next operation if that is the remainder of the same
 * division. Returns the first recorded operation that the step does not compute. */
static struct value *add_step(struct making *k, struct value *x) {
    struct number_step *step = &k->step[k->steps++];
    struct value *other = evaluate_is_pair(x) ? x->next : NULL;
    *step = (struct number_step){.kind = x->kind,
                                 .r = NUMBER_NONE,
                                 .q = NUMBER_NONE,
                                 .v = NUMBER_NONE,
                                 .shift = x->shift,
                                 .bits = dividend_bits(x)};
    step->u = variable(k, x->u);
    if (x->v)
        step->v = variable(k, x->v);
    if (x->modulus)
        add_divisor(k, step, x);
    *(x->kind == NUMBER_QUOTIENT ? &step->q : &step->r) = variable(k, x);
    if (other)
        step->r = variable(k, other);
    return other ? other->next : x->next;
}

static bool begin(struct making *k) {
    const size_t count = k->queue->count;
    k->step = calloc(count, sizeof *k->step);
    k->variable = calloc(4 * count, sizeof *k->variable);
    k->divisor = calloc(count, sizeof *k->divisor);
    k->first = calloc(count, FIRST_RECIPROCAL_LIMBS * sizeof *k->first);
    k->held = calloc(count, sizeof *k->held);
    k->limbs = calloc(count, sizeof *k->limbs);
    k->modulus = calloc(count, sizeof *k->modulus);
    return k->step && k->variable && k->divisor && k->first && k->held && k->limbs && k->modulus;
}

static void end(struct making *k) {
    free(k->step);
    free(k->variable);
    free(k->divisor);
    free(k->first);
    free(k->held);
    free(k->limbs);
    free(k->modulus);
}

static struct job_ref table(const void *entries, size_t count, uint64_t limbs) {
    return (struct job_ref){.host = (uint64_t *)entries, .count = count, .n = limbs};
}

static enum outcome run(struct making *k) {
    k->outcome = OUTCOME_DONE;
    forget_places(k->queue);
    for (struct value *x = k->queue->first; x && k->outcome == OUTCOME_DONE;)
        x = add_step(k, x);
    if (k->outcome != OUTCOME_DONE)
        return k->outcome;
    struct job job = {
        .op = JOB_numbers,
        .operands = k->firsts > 0     ? 4
                    : k->divisors > 0 ? 3
                                      : 2,
        .u = {[NUMBERS_STEPS] = table(k->step, k->steps, NUMBER_STEP_LIMBS),
              [NUMBERS_VARIABLES] = table(k->variable, k->variables, NUMBER_VARIABLE_LIMBS),
              [NUMBERS_DIVISORS] = table(k->divisor, k->divisors, NUMBER_DIVISOR_LIMBS),
              [NUMBERS_FIRSTS] = table(k->first, 1, k->firsts)}};
    return k->outcome = job_run(&job);
}

/* `limbs` has a difference of two numbers that the device has computed (NUMBER_SUB), in two's
 * complement if it is negative. Replaces it by its absolute value. Returns its sign. */
static int fix_sign(mp_limb_t *limbs, uint64_t words) {
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
    if (x->kind == NUMBER_SUB && fix_sign(limbs, x->words) < 0) {
        sign = -sign;
        queue_recycle(x->queue, &x->store);
    }
    value_arrive(x, limbs, x->words, sign);
}

static void finish(struct making *k) {
    for (size_t i = 0; i < k->divisors; i++)
        if (k->modulus[i]->is_kept && k->divisor[i].first != NUMBER_NONE)
            k->modulus[i]->is_there = true;
    for (size_t i = 0; i < k->count; i++)
        arrive(k->held[i], k->limbs[i]);
}

static void forget_copy(struct value *x) {
    if (x && x->kind == NUMBER_KNOWN)
        queue_recycle(x->queue, &x->store);
}

/* After a failure: discards the device's copies of all operands, because they may be wrong. */
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

/* After a run that failed: frees the memory that was allocated for its results. */
static void drop(struct making *k) {
    for (size_t i = 0; i < k->count; i++) {
        queue_recycle(k->queue, &k->held[i]->store);
        wipe_free(k->limbs[i], bytes_of(k->held[i]->words));
    }
    if (k->outcome == OUTCOME_FAILED)
        distrust(k->queue);
}

static enum outcome evaluate_here(mpgpu_queue *q) {
    struct making k = {.queue = q, .outcome = OUTCOME_MEMORY};
    if (begin(&k) && run(&k) == OUTCOME_DONE)
        finish(&k);
    else
        drop(&k);
    end(&k);
    return k.outcome;
}

/* Computes the queue on its device: at the first run, the device with the least memory in use. A
 * failed device is replaced, because the limbs of numbers are on the host, too. */
enum outcome evaluate_on_device(mpgpu_queue *q) {
    if (q->device == SESSION_ANY || !session_is_usable(q->device))
        q->device = session_least_used();
    int before = session_bind(q->device);
    enum outcome outcome = evaluate_here(q);
    session_bind(before);
    return outcome;
}
