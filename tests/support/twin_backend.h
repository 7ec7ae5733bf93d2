/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A backend that simulates several devices ("twins") on a machine with one device.  Each twin opens
 * the real device separately, and the backend records which memory is a twin's. */
#ifndef MPGPU_TEST_TWIN_BACKEND_H
#define MPGPU_TEST_TWIN_BACKEND_H

#include <stdatomic.h>

#include "gpu/gpu.h"

enum { TWINS = 2, TWINS_MOST = 3, TWIN_HANGS = -1 };

extern const struct gpu_backend twin_backend;

/* Returns the first real backend that has a device; NULL if none has. */
const struct gpu_backend *twin_real(void);

/* The faults that a test injects into one simulated device (a twin), and its counters. */
extern struct twin {
    /* the status that launches of this device return; TWIN_HANGS: they do not return */
    atomic_int launch;
    atomic_int open; /* the status that opening this device returns */
    /* call: the number of the call that fails, counted by `calls`; 0: no call fails */
    atomic_long call, calls;
    /* the status that the failing call returns; TWIN_HANGS: the call does not return */
    atomic_int status;
    /* wrong: the number of the launch or copy that stores a wrong word in its result, counted by
     * `writes` */
    atomic_long wrong, writes;
    atomic_long launches;
    atomic_long peer_copies;
    /* the number of the copy from another device that stores a wrong word, counted by
     * peer_copies */
    atomic_long wrong_copy;
    atomic_long uploaded; /* bytes copied from the host */
    atomic_long strays;   /* how often this device used memory that belongs to another device */
    atomic_long buffers;
} twins[TWINS_MOST];

/* The number of simulated devices (twins).  Set it before the devices are enumerated. */
extern int twin_count;

/* The index of the simulated device (twin) that reports half of the real device's compute units;
 * -1: none. */
extern int twin_small;

/* Ends the simulated hang (TWIN_HANGS): launches and calls that hang return now. */
void twin_answer(void);

#endif
