/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products by two devices: device 0 computes the product P modulo B^n - 1, device 1 computes P
 * modulo B^n + 1 (B = 2^32). Each device then joins these halves to P modulo B^(2n) - 1
 * (lib/multiply/halves.h). If P is 0 modulo B^(2n) - 1, the result may be B^(2n) - 1.
 *
 * Results are exact only if each coefficient of a transform's product is a sum of few products of
 * digits. The bounds of lib/multiply/mulmod.c are 2^25 products in a sum, and 2^24 of one sign. Let
 * the operands have un and vn digits. Modulo x^n - 1, a coefficient is the sum of the products of
 * digits i and j with the same i + j modulo n. So it has at most un ceil(vn/n) products, and at
 * most vn ceil(un/n). Modulo x^n + 1, products of one sign have the same i + j modulo 2n.
 *
 * The other device's half is copied in parts, so that a part is joined while the next is copied. */
#include "lib/calc/calc_half.h"

#include "kernels/common/carry.h"
#include "lib/base/ceil_div.h"
#include "lib/base/min.h"
#include "lib/calc/calc_head.h"
#include "lib/calc/calc_broadcast.h"
#include "lib/device/answers.h"
#include "lib/multiply/halves.h"
#include "lib/multiply/mulmod.h"
#include "lib/multiply/ntt.h"
#include "lib/selftest/selftest.h"
#include "lib/transfer/transfer.h"

enum { ALIGNMENT = 32, MOST_LOG = NTT_MAX_LOG - 1 };

/* The other device's half of a product is copied in parts of this many chunks (CARRY_CHUNK words
 * each). PART is 16 MB, which take 0.04 ms between two GPUs. */
enum { PART = 1 << 11, PART_ON_CPU = 4 };

static uint64_t half_words(const struct ntt_length *l) {
    return ntt_length_digits(l) * NTT_DIGIT_WORDS;
}

/* Chooses the smallest n for which two halves of n digits each contain the product. Returns false
 * if the product has less than three quarters of 2n digits: one device alone can then use a
 * transform length between n and 2n. */
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

/* Digit i is one of u digits, digit j one of v digits. Returns the most pairs (i, j) that can have
 * the same i + j modulo n. */
static uint64_t most_products(uint64_t u, uint64_t v, uint64_t n) {
    return min_u64(u * ceil_div(v, n), v * ceil_div(u, n));
}

/* Returns true if the coefficients of both devices' transforms stay within the bounds for exact
 * results. */
static bool has_bound(const struct ntt_length *l, uint64_t un, uint64_t vn) {
    uint64_t n = ntt_length_digits(l), u = ceil_div(un, NTT_DIGIT_WORDS),
             v = ceil_div(vn, NTT_DIGIT_WORDS);
    return most_products(u, v, n) <= UINT64_C(2) << MOST_LOG &&
           most_products(u, v, 2 * n) <= UINT64_C(1) << MOST_LOG;
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

/* Computes this device's half of a product, in memory from which the other device copies. The other
 * device has copied the previous content before the last calc_exchange_offers. */
static struct number make(struct calc *c, const struct ntt_length *l, struct number u,
                          const struct number *v, enum context_slot slot) {
    uint64_t n = half_words(l);
    struct number x = {c->s->slot[SLOT_SHARD].mem, c->turn ? c->offered : 0, n + NTT_SURPLUS};
    c->turn = !c->turn;
    c->s->mulmod_answer = ANSWER_MULMOD;
    if (calc_is_on(c))
        c->status = v ? ntt_mul_wraparound(c->s, l, x, u, *v)
                      : ntt_mul_kept_wraparound(c->s, l, x, u, slot);
    return x;
}

/* Waits for the work that is queued so far. First queues further work, if the caller has any, so
 * that the device does not idle. */
static enum gpu_status await(struct calc *c) {
    gpu_event_impl *event;
    enum gpu_status status = gpu_event_record(&c->s->queue, &event);
    if (status != GPU_OK)
        return status;
    if (c->meanwhile)
        c->meanwhile(c->meanwhile_of);
    status = c->s->queue.backend->event_wait(event);
    c->s->queue.backend->event_release(event);
    return status == GPU_OK ? c->status : status;
}

/* Completes this device's half: waits for its product, and reduces it completely, however far a
 * carry propagates. Fails if the half is B^n modulo B^n + 1 (B = 2^32), which does not fit in n
 * words. */
static void complete(struct calc *c, const struct ntt_length *l, struct number half) {
    struct mulmod m = {.words = half_words(l), .plus = c->half == 1, .way = MULMOD_BY_NTT};
    int unused;
    mulmod_made(&m, half);
    if (calc_is_on(c))
        c->status = mulmod_ask(c->s, &m);
    if (calc_is_on(c))
        c->status = await(c);
    if (calc_is_on(c))
        c->status = mulmod_end(c->s, &m, half, &unused);
    if (calc_is_on(c) && m.reduced.top)
        c->status = GPU_ABSENT;
}

/* Copies `count` chunks of the other device's half, from chunk `from` on, to the same place of
 * `copy`. */
static void fetch(struct calc *c, struct number copy, const struct calc_offer *other, uint64_t from,
                  uint64_t count) {
    const size_t chunk = CARRY_CHUNK * sizeof(uint32_t);
    c->status = transfer_from_peer(
        c->s->transfer, &c->s->queue, copy.mem, copy.at * sizeof(uint32_t) + from * chunk,
        other->device, other->x.mem, other->x.at * sizeof(uint32_t) + from * chunk, count * chunk);
}

/* Computes r from this device's half and the other device's, which it copies to `copy` part by
 * part. Joins the last chunk of each part with the next part, because joining a chunk also needs
 * the next chunk. */
static void join(struct calc *c, struct number r, struct number half, struct number copy,
                 const struct calc_offer *other) {
    struct number a = c->half == 0 ? half : copy, b = c->half == 0 ? copy : half;
    uint64_t chunks = half.words / CARRY_CHUNK, joined = 0;
    const uint64_t part = c->s->dev.caps.is_cpu ? PART_ON_CPU : PART;
    if (calc_is_on(c))
        c->status = halves_begin(c->s, half.words);
    for (uint64_t from = 0; from < chunks && calc_is_on(c); from += part) {
        uint64_t count = min_u64(part, chunks - from);
        uint64_t end = from + count == chunks ? chunks : from + count - 1;
        fetch(c, copy, other, from, count);
        if (calc_is_on(c))
            c->status = halves_join(c->s, r, a, b, joined, end - joined);
        joined = end;
    }
    if (calc_is_on(c))
        c->status = halves_end(c->s, r, half.words);
}

void calc_half_mul(struct calc *c, const struct ntt_length *l, struct number r, struct number u,
                   const struct number *v, enum context_slot slot) {
    uint64_t n = half_words(l), room = n + ALIGNMENT;
    c->offered = c->offered > room || !c->is_planning ? c->offered : room;
    struct number made = make(c, l, u, v, slot), half = number_part(made, 0, n);
    struct number copy = {made.mem, 2 * c->offered, n};
    struct calc_offer other;
    complete(c, l, made);
    calc_exchange_offers(c, half, half, &other);
    join(c, r, half, copy, &other);
}
