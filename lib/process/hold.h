/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A thread's hold on the memory that its job uses: one for each stream of a device.
 *
 * The thread waits while other threads of this library do the job. Before it runs a signal handler
 * of the program, it loosens the hold: the handler may leave by longjmp, end the thread or end the
 * program. While the hold is loose, and after it was dropped, no thread of this library touches the
 * program's memory. If the handler returns, the thread takes the hold back and the job continues.
 * If the handler does not return in time, or the thread makes another call, the hold is dropped and
 * the job ends. */
#ifndef MPGPU_HOLD_H
#define MPGPU_HOLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/gpu.h"
#include "lib/process/gate.h"

/* How long a signal handler may run before its thread loses its hold, or its slot of a small
 * product. */
enum { HOLD_PATIENCE_NS = 250000000 };

/* All zero at first, except for the gate of its device. */
struct hold {
    struct gate *gate;
    atomic_uint state;        /* an enum of hold.c, plus four times the job's number */
    atomic_int inside;        /* threads that touch the program's memory */
    atomic_int acquired;      /* of `inside`: for copies that the device makes */
    atomic_bool has_written;  /* the job has begun to write results */
    _Atomic int64_t began;    /* when the job began, by event_clock */
    _Atomic int64_t since;    /* when the hold was loosened */
    _Atomic int64_t patience; /* how long the hold may stay loose, in nanoseconds */
    atomic_int thread;        /* the id of the thread that loosened the hold */
};

/* ---- the thread that waits */

/* Begins a job. The hold's earlier job must have ended. Set is_patient if the job reads and writes
 * only device memory: its hold may then stay loose for 10 s instead of HOLD_PATIENCE_NS. */
void hold_begin(struct hold *h, bool is_patient);

/* Loosens the hold. Returns false, and changes nothing, if the job has ended or a copy takes longer
 * than some milliseconds. After true, no thread of this library touches the program's memory, and
 * hold_take_back should follow with *state. */
bool hold_let_go(struct hold *h, unsigned *state);

/* Takes the hold back. Returns false if the hold was dropped; the job then no longer belongs to
 * this thread. */
bool hold_take_back(struct hold *h, unsigned state);

/* Drops the hold. Call it if the thread has left the job by longjmp and makes another call. */
void hold_drop(struct hold *h, unsigned state);

/* Returns true if the job of that state may have begun to write results. */
bool hold_has_written(struct hold *h, unsigned state);

/* Returns true if the latest job was dropped and hold_settle has not yet been called for it. Any
 * thread. */
bool hold_is_dropped(struct hold *h);

/* Returns true if the latest job began with is_patient, its thread has left it, and hold_settle has
 * not yet been called. Any thread. */
bool hold_is_abandoned(struct hold *h);

/* Returns true if any hold is loose, or was dropped without a hold_settle so far. The device may
 * then use the program's memory. Any thread. */
bool hold_any_is_loose(void);

/* ---- threads that do the job */

/* Waits while the hold is loose. Returns false if it was dropped, or if the gate is shut. Otherwise
 * hold_leave must follow soon, without waiting in between. */
bool hold_enter(struct hold *h);
void hold_leave(struct hold *h);

/* Does the work of hold_enter, and records that the job begins to write results. */
bool hold_enter_result(struct hold *h);

/* As hold_enter, for memory that the device is asked to write (gate_acquire). hold_release must
 * follow within milliseconds. Returns false also if the gate has no entry free. */
bool hold_acquire(struct hold *h, void *p, size_t bytes);

/* Releases all acquired memory, which the device must no longer use. Returns false as gate_release
 * does. */
bool hold_release(struct hold *h);

/* Acquire and release for one of several users of the hold. Each user counts what it has acquired.
 */
bool hold_acquire_for(struct hold *h, const void *owner, void *p, size_t bytes);
bool hold_release_for(struct hold *h, const void *owner, int count);

/* Returns why one of these functions returned false: GPU_LEFT if the hold was dropped, otherwise
 * GPU_FAILED. */
enum gpu_status hold_refusal(struct hold *h);

/* Call it between steps. Returns true if the job must end, since no thread waits for it any more.
 */
bool hold_is_over(struct hold *h);

/* Ends the job; waits while the hold is loose. Returns false if it was dropped: the thread that did
 * the job then releases the job's resources and calls hold_settle. */
bool hold_end(struct hold *h);

/* Marks a dropped job as ended, so that the hold may begin another. Call it after the device has
 * ended its work. Returns true to the first caller. */
bool hold_settle(struct hold *h);

#endif
