/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs kernels/modular/ on the host as on a GPU where several lanes of a warp share a number. The
 * lanes are 32 coroutines; C functions replace the instructions of kernels/modular/lanes_ptx.h.
 * MODULAR_WORDS must be defined before this file is included. */
#ifndef MPGPU_TEST_WARP_H
#define MPGPU_TEST_WARP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

/* In this form of the kernels the number of words is a constant, so their parameter t is unused. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-function"

#define LANES_EMULATED
#define KERNEL(threads) static void
#define KERNEL_DENSE(threads, groups) KERNEL(threads)
#define LOCAL_ARRAY(type, name, count) static type name[count]
#define LOCAL_ID (warp.item)
#define GROUP_X (warp.group)
#define LEADING_ZEROS32(x) ((u32)__builtin_clz(x))
#define ATOMIC_ADD(pointer, x) ((void)(*(pointer) += (x)))
#include "kernels/common/platform.h"
#include "kernels/modular/modular.h"
#include "tests/unit/modular/lanes.h"
#ifndef LANES_OF
#define LANES_OF(words) MODULAR_LANES(words)
#endif
#undef TEAM
#define TEAM LANES_OF(MODULAR_WORDS)

static struct {
    u32 item, group, is_running, turn, shared[2][32];
    /* the carry flag; -1 while its value is undefined, so that the kernel must not read it */
    int carry;
    void *scheduler[5], *lane[32][5]; /* for __builtin_longjmp */
    void (*kernel)(void);
    struct lanes_fault *fault;
} warp;

/* Marks functions that switch from one coroutine to another without a system call, as in
 * tests/kernels/host_group.c. The compiler must neither inline nor analyse these. */
#ifdef __clang__
#define UNSEEN __attribute__((noinline, optnone, no_sanitize("address"))) static
#else
#define UNSEEN __attribute__((noipa, no_sanitize("address"))) static
#endif

UNSEEN void warp_jump(void **place) {
    __builtin_longjmp(place, 1);
}

/* Suspends the running coroutine, a lane of the emulated warp; returns when the scheduler resumes
 * it. */
UNSEEN void warp_wait(void) {
    if (__builtin_setjmp(warp.lane[warp.item % 32]) == 0)
        warp_jump(warp.scheduler);
}

/* The running lane (a coroutine) passes x to the other lanes of the warp. Returns x. If the fault
 * that the test injects is due now, returns x with a wrong bit, or changes a bit in memory. */
static u32 warp_faulty(u32 x) {
    struct lanes_fault *fault = warp.fault;
    if (++fault->exchanges != fault->at)
        return x;
    if (!fault->word)
        return x ^ 1u << fault->bit;
    *fault->word ^= 1u << fault->bit;
    return x;
}

/* Exchanges x among all lanes; returns the values of all 32 lanes. */
static const u32 *warp_exchange(u32 x) {
    u32 *shared = warp.shared[warp.turn];
    shared[warp.item % 32] = warp.fault && warp.item % 32 == warp.fault->lane ? warp_faulty(x) : x;
    warp.carry = -1;
    warp_wait();
    return shared;
}

static inline u32 warp_ballot(u32 x) {
    const u32 *shared = warp_exchange(x);
    u32 r = 0;
    for (u32 i = 0; i < 32; i++)
        r |= (u32)(shared[i] != 0) << i;
    return r;
}

static inline u32 warp_from(u32 x, u32 from) {
    return warp_exchange(x)[warp.item % 32 / TEAM * TEAM + from];
}

static inline u32 warp_below(u32 x) {
    const u32 *shared = warp_exchange(x);
    return warp.item % TEAM == 0 ? x : shared[warp.item % 32 - 1];
}

static inline u32 warp_above(u32 x) {
    const u32 *shared = warp_exchange(x);
    return warp.item % TEAM == TEAM - 1 ? x : shared[warp.item % 32 + 1];
}

static inline void warp_meet(void) {
    warp_exchange(0);
}

static inline u32 warp_carry(void) {
    if (warp.carry < 0)
        abort();
    return (u32)warp.carry;
}

static inline u32 warp_sum(u64 sum) {
    warp.carry = (int)(sum >> 32);
    return (u32)sum;
}

static inline u32 warp_difference(u64 difference) {
    warp.carry = (int)(difference >> 63);
    return (u32)difference;
}

static inline u32 lane_add_cc(u32 a, u32 b) {
    return warp_sum((u64)a + b);
}
static inline u32 lane_addc_cc(u32 a, u32 b) {
    return warp_sum((u64)a + b + warp_carry());
}
static inline u32 lane_addc(u32 a, u32 b) {
    return a + b + warp_carry();
}
static inline u32 lane_sub_cc(u32 a, u32 b) {
    return warp_difference((u64)a - b);
}
static inline u32 lane_subc_cc(u32 a, u32 b) {
    return warp_difference((u64)a - b - warp_carry());
}
static inline u32 lane_subc(u32 a, u32 b) {
    return a - b - warp_carry();
}
static inline u32 lane_mad_lo_cc(u32 a, u32 b, u32 c) {
    return warp_sum((u64)(u32)(a * b) + c);
}
static inline u32 lane_madc_lo_cc(u32 a, u32 b, u32 c) {
    return warp_sum((u64)(u32)(a * b) + c + warp_carry());
}
static inline u32 lane_madc_hi_cc(u32 a, u32 b, u32 c) {
    return warp_sum(((u64)a * b >> 32) + c + warp_carry());
}

static void warp_lane(void) {
    warp.kernel();
    warp.is_running &= ~(1u << warp.item % 32);
    warp_jump(warp.scheduler);
}

/* Starts a lane on its own stack. */
UNSEEN void warp_begin(void) {
    static char stacks[32][1 << 18];
    static ucontext_t first;
    getcontext(&first);
    first.uc_stack.ss_sp = stacks[warp.item % 32];
    first.uc_stack.ss_size = sizeof stacks[0];
    makecontext(&first, warp_lane, 0);
    setcontext(&first);
}

/* Runs a lane until it waits or ends. */
UNSEEN void warp_resume(bool has_begun) {
    if (__builtin_setjmp(warp.scheduler) == 0)
        has_begun ? warp_jump(warp.lane[warp.item % 32]) : warp_begin();
}

/* Runs the 32 work-items from number `first` on as coroutines. Each runs until its next exchange of
 * values; then the next one runs, until all have ended. */
static void warp_run(u32 first) {
    warp.is_running = ~0u;
    for (bool has_begun = false; warp.is_running; has_begun = true) {
        warp.turn ^= 1;
        for (u32 i = 0; i < 32; i++) {
            warp.item = first + i;
            if (warp.is_running >> i & 1)
                warp_resume(has_begun);
        }
    }
}

/* Runs the kernel for `numbers` numbers. Skips the warps of the last work-group that have no
 * number. */
static void warp_launch(void (*kernel)(void), u32 numbers) {
    warp.kernel = kernel;
    for (u32 first = 0; first < numbers * TEAM; first += 32) {
        warp.group = first / MODULAR_THREADS;
        warp_run(first % MODULAR_THREADS);
    }
}

#endif
