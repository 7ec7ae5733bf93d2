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

/* The fewest limbs that a work-item processes. Work-items of a GPU read adjacent limbs together. A
 * work-item of a CPU reads limbs alone, so it should have more. */
#define LEAST_LIMBS WRAPAROUND_TILE
#define LEAST_LIMBS_ON_CPU 16
/* The fewest balanced digits that a work-item processes. */
#define LEAST_DIGITS 8
_Static_assert(2 * LEAST_DIGITS * WRAPAROUND_THREADS == DIGITS_UNIT, "parts of half the digits");

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

/* Returns how many of n balanced digits each work-item processes: LEAST_DIGITS times a power of 2.
 * n is a multiple of DIGITS_UNIT / 2, and the product of a power of 2 and an odd number below 32.
 * So the parts together have exactly n digits. */
static uint64_t share_digits(uint64_t n) {
    uint64_t each = LEAST_DIGITS;
    while (n / (each * WRAPAROUND_THREADS) > WRAPAROUND_MOST)
        each *= 2;
    return each;
}

/* Returns 2^bits in Montgomery form, modulo q.m. */
static uint64_t power_of_two(uint64_t bits, struct check_modulus q) {
    return modulus_power(residue_twice(q.one, q.m), bits, q);
}

/* Returns the factor whose Montgomery form is x. */
static struct residue_factor factor_of(uint64_t x, struct check_modulus q) {
    const uint64_t w = residue_product(x, 1, q.m, q.minv);
    return (struct residue_factor){w, (uint64_t)(((unsigned __int128)w << 64) / q.m)};
}

static enum gpu_status launch_digits(struct wraparound *w, struct context *s, struct number u,
                                     struct number v, struct answers_key key, gpu_mem out,
                                     uint64_t at) {
    const struct digits d = w->digits.balanced, pairs = digits_pairs(d);
    const uint64_t n = number_same(u, v) ? d.length / 2 : d.length,
                   each = divide(w, n, share_digits(n));
    const struct check_modulus q = s->modulus;
    const struct residue_factor up = factor_of(power_of_two(pairs.bits, q), q),
                                down = factor_of(
                                    modulus_power(residue_half(q.one, q.m), pairs.bits, q), q);
    return launch_digit_wraparound(
        s, launch_row(w->parts), u.mem, u.at, u.words, v.mem, v.at, v.words,
        s->slot[SLOT_TABLES].mem, tables_residue_at(), d.bits, d.rest, d.length, w->digits.plus,
        (uint32_t)each, up.w, up.quotient, down.w, down.quotient,
        power_of_two(digit_least_bits(d, each), q), at, key.argument, out);
}

static enum gpu_status launch_limbs(struct wraparound *w, struct context *s, struct number u,
                                    struct number v, uint64_t n, struct answers_key key,
                                    gpu_mem out, uint64_t at) {
    const unsigned digit = w->digits.limbs;
    const uint64_t least = s->dev.caps.simd ? LEAST_LIMBS_ON_CPU : LEAST_LIMBS,
                   each = divide(w, n, share_limbs(n, digit, least));
    return launch_wraparound(s, launch_row(w->parts), u.mem, u.at, u.words, v.mem, v.at, v.words,
                             s->slot[SLOT_TABLES].mem, tables_residue_at(), (uint32_t)n, digit,
                             (uint32_t)each, up(digit > 1 ? digit : 0, s->modulus),
                             up(each, s->modulus), at, key.argument, out);
}

enum gpu_status wraparound_launch(struct wraparound *w, struct context *s, struct number u,
                                  struct number v, uint64_t n, struct wraparound_digits d,
                                  struct answers_key key, gpu_mem out, uint64_t at) {
    *w = (struct wraparound){.digits = d};
    return d.limbs == 0 ? launch_digits(w, s, u, v, key, out, at)
                        : launch_limbs(w, s, u, v, n, key, out, at);
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
    struct digit_range all = {.up_u = q.one, .up_v = q.one};
    struct wraparound_part part;
    bool is_whole = true;
    for (uint64_t i = 0; i < w->parts; i++) {
        is_whole &= read_part(s, key, at + i * WRAPAROUND_ENTRIES, q.m, &part);
        all = digit_range_join(
            all, digit_range_of(part, d, i * w->each, w->each, least_bits, least, q.m), q.m,
            q.minv);
    }
    if (w->parts * w->each < d.length)
        all = digit_range_join(
            all,
            digit_range_mirror(all, digits_all_bits(d), modulus_mul(q.one, q.one, q), q.m, q.minv),
            q.m, q.minv);
    *residues = (struct wraparound_residues){
        .u = modulus_mul(all.part.u, q.one, q),
        .v = all.part.v,
        .wrapped = modulus_mul(modulus_mul(all.part.sum, q.one, q), q.one, q)};
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
                     d.rest, d.length, modulus_mul(modulus % m.m, m.one, m),
                     m.m - (UINT64_C(1) << offset) % m.m)
               : status;
}
