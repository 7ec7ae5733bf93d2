/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Creates values (compat/number/value.h) and counts their references. */
#include "compat/number/value.h"

#include <stdlib.h>
#include <string.h>

#include "lib/gmp/normalize.h"
#include "lib/memory/wipe.h"
#include "lib/operate/first_reciprocal.h"

/* Returns how many 32-bit words a number of `bits` bits has on the device: whole quads of four
 * words, at least one. */
static uint64_t words_of(uint64_t bits) {
    return bits ? calc_words(bits) : CALC_QUAD;
}

static struct value *created(mpgpu_queue *queue) {
    struct value *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->queue = queue;
    x->refs = 1;
    queue_use(queue);
    return x;
}

struct value *value_of_limbs(mpgpu_queue *queue, int sign, mp_srcptr xp, size_t n) {
    struct value *x = created(queue);
    n = normalize(xp, n);
    uint64_t words = words_of(64 * (uint64_t)n);
    mp_limb_t *limbs = x ? calloc(words / 2, sizeof *limbs) : NULL;
    if (!limbs) {
        value_leave(x);
        return NULL;
    }
    if (n > 0)
        memcpy(limbs, xp, n * sizeof *limbs);
    value_arrive(x, limbs, words, sign);
    return x;
}

struct value *value_record(const struct value *operation) {
    struct value *x = created(operation->queue);
    if (!x)
        return NULL;
    *x = *operation;
    x->refs = 1;
    value_use(x->u);
    value_use(x->v);
    if (x->modulus)
        x->modulus->refs++;
    queue_append(x);
    return x;
}

static void forget_operands(struct value *x) {
    struct value *u = x->u, *v = x->v;
    struct modulus *m = x->modulus;
    x->u = x->v = NULL;
    x->modulus = NULL;
    value_leave(u);
    value_leave(v);
    modulus_leave(m);
}

void value_arrive(struct value *x, mp_limb_t *limbs, uint64_t words, int sign) {
    if (x->kind != NUMBER_KNOWN)
        queue_remove(x);
    x->kind = NUMBER_KNOWN;
    x->limbs = limbs;
    x->bits = normalize_bits(limbs, words / 2);
    x->words = words_of(x->bits);
    x->sign = x->bits ? sign : 0;
    forget_operands(x);
}

struct value *value_use(struct value *x) {
    if (x)
        x->refs++;
    return x;
}

/* Drops a reference. At the last reference, frees the value; if it is a recorded operation, it is
 * removed from the queue without being computed. */
void value_leave(struct value *x) {
    if (!x || --x->refs > 0)
        return;
    mpgpu_queue *queue = x->queue;
    if (x->kind != NUMBER_KNOWN)
        queue_remove(x);
    forget_operands(x);
    queue_recycle(queue, &x->store);
    wipe_free(x->limbs, x->limbs ? x->words * sizeof(uint32_t) : 0);
    free(x);
    queue_leave(queue);
}

void value_retain(struct value *x) {
    value_use(x)->holders++;
}

void value_release(struct value *x) {
    x->holders--;
    value_leave(x);
}

void modulus_leave(struct modulus *m) {
    if (!m || --m->refs > 0)
        return;
    queue_recycle(m->value->queue, &m->store);
    value_release(m->value);
    free(m);
}

size_t value_limbs(const struct value *x) {
    return (x->bits + 63) / 64;
}
