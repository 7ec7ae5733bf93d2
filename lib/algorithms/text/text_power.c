/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers of a base, truncated after each squaring. */
#include "lib/algorithms/text/text_power.h"

#include "lib/algorithms/scratch.h"

/* Returns the room, in limbs, for base^e with base < 2^8, truncated to `most` limbs: small powers
 * need less. */
static size_t room_for(unsigned long e, size_t most) {
    size_t limbs = e / 8 + 2;
    return limbs < most ? limbs : most;
}

static void cut(struct text_power *power, size_t most) {
    size_t skip = power->n > most ? power->n - most : 0;
    power->p += skip;
    power->n -= skip;
    power->dropped += skip;
}

/* Squares the power, truncated to `most` limbs.  Writes the whole square to `to`, which has room
 * for it. */
static void square(struct text_power *power, struct composite *w, mp_ptr to, size_t most) {
    composite_mul(w, to, power->p, power->n, power->p, power->n);
    power->p = to;
    power->n *= 2;
    power->n -= to[power->n - 1] == 0;
    power->dropped *= 2;
    cut(power, most);
}

/* Multiplies the power by base in place.  The block has room for one more limb than the truncated
 * square. */
static void times(struct text_power *power, mp_limb_t base) {
    mp_limb_t high = mpn_mul_1(power->p, power->p, (mp_size_t)power->n, base);
    if (high)
        power->p[power->n++] = high;
}

bool text_power_open(struct text_power *power, struct composite *w, mp_limb_t base, unsigned long e,
                     size_t most) {
    size_t each = 2 * room_for(e, most) + 4;
    *power = (struct text_power){.n = 1, .room = scratch_alloc(2 * each)};
    if (!power->room)
        return false;
    mp_ptr to = power->room + each;
    power->p = power->room;
    *power->p = e ? base : 1;
    for (int i = e ? 62 - __builtin_clzl(e) : -1; i >= 0; i--) {
        square(power, w, to, most);
        to = to == power->room ? power->room + each : power->room;
        if (e >> i & 1)
            times(power, base);
    }
    cut(power, most);
    return true;
}

void text_power_close(struct text_power *power) {
    scratch_free(power->room);
}
