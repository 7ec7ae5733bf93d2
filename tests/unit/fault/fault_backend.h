/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A backend for tests: a real backend with injected failures, wrong words and memory limits, which
 * counts allocations and releases. The real device is opened once and keeps its programs, so that
 * later sessions open it fast. */
#ifndef MPGPU_TEST_FAULT_BACKEND_H
#define MPGPU_TEST_FAULT_BACKEND_H

#include <stdatomic.h>
#include <stdbool.h>

#include "gpu/gpu.h"

extern const struct gpu_backend fault_backend;

/* The real backends that were compiled in; the list ends with NULL. */
extern const struct gpu_backend *const fault_real_backends[];

/* A status in a fault plan: the call waits until the test calls fault_answer, and is executed
 * then. */
enum { FAULT_HANGS = -1 };

/* The planned faults. A "call" is a call of any backend function that returns a status, except
 * host_view. Calls, reads and launches are counted from 1; 0 means that none has the fault. */
struct fault_plan {
    const struct gpu_backend *real; /* the real backend; its first device is used */
    int devices;                    /* how many times the backend lists the real device */
    long call;                      /* number of the first call that fails */
    long every;                     /* if not 0, every `every`-th call after `call` fails, too */
    int status;                     /* what it returns */
    /* number of the read from the device that returns a wrong word */
    long read;
    /* only reads of this many bytes are counted; read_most 0: no upper limit */
    size_t read_least, read_most;
    /* number of the launch after which the first word of its first buffer is changed; launches that
     * belong to checks are not counted */
    long launch;
    /* If not 0, the fault of `launch` changes any word of the number that the kernel writes,
     * instead of the first word. */
    int in_number;
    unsigned long bit; /* which bit is changed, modulo the number of bits */
    size_t most;       /* allocations of more bytes than this fail; 0: no limit */
    long queues;       /* how many queues can be open; 0: any number */
    /* number of the kernel request at which shutdown_begin() is called, as when the program
     * exits */
    long kernel;
    long refused; /* number of the request for a kernel that returns GPU_NOBUILD */
    int alone;    /* on a CPU only one kernel runs at a time, in all queues */
};
extern struct fault_plan fault_plan;

/* If true, a session's first context gets the results of the self-tests from the device's first
 * opening. Further contexts get none. Change it only between sessions. */
extern bool fault_is_known;

/* Returns true if this test or an earlier one has opened the device of fault_plan.real with the
 * same kernels. */
bool fault_has_passed(void);

/* Counts of events since the last fault_restart, and counts of live objects since the program
 * began. */
struct fault_count {
    atomic_long calls, reads, launches;
    /* calls that failed or hung; reads and launches whose result was made wrong */
    atomic_long faults;
    atomic_long kernels; /* asked for */
    atomic_long
        /* launches that no thread has waited for yet, in the queue of the last launch */
        unwaited;
    atomic_long strays; /* copies from or to host memory that is not page-locked */
    atomic_long devices, queues, buffers, blocks, pins, events; /* alive */
};
extern struct fault_count fault_count;

/* The name of the kernel whose launch was last made wrong. */
extern const char *fault_spoiled;

/* The function of the backend whose call has failed or hung last, since fault_restart; or "none".
 */
extern const char *_Atomic fault_failed;

/* Returns a text about the planned faults and the function whose call failed, for error messages.
 * The text is valid until the next call. */
const char *fault_text(const struct fault_plan *plan);

/* Ends all faults, and resets all counts except those of live objects. */
void fault_restart(void);

/* Lets the hanging call continue. No further call hangs until the next fault_restart. */
void fault_answer(void);

/* Sets the counts of live objects to 0. */
void fault_forget(void);

#endif
