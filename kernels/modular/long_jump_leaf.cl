/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The shortest long jumps (long_jump.h), by jumps of 28 steps. A team of work-items has a number's
 * digits in registers. */
#include "kernels/modular/divsteps.h"
#include "kernels/modular/long_jump.h"

#define WHOLE_JUMPS (LONG_JUMP_STEPS / DIGIT_BITS)
#define LAST_STEPS (LONG_JUMP_STEPS % DIGIT_BITS)

/* Computes the last LAST_STEPS steps in the form of a jump. A jump divides f and g by 2^28, so the
 * matrix has a factor in place of the missing steps. */
FN struct jump last_divsteps(u32 f, u32 g, s32 *delta) {
    struct steps s = {f, g, 1, 0, 0, 1, (u32)*delta};
    struct jump j;
    for (int i = 0; i < LAST_STEPS; i++)
        s = divstep(s);
    *delta = (s32)s.delta;
    j.a = (s32)(s.a << (DIGIT_BITS - LAST_STEPS)), j.b = (s32)(s.b << (DIGIT_BITS - LAST_STEPS));
    j.c = (s32)(s.c << (DIGIT_BITS - LAST_STEPS)), j.d = (s32)(s.d << (DIGIT_BITS - LAST_STEPS));
    return j;
}

/* Sets x[0] and x[1] to the lowest words of f and g, and the columns {x[2], x[3]} and {x[4], x[5]}
 * of the matrix to 2^LONG_JUMP_STEPS times those of the identity. */
FN void start(u32 (*x)[ROOM], GLOBAL const u32 *f, GLOBAL const u32 *g, struct team t) {
    digits_load(x[0], t, f, LONG_JUMP_WORDS, 0);
    digits_load(x[1], t, g, LONG_JUMP_WORDS, 0);
    UNROLL_DIGITS
    for (u32 i = 0; i < COUNT(t); i++) {
        x[2][i] = x[5][i] = t.lane * COUNT(t) + i == WHOLE_JUMPS ? 1u << LAST_STEPS : 0u;
        x[3][i] = x[4][i] = 0;
    }
}

/* Computes LONG_JUMP_STEPS steps for each pair f, g of {x, x_step}, from the pair's delta, which is
 * updated. The pairs' g begin behind all f. Stores the matrices' entries a, b, c, d, each for all
 * numbers: new f = (a f + b g) / 2^LONG_JUMP_STEPS, new g = (c f + d g) / 2^LONG_JUMP_STEPS. */
KERNEL_DENSE(EUCLID_THREADS, EUCLID_GROUPS_OF(DIGITS))
long_jump_leaf(GLOBAL u32 *matrix, u64 matrix_at, GLOBAL u32 *deltas, GLOBAL const u32 *x, u64 x_at,
               u32 x_step, u64 count, u32 size) {
    BOX_ARRAY(box);
    const struct team t = team_of(size, box);
    const struct place place = place_of(0, count, t);
    GLOBAL const u32 *own = x + x_at + place.index * x_step;
    u32 y[6][ROOM], low[2], unused[4];
    s32 delta = (s32)deltas[place.index];
    start(y, own, own + count * x_step, t);
    FIRST_DIGITS(t, y, low, 2);
    for (u32 i = 0; i <= WHOLE_JUMPS; i++) {
        const struct jump j = i < WHOLE_JUMPS ? divsteps(low[0], low[1], &delta)
                                              : last_divsteps(low[0], low[1], &delta);
        struct leaves leave[6];
        combine(y[0], y[1], t, j, &leave[0], &leave[1]);
        EXCHANGE(t, y, leave, low, 2);
        combine(y[2], y[3], t, j, &leave[2], &leave[3]);
        combine(y[4], y[5], t, j, &leave[4], &leave[5]);
        EXCHANGE(t, (y + 2), (leave + 2), unused, 4);
    }
    team_done(t);
    UNROLL_HERE
    for (u32 k = 0; k < 4; k++) {
        /* y[2] to y[5] have the entries a, c, b, d; in memory they are in the order a, b, c, d */
        const u32 entry = k == 1 ? 2u : k == 2 ? 1u : k;
        digits_resolve(y[2 + k], t, 0);
        digits_store(matrix + matrix_at + (entry * count + place.index) * LONG_JUMP_WORDS,
                     LONG_JUMP_WORDS, y[2 + k], t, 0, place.is_there);
    }
    if (place.is_there && t.lane == 0)
        deltas[place.index] = (u32)delta;
}
