/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What wraps round in a product: the launch, and the sum of its parts. */
#include "wrapped.h"
#include "../kernels/wrapped.h"
#include "tables.h"

#define LEAST_LIMBS 16 /* of a work-item */

uint64_t wrapped_power(uint64_t base, uint64_t exponent, struct session_modulus q) {
    uint64_t power = q.one;
    for (; exponent; exponent >>= 1, base = residue_product(base, base, q.m, q.minv))
        if (exponent & 1)
            power = residue_product(power, base, q.m, q.minv);
    return power;
}

static uint64_t mul_mod(uint64_t a, uint64_t b, struct session_modulus q) {
    return (uint64_t)((unsigned __int128)a * b % q.m);
}

/* B^limbs and 1 / B^limbs in Montgomery form, in which B = 2^64 = R is q.one^2 and 1 / B is 1. */
static uint64_t up(uint64_t limbs, struct session_modulus q) {
    return wrapped_power(mul_mod(q.one, q.one, q), limbs, q);
}

static uint64_t down(uint64_t limbs, struct session_modulus q) {
    return wrapped_power(1, limbs, q);
}

/* The digits of a work-item: WRAPPED_MOST groups, or fewer. */
static uint64_t share(uint64_t digits, unsigned digit) {
    const uint64_t items = WRAPPED_MOST * RESIDUE_THREADS;
    uint64_t each = (digits + items - 1) / items, least = (LEAST_LIMBS + digit - 1) / digit;
    return each < least ? least : each;
}

int wrapped_launch(struct wrapped *w, struct session *s, struct number u, struct number v,
                   uint64_t n, unsigned digit, gpu_mem out, uint64_t at) {
    uint64_t digits = n / digit, each = share(digits, digit), limbs = each * digit;
    *w = (struct wrapped){.limbs = limbs * RESIDUE_THREADS, .n = n};
    w->parts = (n + w->limbs - 1) / w->limbs;
    struct gpu_arg args[] = {gpu_arg_mem(u.mem),
                             gpu_arg_u64(u.at),
                             gpu_arg_u64(u.words),
                             gpu_arg_mem(v.mem),
                             gpu_arg_u64(v.at),
                             gpu_arg_u64(v.words),
                             gpu_arg_mem(s->slot[SLOT_TABLES].mem),
                             gpu_arg_u64(tables_residue_at()),
                             gpu_arg_u64(digits),
                             gpu_arg_u32(digit),
                             gpu_arg_u32((uint32_t)each),
                             gpu_arg_u64(up(digit, s->modulus)),
                             gpu_arg_u64(up(limbs, s->modulus)),
                             gpu_arg_u64(down(limbs, s->modulus)),
                             gpu_arg_u64(at),
                             gpu_arg_mem(out)};
    return NUMBER_LAUNCH(s, GPU_PROGRAM_residue, "wrapped", w->parts, 1, RESIDUE_THREADS, args);
}

struct wrapped_residues wrapped_residues(const struct wrapped *w, const uint64_t *entries,
                                         struct session_modulus q) {
    const uint64_t above = up(w->limbs, q), below = down(w->limbs, q);
    struct wrapped_part all = {0, 0, 0};
    for (uint64_t i = w->parts; i-- > 0;) {
        const uint64_t *e = entries + i * WRAPPED_ENTRIES;
        const struct wrapped_part part = {e[0], e[1], e[2]};
        all = wrapped_join(part, all, above, below, q.m, q.minv);
    }
    uint64_t u = mul_mod(all.u, q.one, q), sum = mul_mod(mul_mod(all.sum, q.one, q), q.one, q);
    return (struct wrapped_residues){.u = u,
                                     .v = residue_product(all.x, up(w->n, q), q.m, q.minv),
                                     .wrapped = (mul_mod(u, all.x, q) + q.m - sum) % q.m};
}
