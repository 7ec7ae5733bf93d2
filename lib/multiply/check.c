/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks results on the device, by residues modulo a random prime.
 *
 * A wrong result passes only if the prime divides its error. An error of n words has at most n /
 * 1.875 prime factors above 2^60. The prime is a random one of more than 2^54 primes of 61 bits. So
 * the chance is at most n / 2^54.9 for any error. A composite modulus would have no such bound:
 * errors with many small factors have millions of divisors of that size.
 *
 * A product modulo M = B^n - 1 or M = B^n + 1 (B = 2^32) differs from u v by a multiple of M. This
 * multiple is computed too, from the high half of the whole product. If transforms have wrapped the
 * product around, there is no high half, and the multiple is computed from u and v
 * (lib/multiply/wraparound.h). */
#include "lib/multiply/check.h"

#include "kernels/check/wraparound.h"
#include "lib/base/ceil_div.h"
#include "lib/base/log.h"
#include "lib/device/answers.h"
#include "lib/device/launch.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"

/* the most work-groups for a number: the host spends 12 ns on the residue of each group */
#define MOST_GROUPS 256
/* the fewest vectors (RESIDUE_VECTOR words) that a work-item reads; a short number has fewer */
#define LEAST_STEPS 4

#define LIMB_WORDS 2
/* numbers whose residues are computed separately: the words of the result below the modulus's
 * length, and the words above */
#define WRAPAROUND_NUMBERS 2
_Static_assert(CHECK_NUMBERS == 4, "residue.cl takes as many");
#define MOST_ENTRIES (ANSWER_OPEN - ANSWER_RESIDUES)
_Static_assert(MOST_ENTRIES >= CHECK_NUMBERS * MOST_GROUPS && CHECK_NUMBERS >= CHECK_SLOTS,
               "room for all numbers");
_Static_assert(MOST_ENTRIES >=
                   WRAPAROUND_NUMBERS * MOST_GROUPS + WRAPAROUND_ENTRIES * WRAPAROUND_MOST,
               "room for what wraps round");

enum gpu_status check_prepare(struct context *s) {
    gpu_mem unused;
    return answers_get(s, &unused);
}

/* Chooses how numbers of at most `most` words are divided among work-groups: sets c->groups, and
 * c->words to the words of each group. Returns how many vectors each work-item reads. */
static uint32_t cut(struct check *c, uint64_t most) {
    const uint64_t step = RESIDUE_VECTOR * RESIDUE_THREADS, all = ceil_div(most, step);
    uint64_t steps = ceil_div(all, MOST_GROUPS);
    if (steps < LEAST_STEPS)
        steps = all < LEAST_STEPS ? all : LEAST_STEPS;
    c->words = steps * step;
    c->groups = ceil_div(most, c->words);
    return (uint32_t)steps;
}

/* Begins a check: gets the random prime, and sets *out to the memory for the residues. */
static enum gpu_status begin(struct check *c, struct context *s, gpu_mem *out) {
    gpu_mem tables;
    enum gpu_status status = tables_get(s, &tables);
    if (status == GPU_OK)
        status = answers_get(s, out);
    c->s = s;
    c->q = s->modulus;
    c->key = answers_new_key(s);
    c->first = ANSWER_RESIDUES;
    c->wrapped.parts = 0;
    c->is_coalesced = 0;
    c->is_stale = false;
    return status;
}

/* Queues the computation of the residues of `count` numbers. x[0] must be the longest. */
static enum gpu_status launch(struct check *c, const struct number *x, unsigned count,
                              gpu_mem out) {
    uint32_t steps = cut(c, x[0].words);
    c->count = count;
    struct number n[CHECK_NUMBERS];
    for (unsigned k = 0; k < CHECK_NUMBERS; k++)
        n[k] = x[k < count ? k : 0];
    return launch_residue(c->s, launch_grid(c->groups, count), n[0].mem, n[0].at, n[0].words,
                          n[1].mem, n[1].at, n[1].words, n[2].mem, n[2].at, n[2].words, n[3].mem,
                          n[3].at, n[3].words, c->s->slot[SLOT_TABLES].mem, tables_residue_at(),
                          steps, c->key.argument, out, c->first);
}

/* Returns the index of the first residue of number k in the buffer of answers
 * (lib/device/answers.h). */
static uint64_t entry(const struct check *c, unsigned k) {
    return c->first + k * c->groups;
}

/* Queues the copy of all residues to the host. */
static enum gpu_status fetch(struct check *c) {
    return answers_fetch(c->s,
                         (size_t)(entry(c, c->count) + c->wrapped.parts * WRAPAROUND_ENTRIES));
}

static enum gpu_status start(struct check *c, struct context *s, const struct number *x,
                             unsigned count) {
    gpu_mem out;
    enum gpu_status status = begin(c, s, &out);
    if (status == GPU_OK)
        status = launch(c, x, count, out);
    return status == GPU_OK ? fetch(c) : status;
}

enum gpu_status check_start(struct check *c, struct context *s, struct number r, struct number u,
                            struct number v) {
    const struct number x[] = {r, u, v};
    c->v = number_same(u, v) ? 1 : 2;
    return start(c, s, x, c->v == 1 ? 2 : 3);
}

enum gpu_status check_start_one(struct check *c, struct context *s, struct number r,
                                unsigned slot) {
    gpu_mem out;
    enum gpu_status status = begin(c, s, &out);
    c->v = c->high = 0;
    c->first += (uint64_t)slot * MOST_GROUPS;
    if (status == GPU_OK)
        status = launch(c, &r, 1, out);
    return status == GPU_OK ? fetch(c) : status;
}

/* Starts the check of a product modulo B^n - 1 or B^n + 1 (B = 2^32) that was computed by
 * transforms modulo the same number. The result lacks a multiple of the modulus. One kernel
 * computes the residues of u, of v, and of the number of times that the modulus is missing
 * (lib/multiply/wraparound.h). */
static enum gpu_status start_wraparound(struct check *c, struct context *s, struct number r,
                                        struct number u, struct number v,
                                        const struct check_mulmod *ring) {
    const struct number x[WRAPAROUND_NUMBERS] = {r, ring->high};
    gpu_mem out;
    enum gpu_status status = begin(c, s, &out);
    c->high = 1;
    if (status == GPU_OK)
        status = launch(c, x, WRAPAROUND_NUMBERS, out);
    if (status == GPU_OK)
        status = wraparound_launch(&c->wrapped, s, u, v, ring->words / LIMB_WORDS, ring->digits,
                                   c->key, out, entry(c, WRAPAROUND_NUMBERS));
    return status == GPU_OK ? fetch(c) : status;
}

enum gpu_status check_start_mulmod(struct check *c, struct context *s, struct number r,
                                   struct number u, struct number v,
                                   const struct check_mulmod *ring) {
    const struct number x[] = {r, u, ring->high, v};
    if (ring->wraps)
        return start_wraparound(c, s, r, u, v, ring);
    c->high = 2;
    c->v = number_same(u, v) ? 1 : 3;
    return start(c, s, x, c->v == 1 ? 3 : 4);
}

enum gpu_status check_start_added(struct check *c, struct context *s, struct number r,
                                  struct number u, struct number v, struct number addend) {
    const struct number x[] = {r, u, addend, v};
    c->high = 2;
    c->v = number_same(u, v) ? 1 : 3;
    return start(c, s, x, c->v == 1 ? 3 : 4);
}

enum gpu_status check_start_limb(struct check *c, struct context *s, struct number r,
                                 struct number u, struct number w) {
    const struct number x[] = {r, u, w};
    c->high = w.words > 0 ? 2 : 0;
    return start(c, s, x, w.words > 0 ? 3 : 2);
}

/* Returns the residue that work-group g has computed for number k. A value that is not less than
 * the prime is left over from an earlier check, and makes this check fail. */
static uint64_t part(struct check *c, unsigned k, uint64_t g) {
    uint64_t residue = answers_by_key(c->s, c->key, entry(c, k) + g);
    c->is_stale |= residue >= c->q.m;
    return residue % c->q.m;
}

/* Computes the residue of number k from the residues of all its parts, beginning with the
 * highest. */
static uint64_t sum_up(struct check *c, unsigned k) {
    const struct check_modulus q = c->q;
    uint64_t shift = modulus_power_of_words(c->words, q), r = 0;
    for (uint64_t g = c->groups; g-- > 0;)
        r = residue_plus(residue_product(r, shift, q.m, q.minv), part(c, k, g), q.m);
    return r % q.m;
}

void check_coalesce(struct check *c) {
    for (unsigned k = 0; k < c->count; k++)
        c->residue[k] = sum_up(c, k);
    if (c->wrapped.parts > 0)
        c->is_stale |=
            !wraparound_residues(&c->wrapped, c->s, c->key, entry(c, c->count), c->q, &c->round);
    c->is_coalesced = 1;
}

static void need(struct check *c) {
    if (!c->is_coalesced)
        check_coalesce(c);
}

uint64_t check_residue(struct check *c, int k) {
    need(c);
    return c->residue[k];
}

static enum gpu_status wrong(const struct context *s, const char *what) {
    mpgpu_log(LOG_WARNING, "%s: wrong %s, found by its residue", s->dev.caps.name, what);
    return GPU_FAILED;
}

static enum gpu_status verdict(const struct check *c, bool is_good, const char *what) {
    return is_good && !c->is_stale ? GPU_OK : wrong(c->s, what);
}

static uint64_t residue_of_product(struct check *c) {
    return modulus_mul(check_residue(c, 1), check_residue(c, c->v), c->q);
}

enum gpu_status check_product(struct check *c) {
    return verdict(c, check_residue(c, 0) == residue_of_product(c), "product");
}

enum gpu_status check_added(struct check *c, uint64_t rn, uint32_t carry) {
    const uint64_t m = c->q.m, over = carry ? modulus_residue_of_power(rn, c->q) : 0;
    uint64_t right = (residue_of_product(c) + check_residue(c, c->high)) % m;
    return verdict(c, (check_residue(c, 0) + over) % m == right, "product and sum");
}

enum gpu_status check_limb(struct check *c, uint64_t rn, uint64_t v, int subtract, int negative) {
    const uint64_t m = c->q.m, product = modulus_mul(check_residue(c, 1), v % m, c->q);
    uint64_t w = c->high ? check_residue(c, c->high) : 0;
    uint64_t right = w + (subtract ? m - product : product);
    if (subtract && negative)
        right += modulus_residue_of_power(rn, c->q);
    return verdict(c, check_residue(c, 0) == right % m, "product by a limb");
}

/* Returns the residues of u, of v, and of the multiple of B^n - 1 or B^n + 1 (B = 2^32) that the
 * product lost because transforms wrapped it around. Without such transforms the multiple is 0. */
static struct wraparound_residues factors(struct check *c, const struct check_mulmod *ring) {
    if (!ring->wraps)
        return (struct wraparound_residues){check_residue(c, 1), check_residue(c, c->v), 0};
    need(c);
    struct wraparound_residues f = c->round;
    /* f.wrapped counts multiples of the modulus. If `offset` is not 0, the count contains
     * 2^offset multiples that were added to the product before its reduction. These are
     * subtracted here. */
    if (ring->offset)
        f.wrapped += c->q.m - modulus_mul(modulus_residue_of_power(ring->offset / 32, c->q),
                                          UINT64_C(1) << ring->offset % 32, c->q);
    return f;
}

/* Checks a product r of u and v modulo M = B^n - 1 or M = B^n + 1 (B = 2^32). r was computed as low
 * + high or low - high, corrected by `over` times M. Transforms that wrapped around have also lost
 * `wrapped` times M. So u v - r must be (high + over + wrapped) M for M = B^n - 1, and (high - over
 * + wrapped) M for M = B^n + 1. */
enum gpu_status check_mulmod(struct check *c, const struct check_mulmod *ring) {
    const struct wraparound_residues f = factors(c, ring);
    const uint64_t m = c->q.m, power = modulus_residue_of_power(ring->words, c->q);
    uint64_t r = check_residue(c, 0) + (ring->top ? power : 0);
    uint64_t quotient = check_residue(c, c->high) + (ring->plus ? m - ring->over : ring->over);
    uint64_t unit = power + (ring->plus ? 1 : m - 1);
    uint64_t right = (r + modulus_mul((quotient + f.wrapped) % m, unit % m, c->q)) % m;
    return verdict(c, right == modulus_mul(f.u, f.v, c->q), "product in a ring");
}

enum gpu_status check_sum(struct check *c, uint64_t rn, int subtract, uint32_t carry) {
    const uint64_t m = c->q.m, over = carry ? modulus_residue_of_power(rn, c->q) : 0;
    uint64_t r = check_residue(c, 0), u = check_residue(c, 1), v = check_residue(c, c->v);
    bool good = subtract ? (r + v) % m == (u + over) % m : (r + over) % m == (u + v) % m;
    return verdict(c, good, subtract ? "difference" : "sum");
}

enum gpu_status check_residues(const struct context *s, uint64_t r, uint64_t u, uint64_t v) {
    return r == modulus_mul(u, v, s->modulus) ? GPU_OK : wrong(s, "product");
}
