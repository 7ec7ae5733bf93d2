/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the multiple of B^n - 1 or B^n + 1 (B = 2^64) that a product loses when transforms wrap
 * it around: launches the kernel, and combines the residues that the work-groups compute. */
#include "lib/multiply/wraparound.h"

#include "kernels/check/digit_wraparound.h"
#include "kernels/check/key.h"
#include "lib/base/ceil_div.h"
#include "lib/device/launch.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"

/* The fewest limbs or balanced digits that a work-item processes. Work-items of a GPU read adjacent
 * limbs together. A work-item of a CPU reads limbs alone, so it should have more. */
#define LEAST_DIGITS WRAPAROUND_TILE
#define LEAST_DIGITS_ON_CPU 16
_Static_assert(LEAST_DIGITS_ON_CPU *WRAPAROUND_THREADS == DIGITS_UNIT, "parts have whole units");

/* Returns B^limbs in Montgomery form, where B = 2^64 is also Montgomery's R. q.one is R modulo q.m.
 * So q.one^2 modulo q.m is the Montgomery form of B. */
static uint64_t up(uint64_t limbs, struct check_modulus q) {
    return modulus_power(modulus_mul(q.one, q.one, q), limbs, q);
}

/* Divides n limbs or digits into parts, one for each work-group, whose work-items process `each`
 * limbs or digits. Returns `each`. */
static uint64_t divide(struct wraparound *w, uint64_t n, uint64_t each) {
    w->each = each * WRAPAROUND_THREADS;
    w->parts = ceil_div(n, w->each);
    w->more = w->parts * w->each - n;
    return each;
}

/* Returns how many limbs each work-item processes. They are whole digits of `digit` limbs, and at
 * least `least` limbs. WRAPAROUND_MOST work-groups must suffice for all n limbs. */
static uint64_t share_limbs(uint64_t n, unsigned digit, uint64_t least) {
    const uint64_t each = ceil_div(n, WRAPAROUND_MOST * WRAPAROUND_THREADS);
    return ceil_div(each < least ? least : each, digit) * digit;
}

/* Returns how many of n balanced digits each work-item processes: `least` times a power of 2. n is
 * a multiple of DIGITS_UNIT, and the product of a power of 2 and an odd number below 32. So the
 * parts together have exactly n digits. */
static uint64_t share_digits(uint64_t n, uint64_t least) {
    uint64_t each = least;
    while (n / (each * WRAPAROUND_THREADS) > WRAPAROUND_MOST)
        each *= 2;
    return each;
}

/* Returns 2^bits in Montgomery form, modulo q.m. */
static uint64_t power_of_two(uint64_t bits, struct check_modulus q) {
    return modulus_power(residue_twice(q.one, q.m), bits, q);
}

static uint64_t power_of_half(uint64_t bits, struct check_modulus q) {
    return modulus_power(residue_half(q.one, q.m), bits, q);
}

static enum gpu_status launch_digits(const struct wraparound *w, struct context *s, struct number u,
                                     struct number v, uint64_t each, struct answers_key key,
                                     gpu_mem out, uint64_t at) {
    const struct digits d = w->digits.balanced;
    return launch_digit_wraparound(
        s, launch_row(w->parts), u.mem, u.at, u.words, v.mem, v.at, v.words,
        s->slot[SLOT_TABLES].mem, tables_residue_at(), d.bits, d.rest, d.length, w->digits.plus,
        (uint32_t)each, power_of_two(d.bits, s->modulus), power_of_half(d.bits, s->modulus),
        power_of_two(digit_least_bits(d, each), s->modulus), at, key.argument, out);
}

enum gpu_status wraparound_launch(struct wraparound *w, struct context *s, struct number u,
                                  struct number v, uint64_t n, struct wraparound_digits d,
                                  struct answers_key key, gpu_mem out, uint64_t at) {
    const bool is_balanced = d.limbs == 0;
    *w = (struct wraparound){.digits = d};
    const uint64_t least = s->dev.caps.simd ? LEAST_DIGITS_ON_CPU : LEAST_DIGITS;
    const uint64_t each = is_balanced
                              ? divide(w, d.balanced.length, share_digits(d.balanced.length, least))
                              : divide(w, n, share_limbs(n, d.limbs, least));
    return is_balanced
               ? launch_digits(w, s, u, v, each, key, out, at)
               : launch_wraparound(s, launch_row(w->parts), u.mem, u.at, u.words, v.mem, v.at,
                                   v.words, s->slot[SLOT_TABLES].mem, tables_residue_at(),
                                   (uint32_t)n, d.limbs, (uint32_t)each,
                                   up(d.limbs > 1 ? d.limbs : 0, s->modulus), up(each, s->modulus),
                                   at, key.argument, out);
}

/* Reads three residues that one work-group has written. Returns false if a residue is not less than
 * the modulus m, because it was not written for this check or the device is faulty. */
static bool read_part(const struct context *s, struct answers_key key, uint64_t at, uint64_t m,
                      struct wraparound_part *part) {
    const uint64_t u = answers_by_key(s, key, at), v = answers_by_key(s, key, at + 1),
                   sum = answers_by_key(s, key, at + 2);
    *part = (struct wraparound_part){u % m, v % m, sum % m};
    return u < m && v < m && sum < m;
}

/* Combines the residues of all parts (work-groups), for digits that are whole limbs. */
static bool join_limbs(const struct wraparound *w, const struct context *s, struct answers_key key,
                       uint64_t at, struct check_modulus q, struct wraparound_residues *residues) {
    const uint64_t over_part = up(w->each, q);
    uint64_t over_all = q.one;
    struct wraparound_part part, all = {0, 0, 0};
    bool is_whole = true;
    for (uint64_t i = w->parts; i-- > 0;) {
        is_whole &= read_part(s, key, at + i * WRAPAROUND_ENTRIES, q.m, &part);
        all = wraparound_join(part, all, over_part, over_all, q.m, q.minv);
        over_all = residue_product(over_all, over_part, q.m, q.minv);
    }
    /* `less` is 1 / B^more in Montgomery form; B is Montgomery's R, so 1 / B is represented by 1 */
    const uint64_t less = modulus_power(1, w->more, q);
    *residues = (struct wraparound_residues){
        .u = modulus_mul(all.u, q.one, q),
        .v = residue_product(all.v, less, q.m, q.minv),
        .wrapped = modulus_mul(modulus_mul(all.sum, q.one, q), q.one, q)};
    return is_whole;
}

/* Combines the residues of all parts (work-groups), for balanced digits. */
static bool join_digits(const struct wraparound *w, const struct context *s, struct answers_key key,
                        uint64_t at, struct check_modulus q, struct wraparound_residues *residues) {
    const struct digits d = w->digits.balanced;
    const uint64_t least_bits = digit_least_bits(d, w->each), least = power_of_two(least_bits, q);
    /* 2^b in Montgomery form, for the b bits of the digits of u whose residues are already
     * combined */
    uint64_t up_u = q.one;
    struct wraparound_part part, all = {0, 0, 0};
    bool is_whole = true;
    for (uint64_t i = w->parts; i-- > 0;) {
        const uint64_t j = i * w->each;
        const struct digit begin = digit_of(d, j), middle = digit_of(d, j + w->each),
                           low = digit_of(d, d.length - j - w->each),
                           top = digit_of(d, d.length - j);
        is_whole &= read_part(s, key, at + i * WRAPAROUND_ENTRIES, q.m, &part);
        all = digit_join(part, all, middle, up_u, digit_span(begin, middle, least_bits, least, q.m),
                         q.m, q.minv);
        up_u = residue_product(up_u, digit_span(low, top, least_bits, least, q.m), q.m, q.minv);
    }
    *residues = (struct wraparound_residues){
        .u = modulus_mul(all.u, q.one, q),
        .v = all.v,
        .wrapped = modulus_mul(modulus_mul(all.sum, q.one, q), q.one, q)};
    return is_whole;
}

bool wraparound_residues(const struct wraparound *w, const struct context *s,
                         struct answers_key key, uint64_t at, struct check_modulus q,
                         struct wraparound_residues *residues) {
    return w->digits.limbs > 0 ? join_limbs(w, s, key, at, q, residues)
                               : join_digits(w, s, key, at, q, residues);
}

enum gpu_status wraparound_quotient(struct context *s, struct number q, struct number u,
                                    struct number v, struct digits d, unsigned offset,
                                    struct number parts) {
    const struct answers_key none = {.argument = KEY_NONE};
    const struct check_modulus m = s->modulus;
    const uint64_t modulus = modulus_residue_of_bits(digits_all_bits(d), m) + m.m - 1;
    struct wraparound w;
    enum gpu_status status = wraparound_launch(
        &w, s, u, v, 0, (struct wraparound_digits){.balanced = d}, none, parts.mem, parts.at / 2);
    return status == GPU_OK
               ? launch_digit_quotient(
                     s, launch_row(1), q.mem, q.at, parts.mem, parts.at / 2, (uint32_t)w.parts,
                     w.each, power_of_two(digit_least_bits(d, w.each), m), u.mem, u.at, u.words,
                     v.mem, v.at, v.words, s->slot[SLOT_TABLES].mem, tables_residue_at(), d.bits,
                     d.rest, d.length, modulus % m.m, m.m - (UINT64_C(1) << offset) % m.m)
               : status;
}
