/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A backend with several devices ("twins"), for tests that need them on a machine with one device.
 * Each twin opens the real device separately, and its memory is tracked. */
#ifndef MPGPU_TEST_TWIN_BACKEND_H
#define MPGPU_TEST_TWIN_BACKEND_H

#include <stdatomic.h>

#include "gpu/gpu.h"

enum { TWINS = 2, TWINS_MOST = 3, TWIN_HANGS = -1 };

extern const struct gpu_backend twin_backend;

/* Returns the first real backend that has a device; NULL if none has. */
const struct gpu_backend *twin_real(void);

/* The injected faults and the counters of each twin. */
extern struct twin {
    atomic_int launch; /* status that its launches return; TWIN_HANGS: launches do not return */
    atomic_int open;   /* status that its opening returns */
    atomic_long call, calls; /* call: the call that fails, counted by `calls`; 0: none */
    atomic_int status; /* status that the failing call returns; TWIN_HANGS: it does not return */
    /* wrong: the launch or copy, counted by `writes`, after which one word of the written number is
     * wrong */
    atomic_long wrong, writes;
    atomic_long launches;
    atomic_long peer_copies;
    /* the copy between twins, counted by peer_copies, that gets one wrong word */
    atomic_long wrong_copy;
    atomic_long uploaded; /* bytes copied from the host */
    atomic_long strays;   /* uses of memory that belongs to another twin */
    atomic_long buffers;
} twins[TWINS_MOST];

/* The number of twins.  Set it before the devices are enumerated. */
extern int twin_count;

/* The twin that reports half of the compute units; -1: none. */
extern int twin_small;

/* Makes launches and calls that hang return. */
void twin_answer(void);

#endif
