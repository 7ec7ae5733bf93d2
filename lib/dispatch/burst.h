/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Bursts of calls. If the program's threads use all CPUs, the device's own threads wait for a CPU
 * while GMP computes.  A single call then seems slow on any device. So all threads try the device
 * together for a while. */
#ifndef MPGPU_BURST_H
#define MPGPU_BURST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The current burst. All zero at first. Times are in nanoseconds. */
struct burst {
    _Atomic int64_t end, next;
    atomic_int gap; /* time between two bursts, as a multiple of a burst's length */
};

/* Returns true during a burst, and may begin one. `gmp` is GMP's time for a call. A burst lasts 4
 * `gmp`, but at least 2 ms and at most 50 ms. The time between two bursts doubles with each burst,
 * up to 128 times a burst's length. */
bool burst_asks(struct burst *b, int64_t gmp, int64_t now);

/* Reports that a call of a burst has ended at `now`, `loss` later than by GMP. Delays the next
 * burst by 100 times the loss, so that bursts lose 1 % of the time. A loss above 1 ms ends the
 * burst. */
void burst_costs(struct burst *b, int64_t loss, int64_t now);

/* Reports that the device gains outside of bursts. Shortens the gap between bursts to its first
 * length. */
void burst_pays(struct burst *b);

#endif
