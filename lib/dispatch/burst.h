/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Bursts: short periods in which all threads of the program send their calls to the device. When
 * threads compute with GMP on all CPUs, the device's own threads must wait for a CPU, so that a
 * single call to the device seems slow. During a burst, CPUs are free for the device's threads. */
#ifndef MPGPU_BURST_H
#define MPGPU_BURST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The current burst (a period in which all threads send calls to the device). All zero at first.
 * Times are in nanoseconds. */
struct burst {
    _Atomic int64_t end, next;
    atomic_int gap; /* time between two bursts, as a multiple of a burst's length */
};

/* Returns true during a burst (a period in which all threads send calls to the device), and may
 * begin one. `gmp` is GMP's time for a call. A burst lasts 4 times `gmp`, but at least 2 ms and at
 * most 50 ms. The time between two bursts doubles with each burst, up to 128 times a burst's
 * length. */
bool burst_asks(struct burst *b, int64_t gmp, int64_t now);

/* Reports that a call in a burst ended at `now`, and took `loss` longer than GMP would take. Delays
 * the next burst by at least 100 times the loss, so that bursts cost at most 1 % of the time. A
 * loss above 1 ms ends the burst. */
void burst_costs(struct burst *b, int64_t loss, int64_t now);

/* Reports that the device was faster than GMP outside of bursts. Shortens the gap between bursts to
 * its first length. */
void burst_pays(struct burst *b);

#endif
