/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Chooses a device for each call, and learns the devices' times. */
#include "lib/dispatch/choice.h"

/* A call's time is estimated from its bytes alone: least_time nanoseconds, and 1 ns for every eight
 * bytes. Bytes above most_bytes do not count. */
static const int64_t least_time = 20000;
static const size_t most_bytes = (size_t)1 << 42;

static int64_t get(const _Atomic int64_t *x) {
    return atomic_load_explicit(x, memory_order_relaxed);
}

/* Returns the class of a call: the binary logarithm of its expected time. */
static unsigned class_of(int64_t cost) {
    unsigned octave = 63 - (unsigned)__builtin_clzl((unsigned long)cost);
    return octave < CHOICE_CLASSES ? octave : CHOICE_CLASSES - 1;
}

/* Returns the time that calls of the same class took on the device; if unknown, that on another
 * device; otherwise `cost`. */
static int64_t time_of(const struct choice *c, const struct choice_call *call, unsigned device,
                       const unsigned *number, unsigned count, int64_t cost) {
    int64_t time = get(&c->device[device].time[call->kind][call->class]);
    for (unsigned i = 0; i < count && time <= 0; i++)
        time = get(&c->device[number[i]].time[call->kind][call->class]);
    return time > 0 ? time : cost;
}

/* Returns the device that is expected to finish the call first. Sets *queued to the time queued on
 * this device, and call->expected to the call's own time. */
static unsigned find(const struct choice *c, struct choice_call *call, const unsigned *number,
                     unsigned count, int64_t cost, int64_t *queued) {
    unsigned best = 0;
    int64_t best_end = INT64_MAX;
    for (unsigned i = 0; i < count; i++) {
        int64_t here = get(&c->device[number[i]].queued);
        int64_t time = time_of(c, call, number[i], number, count, cost), end = here + time;
        if (i > 0 && end >= best_end - call->expected / 8)
            continue;
        best = number[i];
        best_end = end;
        call->expected = time;
        *queued = here;
    }
    return best;
}

/* Chooses a device and adds the call to its queued time. If another thread changes that time at the
 * same time, chooses again. */
unsigned choice_begin(struct choice *c, struct choice_call *call, const unsigned *number,
                      unsigned count, int64_t cost, size_t bytes, int64_t now) {
    int64_t queued = 0;
    bool is_known = cost > 0;
    if (!is_known)
        cost = least_time + (int64_t)((bytes < most_bytes ? bytes : most_bytes) / 8);
    *call = (struct choice_call){.kind = is_known, .class = class_of(cost), .start = now};
    do
        call->device = find(c, call, number, count, cost, &queued);
    while (!atomic_compare_exchange_weak_explicit(&c->device[call->device].queued, &queued,
                                                  queued + call->expected, memory_order_relaxed,
                                                  memory_order_relaxed));
    call->is_alone = queued == 0;
    return call->device;
}

void choice_extend(struct choice *c, struct choice_call *call) {
    atomic_fetch_add_explicit(&c->device[call->device].queued, call->expected,
                              memory_order_relaxed);
    call->is_alone = false;
}

bool choice_is_busy(const struct choice *c, unsigned device) {
    return get(&c->device[device].queued) > 0;
}

/* Moves *time an eighth towards `seen`. The first call sets it to -1 instead, since that call also
 * prepares the device. */
static void learn(_Atomic int64_t *time, int64_t seen) {
    int64_t old = get(time), next = old == 0 ? -1 : old < 0 ? seen : old + (seen - old) / 8;
    atomic_store_explicit(time, next, memory_order_relaxed);
}

/* Moves the times of slower devices a 256th towards `time`, so that they are tried again
 * eventually. */
static void draw_near(struct choice *c, const struct choice_call *call, int64_t time) {
    for (unsigned i = 0; i < CHOICE_DEVICES; i++) {
        _Atomic int64_t *other = &c->device[i].time[call->kind][call->class];
        int64_t more = get(other) - time;
        if (more > 0)
            atomic_fetch_sub_explicit(other, more / 256, memory_order_relaxed);
    }
}

void choice_end(struct choice *c, const struct choice_call *call, bool is_done, int64_t now) {
    struct choice_device *d = &c->device[call->device];
    _Atomic int64_t *time = &d->time[call->kind][call->class];
    int64_t others = atomic_fetch_sub_explicit(&d->queued, call->expected, memory_order_relaxed) -
                     call->expected;
    if (is_done && call->is_alone && others == 0)
        learn(time, now > call->start ? now - call->start : 1);
    if (get(time) > 0)
        draw_near(c, call, get(time));
}
