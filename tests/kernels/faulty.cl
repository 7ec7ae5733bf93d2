/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Kernels with one deliberate fault each, which the tests of the kernels on the host must detect,
 * and two without a fault; not part of the library. Each is launched as two work-groups on a buffer
 * of 2 ITEMS words. */
#include "kernels/common/platform.h"

#define ITEMS 64
#define MINE (GROUP_X * ITEMS + LOCAL_ID)

/* Has no fault: work-items exchange words through local memory. */
KERNEL(ITEMS)
right(GLOBAL u32 *x, GLOBAL u32 *count, u32 k) {
    LOCAL_ARRAY(u32, share, ITEMS);
    share[LOCAL_ID] = x[MINE];
    BARRIER();
    u32 y = share[(LOCAL_ID + k) % ITEMS];
    ATOMIC_INCREMENT(count);
    x[MINE] = y;
}

/* Has no fault: neighbouring work-items write the two halves of a word. */
KERNEL(ITEMS)
right_halves(GLOBAL u32 *x, GLOBAL u32 *count, u32 k) {
    GLOBAL unsigned short *halves = (GLOBAL unsigned short *)x;
    halves[MINE] = (unsigned short)k;
    BARRIER();
    u32 y = x[MINE / 2];
    BARRIER();
    halves[MINE] = (unsigned short)(y >> 16);
}

KERNEL(ITEMS)
behind_local(GLOBAL u32 *x, GLOBAL u32 *count, u32 k) {
    LOCAL_ARRAY(u32, share, ITEMS);
    share[LOCAL_ID] = k;
    BARRIER();
    x[MINE] = share[LOCAL_ID + (LOCAL_ID == ITEMS - 1)];
}

KERNEL(ITEMS)
behind_buffer(GLOBAL u32 *x, GLOBAL u32 *count, u32 k) {
    x[MINE + (GROUP_X == 1)] = k;
}

KERNEL(ITEMS)
unwritten_local(GLOBAL u32 *x, GLOBAL u32 *count, u32 k) {
    LOCAL_ARRAY(u32, share, ITEMS);
    if (LOCAL_ID > 0 || GROUP_X == 0)
        share[LOCAL_ID] = k;
    BARRIER();
    x[MINE] = share[ITEMS - 1 - LOCAL_ID];
}

KERNEL(ITEMS)
unwritten_buffer(GLOBAL u32 *x, GLOBAL u32 *count, u32 k) {
    x[MINE] = count[1] + k;
}

KERNEL(ITEMS)
no_barrier(GLOBAL u32 *x, GLOBAL u32 *count, u32 k) {
    LOCAL_ARRAY(u32, share, ITEMS);
    share[LOCAL_ID] = k;
    BARRIER();
    u32 y = share[ITEMS - 1 - LOCAL_ID];
    share[LOCAL_ID] = y;
    x[MINE] = y;
}

KERNEL(ITEMS)
two_groups(GLOBAL u32 *x, GLOBAL u32 *count, u32 k) {
    if (LOCAL_ID == GROUP_X)
        x[0] = k;
}

KERNEL(ITEMS)
same_half(GLOBAL u32 *x, GLOBAL u32 *count, u32 k) {
    GLOBAL unsigned short *halves = (GLOBAL unsigned short *)x;
    halves[MINE | 1] = (unsigned short)k;
}

KERNEL(ITEMS)
half_of_word(GLOBAL u32 *x, GLOBAL u32 *count, u32 k) {
    GLOBAL unsigned short *halves = (GLOBAL unsigned short *)x;
    if (LOCAL_ID > 0)
        halves[2 * GROUP_X * ITEMS + 1] = (unsigned short)x[GROUP_X * ITEMS + LOCAL_ID % 2];
}

/* Fault: reads the other group's words too early.  Only after both groups have incremented
 * `count` atomically may one group read what the other has written. */
KERNEL(ITEMS)
not_yet_seen(GLOBAL u32 *x, GLOBAL u32 *count, u32 k) {
    x[MINE] = k;
    BARRIER();
    u32 y = x[LOCAL_ID];
    ATOMIC_INCREMENT(count);
    x[MINE] = y;
}

/* Fault: increments `count` without a barrier after the writes.  So other work-items of the
 * group may write after the increment. */
KERNEL(ITEMS)
too_soon(GLOBAL u32 *x, GLOBAL u32 *count, u32 k) {
    x[MINE] = k;
    if (LOCAL_ID == 0)
        ATOMIC_INCREMENT(count);
    BARRIER();
    u32 y = x[LOCAL_ID];
    if (GROUP_X == 1)
        x[MINE] = y;
}

KERNEL(ITEMS)
barrier_in_a_branch(GLOBAL u32 *x, GLOBAL u32 *count, u32 k) {
    if (LOCAL_ID < ITEMS / 2)
        BARRIER();
    x[MINE] = k;
}

KERNEL(ITEMS)
behind_registers(GLOBAL u32 *x, GLOBAL u32 *count, u32 k) {
    u32 a[4] = {1, 2, 3, 4};
    for (u32 i = 0; i < k; i++)
        x[MINE] += a[i % 4 + k];
}

KERNEL(ITEMS)
unaligned(GLOBAL u32 *x, GLOBAL u32 *count, u32 k) {
    u32 a[4];
    LOAD4(GLOBAL, a, x + k);
    if (a[0] == 77)
        x[MINE] = 0;
}
