/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A backend for tests: a real one that fails, errs or is full where the test says,
 * and counts what is made and released.  The real device is opened once and keeps
 * its programs, so that a session with this backend opens fast. */
#ifndef MPGPU_TEST_FAULT_BACKEND_H
#define MPGPU_TEST_FAULT_BACKEND_H

#include <stdatomic.h>
#include <stdbool.h>

#include "gpu/gpu.h"

extern const struct gpu_backend fault_backend;

/* The real backends that were compiled in, NULL-terminated. */
extern const struct gpu_backend *const fault_real_backends[];

/* What goes wrong.  Calls are those that return a status; they, the reads and the
 * launches are counted from 1 on; 0 is none. */
enum {
    FAULT_HANGS = -1
}; /* as a status: the call does not come back before fault_answer, and is then made */

struct fault_plan {
    const struct gpu_backend *real; /* behind it: its first device, */
    int devices;                    /* listed so often */
    long call;                      /* the first call that fails */
    long every;                     /* and each so many calls later, if not 0 */
    int status;                     /* what it returns */
    long read;                      /* the read that brings a wrong word */
    size_t read_least, read_most;   /* reads of fewer bytes, or more if not 0, don't count */
    long launch;                    /* the launch that leaves device memory wrong: in the first
                                       buffer's first word; launches of verify:device don't count */
    int in_number;                  /* or in the number that it writes, in any word */
    unsigned long bit;              /* the wrong bit, modulo their number */
    size_t most;                    /* bytes of an allocation above which there is no memory */
    long queues;                    /* the most that can be open, 0: any number */
    long kernel;  /* the asking for a kernel at which the program begins to end, */
    long refused; /* and the one that gets GPU_NOBUILD */
    int alone;    /* on a CPU kernels run one at a time, whatever the queues */
};
extern struct fault_plan fault_plan;

/* Set between lives: the context that opens a device is told that it has passed what it did at the
 * first opening, as the server tells (gpu/served/).  Further contexts are not. */
extern bool fault_is_known;

/* Returns true if the device of fault_plan.real, with these kernels, was opened before, by this
 * test or by one that ran before it. */
bool fault_has_passed(void);

/* Since the last fault_restart; what is alive, since the program began. */
struct fault_count {
    atomic_long calls, reads, launches;
    atomic_long faults;  /* calls that failed or hung, reads and launches that were wrong */
    atomic_long kernels; /* asked for */
    atomic_long loose;   /* launches in the queue of the last one that nobody has waited for */
    atomic_long strays;  /* copies from or to host memory that is not page-locked */
    atomic_long devices, queues, buffers, blocks, pins, events; /* alive */
};
extern struct fault_count fault_count;

/* No more faults; counts from 0, but for what is alive. */
void fault_restart(void);

/* The call that hangs continues, and none hangs until the next fault_restart. */
void fault_answer(void);

/* Nothing is counted as alive any more. */
void fault_forget(void);

#endif
