/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Emulates the instructions of kernels/modular/lanes_ptx.h, as the PTX ISA defines them, for the
 * work-items of tests/proofs/items.h. Include tests/proofs/narrow.h before this file, and define
 * TEAM. */
#ifndef MPGPU_PROOFS_ITEMS_WARP_H
#define MPGPU_PROOFS_ITEMS_WARP_H

#define LANES_EMULATED

static u32 warp_ballot(u32 x) {
    const unsigned *taken = items_exchange((unsigned)x);
    u32 votes = 0;
    for (unsigned i = 0; i < items_count; i++)
        votes |= (u32)(taken[i] != 0) << i;
    return votes;
}

static u32 warp_from(u32 x, u32 from) {
    unsigned at = item / TEAM * TEAM + (unsigned)from;
    return items_exchange((unsigned)x)[at];
}

static u32 warp_below(u32 x) {
    return items_exchange((unsigned)x)[item % TEAM == 0 ? item : item - 1];
}

static u32 warp_above(u32 x) {
    return items_exchange((unsigned)x)[item % TEAM == TEAM - 1 ? item : item + 1];
}

static void warp_meet(void) {
    items_exchange(0);
}

static u32 carry_flag(void) {
    if (items[item].carry < 0) {
        printf("WRONG: the carry flag is not set\n");
        exit(1);
    }
    return (u32)items[item].carry;
}

static u32 flag_sum(u64 sum) {
    items[item].carry = (int)(sum >> WORD);
    return (u32)sum;
}

static u32 flag_difference(u64 difference) {
    items[item].carry = (int)(difference >> (2 * WORD - 1));
    return (u32)difference;
}

static u32 lane_add_cc(u32 a, u32 b) {
    return flag_sum((u64)a + b);
}
static u32 lane_addc_cc(u32 a, u32 b) {
    return flag_sum((u64)a + b + carry_flag());
}
static u32 lane_addc(u32 a, u32 b) {
    return a + b + carry_flag();
}
static u32 lane_sub_cc(u32 a, u32 b) {
    return flag_difference((u64)a - b);
}
static u32 lane_subc_cc(u32 a, u32 b) {
    return flag_difference((u64)a - b - carry_flag());
}
static u32 lane_subc(u32 a, u32 b) {
    return a - b - carry_flag();
}
static u32 lane_mad_lo_cc(u32 a, u32 b, u32 c) {
    return flag_sum((u64)(u32)(a * b) + c);
}
static u32 lane_madc_lo_cc(u32 a, u32 b, u32 c) {
    return flag_sum((u64)(u32)(a * b) + c + carry_flag());
}
static u32 lane_madc_hi_cc(u32 a, u32 b, u32 c) {
    return flag_sum(((u64)a * b >> WORD) + c + carry_flag());
}

#endif
