/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A backend of two devices, for tests of several devices: each opens a real backend's first device
 * separately, and tracks its memory. */
#ifndef MPGPU_TEST_TWIN_BACKEND_H
#define MPGPU_TEST_TWIN_BACKEND_H

#include <stdatomic.h>

#include "gpu/gpu.h"

enum { TWINS = 2, TWINS_MOST = 3, TWIN_HANGS = -1 };

extern const struct gpu_backend twin_backend;

/* The first real backend that has a device; NULL without one. */
const struct gpu_backend *twin_real(void);

/* For each device: the planned faults, and the counts of its calls. */
extern struct twin {
    atomic_int launch;         /* the status of its launches; TWIN_HANGS: they do not return */
    atomic_int open;           /* and of its opening */
    atomic_long call, calls;   /* the failing call, counted since `calls` was 0; 0: none */
    atomic_int status;         /* and what it returns; TWIN_HANGS: it does not return */
    atomic_long wrong, writes; /* the same of launches that write numbers, and of copies: one word
                                  is wrong behind it */
    atomic_long launches;
    atomic_long peer_copies;
    atomic_long wrong_copy; /* the one of these in which a word is wrong */
    atomic_long uploaded;   /* bytes from the host */
    atomic_long strays;     /* uses of the other's memory */
    atomic_long buffers;
} twins[TWINS_MOST];

/* How many there are: before the first is looked for. */
extern int twin_count;

/* The device that has half of the compute units; -1: none. */
extern int twin_small;

/* Makes hanging launches return. */
void twin_answer(void);

#endif
