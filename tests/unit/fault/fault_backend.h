/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A backend for tests: a real backend with injected failures, wrong words and memory limits; it
 * counts allocations and releases. The real device is opened once and keeps its programs, so
 * that a session with this backend opens fast. */
#ifndef MPGPU_TEST_FAULT_BACKEND_H
#define MPGPU_TEST_FAULT_BACKEND_H

#include <stdatomic.h>
#include <stdbool.h>

#include "gpu/gpu.h"

extern const struct gpu_backend fault_backend;

/* The real backends that were compiled in; the list ends with NULL. */
extern const struct gpu_backend *const fault_real_backends[];

/* A status in a fault plan: the call waits until fault_answer is called, and is then executed. */
enum { FAULT_HANGS = -1 };

/* The planned faults. A call is any backend function that returns a status. Calls, reads and
 * launches are counted from 1; 0 means none. */
struct fault_plan {
    const struct gpu_backend *real; /* the backend whose first device is used */
    int devices;                    /* how many times the real device is listed */
    long call;                      /* number of the first call that fails */
    long every;                     /* if not 0: after each `every` further calls one fails */
    int status;                     /* what it returns */
    long read;                      /* number of the read that returns a wrong word */
    size_t read_least, read_most;   /* least and most bytes of the reads that are counted;
                                       read_most 0: no limit */
    long launch;                    /* number of the launch after which the first word of its
                                       first buffer is wrong; launches of verify:device are not
                                       counted */
    /* If set, `launch` makes any word of the number that it writes wrong, instead of the first
     * word. */
    int in_number;
    unsigned long bit; /* which bit is wrong, modulo the number of bits */
    size_t most;       /* allocations of more bytes fail; 0: no limit */
    long queues;       /* how many queues can be open; 0: any number */
    /* Number of the request for a kernel at which the program begins to end. */
    long kernel;
    long refused; /* number of the request for a kernel that returns GPU_NOBUILD */
    int alone;    /* on a CPU only one kernel runs at a time, in all queues */
};
extern struct fault_plan fault_plan;

/* Set between sessions: the context that opens a device then gets the self-test results of the
 * first opening, as if from the server (gpu/served/). Further contexts do not. */
extern bool fault_is_known;

/* Returns true if the device of fault_plan.real was opened with these kernels before, by this
 * test or an earlier one. */
bool fault_has_passed(void);

/* Counters since the last fault_restart; the counters of live objects count since the program
 * began. */
struct fault_count {
    atomic_long calls, reads, launches;
    /* calls that failed or hung; reads and launches whose result was made wrong */
    atomic_long faults;
    atomic_long kernels; /* asked for */
    atomic_long
        unwaited;       /* launches in the queue of the last launch that no thread has waited for */
    atomic_long strays; /* copies from or to host memory that is not page-locked */
    atomic_long devices, queues, buffers, blocks, pins, events; /* alive */
};
extern struct fault_count fault_count;

/* Ends all faults; resets the counters except those of live objects. */
void fault_restart(void);

/* Lets the hanging call continue; no call hangs until the next fault_restart. */
void fault_answer(void);

/* Resets the counters of live objects. */
void fault_forget(void);

#endif
