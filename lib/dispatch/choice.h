/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Chooses the device expected to finish a call first, from the sum of the times queued on each
 * device and the times of earlier calls. Uses whole nanoseconds and takes no lock; the caller
 * supplies the clock. */
#ifndef MPGPU_CHOICE_H
#define MPGPU_CHOICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHOICE_DEVICES = 16, CHOICE_CLASSES = 48, CHOICE_KINDS = 2 };

/* What is known about each device. All zero at first. */
struct choice {
    struct choice_device {
        _Alignas(64) _Atomic int64_t queued; /* sum of the expected times of calls under way */
        /* Smoothed times of calls that ran alone, by kind and expected time. 0: no such call has
         * ended. -1: only one has ended, which prepared the device. */
        _Atomic int64_t time[CHOICE_KINDS][CHOICE_CLASSES];
    } device[CHOICE_DEVICES];
};

/* A call under way: choice_begin fills it, and choice_end reads it. */
struct choice_call {
    unsigned device;
    unsigned kind, class;
    int64_t expected, start;
    bool is_alone; /* no other call was on the device */
};

/* Chooses one of the `count` devices in `number`: the one expected to finish first. A device later
 * in the list is chosen only if it finishes earlier by an eighth of the call's time. `cost`: the
 * expected time on a device; if 0, estimated from `bytes`. choice_end must follow. */
unsigned choice_begin(struct choice *c, struct choice_call *call, const unsigned *number,
                      unsigned count, int64_t cost, size_t bytes, int64_t now);

/* Returns true if the device has a call that has not ended. */
bool choice_is_busy(const struct choice *c, unsigned device);

/* Ends a call. If the device has computed it (is_done) and had no other call, its time counts.
 * Lowers the times of slower devices a little, so that each is tried again eventually. */
void choice_end(struct choice *c, const struct choice_call *call, bool is_done, int64_t now);

/* Continues the call on the same device after choice_end: adds its expected time to the device's
 * queue again. */
void choice_extend(struct choice *c, struct choice_call *call);

#endif
