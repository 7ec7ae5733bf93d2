/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products in halves: P < B^(2n) - 1 from P modulo B^n - 1, which device 0 makes, and P modulo
 * B^n + 1, which device 1 makes.  Both join them (lib/multiply/halves.h).  A P that is 0 modulo
 * B^(2n) - 1 may come as that.
 *
 * Both halves wrap round more than once where an operand is longer than n.  A coefficient is a sum
 * of at most un times vn/n rounded up products of digits, or the other way round: within the bounds
 * of lib/multiply/mulmod.c where that is no more than 2^24. */
#include "lib/calc/calc_half.h"

#include "lib/base/ceil_div.h"
#include "lib/base/min.h"
#include "lib/calc/calc_head.h"
#include "lib/calc/calc_lend.h"
#include "lib/calc/calc_pair.h"
#include "lib/device/answers.h"
#include "lib/multiply/halves.h"
#include "lib/multiply/mulmod.h"
#include "lib/multiply/ntt.h"
#include "lib/selftest/selftest.h"

enum { ALIGNMENT = 32, MOST_LOG = NTT_MAX_LOG - 1 };

static uint64_t half_words(const struct ntt_length *l) {
    return ntt_length_digits(l) * NTT_DIGIT_WORDS;
}

/* The smallest n of which two are enough; they pay where most of them is needed, since transforms
 * of a device alone have lengths between. */
static bool choose_length(const struct calc *c, struct ntt_length *l, uint64_t ring,
                          uint64_t words) {
    unsigned log_n = NTT_MIN_LOG;
    uint64_t digits = ceil_div(ring ? ring : words, NTT_DIGIT_WORDS);
    while (log_n < MOST_LOG && (UINT64_C(2) << log_n) < digits)
        log_n++;
    uint64_t both = UINT64_C(2) << log_n;
    l->rings = 1;
    return (ring ? digits == both : digits <= both && digits > both / 4 * 3) &&
           ntt_ring_init(&l->ring[0], log_n, c->half);
}

/* The bound of coefficients. */
static bool has_bound(const struct ntt_length *l, uint64_t un, uint64_t vn) {
    uint64_t n = ntt_length_digits(l), u = ceil_div(un, NTT_DIGIT_WORDS),
             v = ceil_div(vn, NTT_DIGIT_WORDS);
    return min_u64(u * ceil_div(v, n), v * ceil_div(u, n)) <= UINT64_C(1) << MOST_LOG;
}

bool calc_half_plan(struct calc *c, struct ntt_length *l, uint64_t ring, uint64_t un, uint64_t vn) {
    if (!c->pair || c->status != GPU_OK || un + vn < c->pair->least ||
        !choose_length(c, l, ring, un + vn) || !has_bound(l, un, vn))
        return false;
    if (c->is_planning)
        c->status = selftest_mulmod(c->s, &l->ring[0]);
    if (c->is_planning && c->status == GPU_OK)
        c->status = selftest_halves(c->s);
    return true;
}

/* This device's half, in memory that the other reads.  What lay there it has read before the last
 * meeting. */
static struct number make(struct calc *c, const struct ntt_length *l, struct number u,
                          const struct number *v, enum context_slot slot) {
    uint64_t n = half_words(l);
    struct number x = {c->s->slot[SLOT_SHARE].mem, c->turn ? c->offered : 0, n + NTT_SURPLUS};
    c->turn = !c->turn;
    c->s->mulmod_answer = ANSWER_MULMOD;
    if (calc_is_on(c))
        c->status = v ? ntt_mul_wraparound(c->s, l, x, u, *v)
                      : ntt_mul_kept_wraparound(c->s, l, x, u, slot);
    return x;
}

/* This device's half is done, and reduced, where a carry has gone far, too.  B^n, modulo B^n + 1,
 * is too long for it. */
static void complete(struct calc *c, const struct ntt_length *l, struct number half) {
    struct mulmod m = {.words = half_words(l), .plus = c->half == 1, .way = MULMOD_BY_NTT};
    int unused;
    mulmod_made(&m, half);
    if (calc_is_on(c))
        c->status = mulmod_ask(c->s, &m);
    if (calc_is_on(c))
        c->status = gpu_finish(&c->s->queue);
    if (calc_is_on(c))
        c->status = mulmod_end(c->s, &m, half, &unused);
    if (calc_is_on(c) && m.reduced.top)
        c->status = GPU_ABSENT;
}

void calc_half_mul(struct calc *c, const struct ntt_length *l, struct number r, struct number u,
                   const struct number *v, enum context_slot slot) {
    uint64_t mark = calc_mark(c), n = half_words(l), room = n + ALIGNMENT;
    struct number copy = calc_take(c, n);
    c->offered = c->offered > room || !c->is_planning ? c->offered : room;
    struct number made = make(c, l, u, v, slot), half = number_part(made, 0, n);
    complete(c, l, made);
    calc_exchange(c, copy, half, half);
    if (calc_is_on(c))
        c->status = halves_join(c->s, r, c->half == 0 ? half : copy, c->half == 0 ? copy : half);
    calc_drop(c, mark);
}
