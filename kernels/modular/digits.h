/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Functions that pass digits of 28 bits and carries between the work-items of a team (euclid.h). A
 * team shares a number; each work-item has DIGITS digits. Inside a warp of an NVIDIA GPU these
 * functions use shuffles instead of local memory. */
#ifndef DIGITS_H
#define DIGITS_H

#include "kernels/common/platform.h"
#include "kernels/modular/euclid.h"
#include "kernels/common/shuffle.h"

/* TEAMS is defined if a team may have several work-items. The work-items of a team exchange words
 * by shuffles if possible, otherwise through local memory with barriers. With PoCL a team has one
 * work-item, because PoCL 3.1 takes minutes to build such barriers. */
#if !defined(ON_CPU) && !defined(POCL_DEVICE_ADDRESS_BITS)
#define TEAMS
#endif
#if defined(ON_CPU)
#define EUCLID_THREADS 1
#define ROOM 10240 /* digits of the longest number: 256 work-items with 40 digits each */
#define COUNT(t) ((t).digits)
#else
#define EUCLID_THREADS EUCLID_THREADS_OF(DIGITS)
#define ROOM DIGITS
#define COUNT(t) ((u32)DIGITS)
#endif

#if defined(TEAMS)
#define BOX_ARRAY(box) LOCAL_ARRAY(u32, box, EUCLID_THREADS *DIGITS)
#else
#define BOX_ARRAY(box) LOCAL u32 *const box = 0
#endif

/* A work-item's place in its team. `box` is local memory, DIGITS words for each work-item. */
struct team {
    /* The number of work-items in the team; the index of this work-item; whether this work-item has
     * the highest digits. */
    u32 size, lane, is_top;
    u32 digits; /* number of digits of this work-item */
    LOCAL u32 *box;
};

FN struct team team_of(u32 size, LOCAL u32 *box) {
    struct team t;
#if defined(TEAMS)
    t.size = size;
#else
    t.size = 1;
#endif
    t.digits = DIGITS * (size / t.size);
    t.lane = LOCAL_ID & (t.size - 1);
    t.is_top = t.lane == t.size - 1;
    t.box = box;
    return t;
}

/* The number that a team (the work-items that share a number) computes. If a launch has more teams
 * than numbers, surplus teams compute the last number again, and store nothing. */
struct place {
    /* The index of the number in the batch, and its index in this launch. */
    u64 index, own;
    u32 is_there;
};

FN struct place place_of(u64 first, u64 count, struct team t) {
    struct place p;
    p.own = (u64)GROUP_X * (EUCLID_THREADS / t.size) + LOCAL_ID / t.size;
    p.is_there = p.own < count;
    p.own = p.is_there ? p.own : count - 1;
    p.index = first + p.own;
    return p;
}

/* team_from_above and team_from_below: each work-item passes `count` words x, and gets the words of
 * the next work-item above or below in the team. A work-item without such a neighbour gets zeros.
 * All work-items also get the words of the team's lowest or highest work-item. `round` must
 * alternate between 0 and 1, so that two exchanges use different memory. */
#define BOX(t, round, i, id) ((t).box[((round)*4 + (i)) * EUCLID_THREADS + (id)])

/* Waits until all work-items of the team have read the words of the last exchange. Call it between
 * two exchanges with the same `round`, because both use the same memory. */
FN void team_done(struct team t) {
#if defined(SHUFFLES)
    if (t.size <= 32)
        return;
#endif
    (void)t;
#if defined(TEAMS)
    BARRIER();
#endif
}

#if defined(TEAMS)
FN void team_post(struct team t, u32 round, const u32 *x, u32 count) {
    UNROLL_HERE
    for (u32 i = 0; i < count; i++)
        BOX(t, round, i, LOCAL_ID) = x[i];
    BARRIER();
}
#endif

FN void team_from_above(struct team t, u32 round, const u32 *x, u32 *above, u32 *first, u32 count) {
#if defined(SHUFFLES)
    if (t.size <= 32) {
        UNROLL_HERE
        for (u32 i = 0; i < count; i++) {
            u32 next = t.size == 1 ? 0 : shuffle_down(x[i], t.size);
            first[i] = t.size == 1 ? x[i] : shuffle_from(x[i], 0, t.size);
            above[i] = t.is_top ? 0 : next;
        }
        return;
    }
#endif
#if defined(TEAMS)
    team_post(t, round, x, count);
    UNROLL_HERE
    for (u32 i = 0; i < count; i++) {
        above[i] = t.is_top ? 0 : BOX(t, round, i, LOCAL_ID + !t.is_top);
        first[i] = BOX(t, round, i, LOCAL_ID - t.lane);
    }
#else
    (void)t, (void)round;
    for (u32 i = 0; i < count; i++) {
        above[i] = 0;
        first[i] = x[i];
    }
#endif
}

FN void team_from_below(struct team t, u32 round, const u32 *x, u32 *below, u32 *top, u32 count) {
#if defined(SHUFFLES)
    if (t.size <= 32) {
        UNROLL_HERE
        for (u32 i = 0; i < count; i++) {
            u32 next = t.size == 1 ? 0 : shuffle_up(x[i], t.size);
            top[i] = t.size == 1 ? x[i] : shuffle_from(x[i], t.size - 1, t.size);
            below[i] = t.lane == 0 ? 0 : next;
        }
        return;
    }
#endif
#if defined(TEAMS)
    team_post(t, round, x, count);
    UNROLL_HERE
    for (u32 i = 0; i < count; i++) {
        below[i] = t.lane == 0 ? 0 : BOX(t, round, i, LOCAL_ID - (t.lane != 0));
        top[i] = BOX(t, round, i, LOCAL_ID - t.lane + t.size - 1);
    }
#else
    (void)t, (void)round;
    for (u32 i = 0; i < count; i++) {
        below[i] = 0;
        top[i] = x[i];
    }
#endif
}

/* Returns the greatest x of all work-items that run in lockstep: of a row of 32, or of the
 * group. */
FN u32 greatest_together(struct team t, u32 x) {
#if defined(SHUFFLES)
    if (t.size <= 32) {
        for (u32 step = 16; step > 0; step /= 2) {
            u32 other = shuffle_across(x, step);
            x = x > other ? x : other;
        }
        return x;
    }
#endif
#if defined(TEAMS)
    for (u32 step = EUCLID_THREADS / 2; step > 0; step /= 2) {
        BARRIER();
        t.box[LOCAL_ID] = x;
        BARRIER();
        u32 other = t.box[LOCAL_ID ^ step];
        x = x > other ? x : other;
    }
    BARRIER();
#endif
    (void)t;
    return x;
}

/* Returns the least x of the team's work-items. */
FN u32 least_of_team(struct team t, u32 x) {
#if defined(SHUFFLES)
    if (t.size <= 32) {
        for (u32 step = t.size / 2; step > 0; step /= 2) {
            u32 other = shuffle_across(x, step);
            x = x < other ? x : other;
        }
        return x;
    }
#endif
#if defined(TEAMS)
    for (u32 step = t.size / 2; step > 0; step /= 2) {
        BARRIER();
        t.box[LOCAL_ID] = x;
        BARRIER();
        u32 other = t.box[LOCAL_ID ^ step];
        x = x < other ? x : other;
    }
    BARRIER();
#endif
    (void)t;
    return x;
}

/* ---- words to digits and back */

/* Returns DIGIT_BITS bits of {x, words} from bit `at`; bits outside are zeros. */
/*@ requires words <= 0x1000000 && \valid_read(x + (0 .. words - 1)) && at > -0x40000000 && at < 0x40000000;
    assigns \nothing;
    ensures \result <= DIGIT_MASK; */
FN u32 digit_at(GLOBAL const u32 *x, u32 words, s32 at) {
    u32 i = (u32)(at >> 5), shift = (u32)at & 31;
    u64 low = i < words ? x[i] : 0u, high = 0;
    if (shift > 32 - DIGIT_BITS && i + 1 < words)
        high = x[i + 1];
    return (u32)((high << 32 | low) >> shift) & DIGIT_MASK;
}

/* Loads this work-item's digits of {x, words}, beginning at bit `at`. */
FN void digits_load(u32 *d, struct team t, GLOBAL const u32 *x, u32 words, s32 at) {
    UNROLL_DIGITS
    for (u32 i = 0; i < COUNT(t); i++)
        d[i] = digit_at(x, words, at + (s32)((t.lane * COUNT(t) + i) * DIGIT_BITS));
}

/* Propagates carries until all digits but the highest are below 2^28. The highest digit has the
 * sign. If is_open, the highest digit is below 2^28, too, and all work-items return the carry out
 * of this digit. */
FN u32 digits_resolve(u32 *d, struct team t, u32 is_open) {
    u32 out = 0;
    for (u32 round = 0; round < t.size; round++) {
        s32 c = 0;
        u32 top, below, all;
        UNROLL_DIGITS
        for (u32 i = 0; i < COUNT(t); i++) {
            s32 sum = (s32)d[i] + c;
            c = sum >> DIGIT_BITS;
            d[i] = (u32)sum & DIGIT_MASK;
        }
        top = t.is_top ? (u32)c : 0u;
        if (t.is_top && !is_open)
            d[COUNT(t) - 1] |= (u32)c << DIGIT_BITS;
        u32 post = t.is_top ? top : (u32)c;
        team_from_below(t, round & 1, &post, &below, &all, 1);
        d[0] += below;
        out += all;
    }
    team_done(t);
    return is_open ? out : 0u;
}

/* Returns 1 if the number is negative. digits_resolve must have resolved its carries. */
FN u32 digits_are_negative(const u32 *d, struct team t) {
    u32 below, sign, post = d[COUNT(t) - 1] >> 31;
    team_from_below(t, 0, &post, &below, &sign, 1);
    team_done(t);
    return sign;
}

/* Negates the digits if `mask` is ~0. digits_resolve must follow. */
FN void digits_negate(u32 *d, struct team t, u32 mask) {
    UNROLL_DIGITS
    for (u32 i = 0; i < COUNT(t); i++)
        d[i] = (d[i] ^ mask) - mask;
}

/* Stores the digits to {r, words}, from bit `at` of the number, if is_there. digits_resolve must
 * have run before. Bits outside of the digits are zeros; `at` > -2^26. */
FN void digits_store(GLOBAL u32 *r, u32 words, const u32 *d, struct team t, s32 at, u32 is_there) {
    /* `begin` digits of zeros are imagined below digit 0, so that `bit` is not negative. */
    const u32 count = t.size * COUNT(t), begin = 1u << 22;
#if defined(TEAMS)
    LOCAL u32 *box = t.box + (LOCAL_ID - t.lane) * DIGITS;
    BARRIER();
    UNROLL_DIGITS
    for (u32 i = 0; i < COUNT(t); i++)
        box[t.lane * DIGITS + i] = d[i];
    BARRIER();
#else
    const u32 *box = d;
#endif
    for (u32 j = t.lane; is_there && j < words; j += t.size) {
        u32 bit = (u32)((s32)(32 * j) + at) + begin * DIGIT_BITS;
        u32 i = bit / DIGIT_BITS - begin, shift = bit % DIGIT_BITS;
        u64 x = i < count ? box[i] & DIGIT_MASK : 0u;
        x |= i + 1 < count ? (u64)(box[i + 1] & DIGIT_MASK) << DIGIT_BITS : 0u;
        x |= i + 2 < count ? (u64)box[i + 2] << 2 * DIGIT_BITS : 0u;
        r[j] = (u32)(x >> shift);
    }
    team_done(t);
}

#endif
