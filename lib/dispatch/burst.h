/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Bursts: where threads take all CPUs, the device's own threads wait for one while GMP computes,
 * and a single call looks slow whatever the device is.  So all threads try it together for a
 * while. */
#ifndef MPGPU_BURST_H
#define MPGPU_BURST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Zero at first; nanoseconds. */
struct burst {
    _Atomic int64_t end, next;
    atomic_int gap; /* from one burst to the next, in lengths of one */
};

/* Is there a burst, or does one begin now?  GMP takes `gmp` for a call.  Each lasts four such
 * calls, at least 2 ms and at most 50.  The gap between two doubles up to 128 times that. */
bool burst_asks(struct burst *b, int64_t gmp, int64_t now);

/* A call of a burst has ended at `now`, `loss` later than GMP's would have: what bursts lose is 1 %
 * of the time.  A great loss ends it. */
void burst_costs(struct burst *b, int64_t loss, int64_t now);

/* The device pays outside of bursts: the next may come soon. */
void burst_pays(struct burst *b);

#endif
