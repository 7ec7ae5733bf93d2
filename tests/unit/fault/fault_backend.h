/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A backend for tests: a real backend with injected failures, wrong words and memory limits, which
 * counts allocations and releases.  The real device is opened once and retains its programs, so
 * that a session with this backend opens fast. */
#ifndef MPGPU_TEST_FAULT_BACKEND_H
#define MPGPU_TEST_FAULT_BACKEND_H

#include <stdatomic.h>
#include <stdbool.h>

#include "gpu/gpu.h"

extern const struct gpu_backend fault_backend;

/* The real backends that were compiled in, NULL-terminated. */
extern const struct gpu_backend *const fault_real_backends[];

/* The planned faults.  Calls are the backend's functions that return a status.  Calls, reads and
 * launches are counted from 1; 0 is none. */
enum {
    FAULT_HANGS = -1
}; /* as a status: the call returns only after fault_answer, and is then executed */

struct fault_plan {
    const struct gpu_backend *real; /* behind it: its first device, */
    int devices;                    /* how often it is listed */
    long call;                      /* the first call that fails */
    long every;                     /* and again after each `every` calls, if not 0 */
    int status;                     /* what it returns */
    long read;                      /* the read that returns a wrong word */
    size_t read_least, read_most;   /* reads of fewer bytes, or more if not 0, don't count */
    long launch;                    /* the launch that leaves device memory wrong: in the first
                                       buffer's first word; launches of verify:device don't count */
    int in_number;                  /* or in the number that it writes, in any word */
    unsigned long bit;              /* the wrong bit, modulo their number */
    size_t most;                    /* bytes of an allocation above which there is no memory */
    long queues;                    /* the most that can be open, 0: any number */
    long kernel;                    /* the kernel request at which the program begins to end, */
    long refused;                   /* and the request that gets GPU_NOBUILD */
    int alone;                      /* on a CPU kernels run one at a time, whatever the queues */
};
extern struct fault_plan fault_plan;

/* Set between sessions: the context that opens a device gets the self-test results of the first
 * opening, as from the server (gpu/served/).  Further contexts do not. */
extern bool fault_is_known;

/* Returns true if the device of fault_plan.real was opened with these kernels before, by this test
 * or an earlier test. */
bool fault_has_passed(void);

/* Counts since the last fault_restart; counts of live objects since the program began. */
struct fault_count {
    atomic_long calls, reads, launches;
    atomic_long faults;  /* calls that failed or hung, reads and launches that were wrong */
    atomic_long kernels; /* asked for */
    atomic_long loose;   /* launches in the queue of the last one that nobody has waited for */
    atomic_long strays;  /* copies from or to host memory that is not page-locked */
    atomic_long devices, queues, buffers, blocks, pins, events; /* alive */
};
extern struct fault_count fault_count;

/* Ends all faults; resets the counts except those of live objects. */
void fault_restart(void);

/* Lets the hanging call continue; no call hangs until the next fault_restart. */
void fault_answer(void);

/* Resets the counts of live objects. */
void fault_forget(void);

#endif
