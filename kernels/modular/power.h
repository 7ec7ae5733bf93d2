/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers of batches: arguments of the kernels, windows of exponents, and records for the check. */
#ifndef POWER_H
#define POWER_H

#include "kernels/modular/traced.h"

#define TEAMS (MODULAR_THREADS / TEAM) /* teams in a group; a team shares a number */

/* The index of the number that this team (the work-items that share a number) computes. Surplus
 * teams have an index beyond the last number; last_of replaces it by the last number's index. */
#define NUMBER ((u64)GROUP_X * TEAMS + LOCAL_ID / TEAM)
/*@ requires count > 0;
    assigns \nothing;
    ensures \result == (number < count ? number : count - 1);
    ensures \result < count; */
FN u64 last_of(u64 number, u64 count) {
    return number < count ? number : count - 1;
}

/* The arguments of the kernel modular_power. */
struct powers {
    GLOBAL u32 *r;
    GLOBAL const u32 *u, *e, *m, *known;
    GLOBAL u32 *tables;
    u64 count;
    u32 words, rows, exponent_words, window, is_secret, shared, slots;
    u64 nonce;
};

/* Returns bits `at` to at + bits - 1 of {e, words}. */
/*@ requires words <= MODULAR_MOST_EXPONENT_WORDS && \valid_read(e + (0 .. words - 1));
    requires at < 32 * words && 1 <= bits <= MODULAR_MOST_WINDOW;
    assigns \nothing; */
FN u32 window_of(GLOBAL const u32 *e, u32 words, u32 at, u32 bits) {
    u32 k = at / 32, high = k + 1 < words ? e[k + 1] : 0u;
    return (u32)(((u64)high << 32 | e[k]) >> at % 32) & ((1u << bits) - 1u);
}

struct exponent {
    GLOBAL const u32 *e;
    u32 words, window, is_secret;
};

FN struct exponent exponent_of(const struct powers *p, u64 i) {
    u64 at = p->shared & MODULAR_ONE_EXPONENT ? 0 : i * p->exponent_words;
    struct exponent e = {p->e + at, p->exponent_words, p->window, p->is_secret};
    return e;
}

/* The work-items of a warp compute several numbers in a round. Returns 1 if the batch still has a
 * number for this warp, in the round that begins with number `first`. */
FN u32 power_has_next(const struct powers *p, u64 first, u64 slot) {
    u32 teams = 32 / TEAM;
    return first + slot / teams * teams < p->count;
}

FN void power_record(GLOBAL u64 *record, u64 of_result, u64 of_base, u64 of_modulus,
                     u64 of_exponent, u64 count, u64 nonce) {
    trace_store(record + MODULAR_OF_RESULT * count, of_result, nonce);
    trace_store(record + MODULAR_OF_BASE * count, of_base, nonce);
    trace_store(record + MODULAR_OF_MODULUS * count, of_modulus, nonce);
    trace_store(record + MODULAR_OF_EXPONENT * count, of_exponent, nonce);
}

#endif
