/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A thread's hold on the memory that its job works with: one for each stream of a device.
 *
 * The thread waits while threads of ours do the job.  Before it runs a signal handler of the
 * program it lets go, since the handler may leave by longjmp, end the thread or end the program.
 * While the hold is loose, and after it was dropped, no thread of ours touches the program's
 * memory.  If the handler returns, the thread takes the hold back and the job continues.  If it
 * does not return in time, or the thread makes another call, the hold is dropped and the job ends.
 */
#ifndef MPGPU_HOLD_H
#define MPGPU_HOLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/gpu.h"
#include "lib/process/gate.h"

/* How long a handler may take before what its thread has let go is given to others. */
enum { HOLD_PATIENCE_NS = 250000000 };

/* Zero at first, with the gate of its device. */
struct hold {
    struct gate *gate;
    atomic_uint state;        /* what is below, and four times the number of its job */
    atomic_int inside;        /* threads that touch the program's memory */
    atomic_int acquired;      /* of them: for copies that the device makes */
    atomic_bool has_written;  /* the job has begun to write results */
    _Atomic int64_t began;    /* when the job did, by event_clock */
    _Atomic int64_t since;    /* when it was let go */
    _Atomic int64_t patience; /* how long it stays loose, in nanoseconds */
    atomic_int thread;        /* the number of the thread that let it go */
};

/* ---- the thread that waits */

/* A job begins; no other is under way.  A patient one stays loose for longer: it works with what is
 * on a device alone. */
void hold_begin(struct hold *h, bool is_patient);

/* Returns false, and nothing changes, if the job has ended or a copy takes longer than some
 * milliseconds.  Otherwise no thread of ours touches the program's memory on return, and
 * hold_take_back should follow; *state is for it. */
bool hold_let_go(struct hold *h, unsigned *state);

/* Returns false if the hold was dropped: the job is no longer this thread's. */
bool hold_take_back(struct hold *h, unsigned state);

/* The thread that has let go does something else: it has left. */
void hold_drop(struct hold *h, unsigned state);

/* May the job of that state have begun to write results? */
bool hold_has_written(struct hold *h, unsigned state);

/* Is the latest job dropped, and not settled?  Any thread. */
bool hold_is_dropped(struct hold *h);

/* Is the latest job a patient one that its thread has left, and that is not settled?  Any thread.
 */
bool hold_is_abandoned(struct hold *h);

/* Is there a job of any hold that was let go, and neither taken back nor settled?  Then the device
 * may use memory of the program's.  Any thread. */
bool hold_any_is_loose(void);

/* ---- threads that do the job */

/* Waits while the hold is loose.  Returns false if it was dropped, or if the gate is shut.
 * Otherwise hold_leave must follow soon: no waiting in between. */
bool hold_enter(struct hold *h);
void hold_leave(struct hold *h);

/* The same before results are written. */
bool hold_enter_result(struct hold *h);

/* The same for what the device is asked to write (gate_acquire): hold_release must follow within
 * milliseconds.  False also where the gate cannot note it. */
bool hold_acquire(struct hold *h, void *p, size_t bytes);

/* The device is done with all that was acquired.  False: as gate_release. */
bool hold_release(struct hold *h);

/* The same for one of several that use the hold, which counts what it has acquired. */
bool hold_acquire_for(struct hold *h, const void *owner, void *p, size_t bytes);
bool hold_release_for(struct hold *h, const void *owner, int count);

/* Why one of these returned false: GPU_LEFT if the hold was dropped, otherwise GPU_FAILED. */
enum gpu_status hold_refusal(struct hold *h);

/* Called between steps: true if the job is to end, since nobody waits for it any more. */
bool hold_is_over(struct hold *h);

/* The job has ended.  Returns false if it was dropped: then the thread that did it releases what
 * the job has, and calls hold_settle.  Waits while the hold is loose. */
bool hold_end(struct hold *h);

/* The device has ended what a dropped job began.  Returns true for the first that says so. */
bool hold_settle(struct hold *h);

#endif
