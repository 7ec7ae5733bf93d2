/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A hold is the permission of this library's threads to access the program's memory for a job.
 * There is one for each stream of a device.
 * The job's caller waits while other threads do the job. Before the caller runs a signal handler of
 * the program, it suspends the hold, because the handler may leave by longjmp, or end the thread or
 * the program. While the hold is suspended, and after it was dropped, no thread of this library
 * accesses the program's memory.
 * If the handler returns, the caller resumes the hold and the job continues. If the handler does
 * not return in time, or the thread makes another call, the hold is dropped and the job ends. */
#ifndef MPGPU_HOLD_H
#define MPGPU_HOLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/gpu.h"
#include "lib/process/gate.h"

/* How long a signal handler may run, in nanoseconds. After that, the job of its thread loses the
 * permission to access the program's memory, or a small product loses its slot
 * (lib/multiply/direct.h). */
enum { HOLD_PATIENCE_NS = 250000000 };

/* A hold: the permission to access the program's memory for a job. It must be all zero at first,
 * except for `gate`, the gate of its device (lib/process/gate.h). */
struct hold {
    struct gate *gate;
    /* kind of state (an enum in hold.c), plus four times the job's number */
    atomic_uint state;
    atomic_int inside;        /* count of threads that access the program's memory now */
    atomic_int acquired;      /* part of `inside`: accesses by the device itself */
    atomic_bool has_written;  /* the job may have begun to write results */
    _Atomic int64_t began;    /* time at which the job began, by event_clock */
    _Atomic int64_t since;    /* time at which the hold was suspended */
    _Atomic int64_t patience; /* how long the hold may stay suspended, in nanoseconds */
    atomic_int thread;        /* the id of the thread that suspended the hold */
};

/* ---- functions for the job's caller, which waits */

/* Begins a job, and allows this library's threads to access the program's memory. The previous job
 * with this hold must have ended. Set is_patient if the job accesses only device memory: its hold
 * may then stay suspended for 10 s instead of HOLD_PATIENCE_NS. */
void hold_begin(struct hold *h, bool is_patient);

/* Suspends the hold (permission to access the program's memory) before a signal handler runs.
 * Returns false, and changes nothing, if the job has ended, or a copy takes longer than some
 * milliseconds. After true, no thread of this library accesses the program's memory. If the handler
 * returns, the caller must call hold_take_back with *state. */
bool hold_let_go(struct hold *h, unsigned *state);

/* Resumes the hold after the signal handler, so that the job continues. Returns false if the hold
 * was dropped during the handler: the job then no longer belongs to this thread. */
bool hold_take_back(struct hold *h, unsigned state);

/* Drops the hold, so that no thread of this library accesses the program's memory for this job any
 * more. Call it if a signal handler has left the job by longjmp and its thread makes another
 * call. */
void hold_drop(struct hold *h, unsigned state);

/* Returns true if the job with this state may have begun to write results. */
bool hold_has_written(struct hold *h, unsigned state);

/* Returns true if the hold (permission to access memory) of the latest job was dropped, and
 * hold_reuse has not been called for it yet. Any thread may call it. */
bool hold_is_dropped(struct hold *h);

/* Returns true if the latest job began with is_patient, its caller has left it, and hold_reuse has
 * not been called for it yet. Any thread may call it. */
bool hold_is_abandoned(struct hold *h);

/* Returns true if the hold (permission to access memory) of any job is suspended, or was dropped
 * and hold_reuse was not called for it yet. The device may then still access the program's memory.
 * Any thread may call it. */
bool hold_any_is_loose(void);

/* ---- functions for the threads that do the job */

/* Call it before accessing the program's memory for a job. Waits while the hold is suspended.
 * Returns false if the hold was dropped or the gate is shut. Otherwise the caller must soon call
 * hold_leave, without waiting in between. */
bool hold_enter(struct hold *h);
void hold_leave(struct hold *h);

/* Does the same as hold_enter, and records that the job begins to write results. */
bool hold_enter_result(struct hold *h);

/* Does the same as hold_enter, before the device itself is asked to write {p, bytes}
 * (gate_acquire). The caller must call hold_release within milliseconds. Also returns false if the
 * gate has no free entry. */
bool hold_acquire(struct hold *h, void *p, size_t bytes);

/* Releases all memory that hold_acquire has acquired. The device must no longer access it. Returns
 * false if the gate is shut (gate_release). */
bool hold_release(struct hold *h);

/* Do the same as hold_acquire and hold_release if several owners use one hold. Each owner counts
 * the memory ranges that it has acquired, and passes this count to hold_release_for. */
bool hold_acquire_for(struct hold *h, const void *owner, void *p, size_t bytes);
bool hold_release_for(struct hold *h, const void *owner, int count);

/* Returns the reason why hold_enter, hold_acquire or a similar function returned false: GPU_LEFT if
 * the hold was dropped, otherwise GPU_FAILED. */
enum gpu_status hold_refusal(struct hold *h);

/* Returns true if the job must end, because its caller no longer waits for it. Call it between the
 * steps of a job. */
bool hold_is_over(struct hold *h);

/* Ends the job. Waits while the hold (permission to access memory) is suspended. Returns false if
 * it was dropped: the calling thread must then release the job's resources and call hold_reuse. */
bool hold_end(struct hold *h);

/* Marks a job as ended whose hold (permission to access memory) was dropped, so that another job
 * can begin. Call it after the device has ended its work. Returns true only in the first call for a
 * job. */
bool hold_reuse(struct hold *h);

#endif
