/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Which of several devices will have done a call first: each has a sum of what is queued there, and
 * has shown what calls take.  Whole numbers and nanoseconds; takes no lock; times come from the
 * caller. */
#ifndef MPGPU_CHOICE_H
#define MPGPU_CHOICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHOICE_DEVICES = 16, CHOICE_CLASSES = 48, CHOICE_KINDS = 2 };

/* Zero at first. */
struct choice {
    struct choice_device {
        _Alignas(64) _Atomic int64_t queued; /* expected of all calls that have begun */
        /* What calls take alone, smoothed, by what was expected of them; 0: no such call has ended,
         * -1: one has, which prepared the device. */
        _Atomic int64_t time[CHOICE_KINDS][CHOICE_CLASSES];
    } device[CHOICE_DEVICES];
};

/* A call, from choice_begin to choice_end. */
struct choice_call {
    unsigned device;
    unsigned kind, class;
    int64_t expected, start;
    bool is_alone; /* there was no other */
};

/* The device, of `count` in `number`, that will have done it first; the first of them unless
 * another is sooner by an eighth of the call.  `cost` is what a device is expected to take, 0 where
 * nobody knows; then `bytes` stand for it.  choice_end must follow. */
unsigned choice_begin(struct choice *c, struct choice_call *call, const unsigned *number,
                      unsigned count, int64_t cost, size_t bytes, int64_t now);

/* Has it a call that has not ended? */
bool choice_is_busy(const struct choice *c, unsigned device);

/* It has ended; what it took counts if the device has done it.  Times of slower devices come a
 * little nearer, so that each is tried again some time. */
void choice_end(struct choice *c, const struct choice_call *call, bool is_done, int64_t now);

/* After choice_end: the call goes on, on the same device. */
void choice_go_on(struct choice *c, struct choice_call *call);

#endif
