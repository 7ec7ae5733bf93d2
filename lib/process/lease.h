/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A lease is the permission of this library's threads to access the program's memory for a job.
 * There is one for each stream of a device. The job's caller waits while other threads do the job.
 *
 * Before the caller runs a signal handler of the program, it suspends the lease, because the
 * handler may leave by longjmp, or end the thread or the program. If the handler returns, the
 * caller resumes the lease and the job continues. If the handler takes too long, ends its thread,
 * or leaves by longjmp and the thread makes another call, the lease is revoked and the job ends.
 * While the lease is suspended, and after it was revoked, no thread of this library accesses the
 * program's memory. */
#ifndef MPGPU_LEASE_H
#define MPGPU_LEASE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/gpu.h"
#include "lib/process/access_guard.h"

/* How long a signal handler may run, in nanoseconds. After that, the interrupted job loses its
 * lease (the permission to access the program's memory), or a small product loses its slot
 * (lib/multiply/direct.h). */
enum { LEASE_PATIENCE_NS = 250000000 };

/* A lease: the permission to access the program's memory for a job. It must be all zero at first,
 * except for `guard`, the access guard of its device (lib/process/access_guard.h). */
struct lease {
    struct access_guard *guard;
    /* STATES (lease.c) times the job's number, plus the kind of the state */
    atomic_uint state;
    atomic_int inside;        /* count of threads that access the program's memory now */
    atomic_int acquired;      /* the part of `inside` that lease_acquire has added */
    atomic_bool has_written;  /* the job may have begun to write results */
    _Atomic int64_t began;    /* time at which the job began, by event_clock */
    _Atomic int64_t since;    /* time at which the lease was suspended */
    _Atomic int64_t patience; /* how long the lease may stay suspended, in nanoseconds */
    atomic_int thread;        /* the id of the thread that suspended the lease */
};

/* ---- functions for the job's caller, which waits */

/* Begins a job, and allows this library's threads to access the program's memory. The previous job
 * with this lease must have ended. is_patient: the job accesses only device memory, and its lease
 * may stay suspended for 10 s instead of LEASE_PATIENCE_NS. */
void lease_begin(struct lease *h, bool is_patient);

/* Suspends the lease (permission to access the program's memory) before a signal handler runs.
 * Returns false and changes nothing if the job has ended, or if a copy takes longer than some
 * milliseconds. After it has returned true, no thread of this library accesses the program's
 * memory. If the handler returns, call lease_resume with *state. */
bool lease_suspend(struct lease *h, unsigned *state);

/* Resumes the lease (permission to access the program's memory) after the signal handler. Returns
 * false if the lease was revoked during the handler: the job then no longer belongs to this
 * thread. */
bool lease_resume(struct lease *h, unsigned state);

/* Revokes the lease: from now on, no thread of this library accesses the program's memory for this
 * job. Call it if a signal handler has left the job by longjmp. */
void lease_revoke(struct lease *h, unsigned state);

/* Returns true if the job with this state may have begun to write results. */
bool lease_has_written(struct lease *h, unsigned state);

/* Returns true if the lease (permission to access memory) of the latest job was revoked, and
 * lease_reuse has not been called for it yet. Any thread may call it. */
bool lease_is_revoked(struct lease *h);

/* Returns true if the latest job began with is_patient, its caller has left it, and lease_reuse has
 * not been called for it yet. Any thread may call it. */
bool lease_is_abandoned(struct lease *h);

/* Returns true if the lease (permission to access memory) of any job is suspended, or was revoked
 * without a call of lease_reuse since. The device may then still access the program's memory. Any
 * thread may call it. */
bool lease_any_is_suspended(void);

/* ---- functions for the threads that do the job */

/* Call it before accessing the program's memory for a job. Waits while the lease is suspended.
 * Returns false if the lease was revoked or the access guard is closed. Otherwise the caller must
 * soon call lease_leave, without waiting in between. */
bool lease_enter(struct lease *h);
void lease_leave(struct lease *h);

/* Does the same as lease_enter, and records that the job begins to write results. */
bool lease_enter_result(struct lease *h);

/* Does the same as lease_enter, before the device itself is asked to write {p, bytes}
 * (access_guard_acquire). The caller must call lease_release within milliseconds. Also returns
 * false if the access guard has no free entry. */
bool lease_acquire(struct lease *h, void *p, size_t bytes);

/* Releases all memory that lease_acquire has acquired. The device must no longer access it. Returns
 * false if the access guard is closed (access_guard_release). */
bool lease_release(struct lease *h);

/* Do the same as lease_acquire and lease_release for one of several owners of memory that share a
 * lease. Each owner counts its acquired memory ranges, and passes this count to
 * lease_release_for. */
bool lease_acquire_for(struct lease *h, const void *owner, void *p, size_t bytes);
bool lease_release_for(struct lease *h, const void *owner, int count);

/* Returns the reason why lease_enter, lease_acquire or a similar function returned false: GPU_LEFT
 * if the lease was revoked, otherwise GPU_FAILED. */
enum gpu_status lease_refusal(struct lease *h);

/* Returns true if the job must end, because its caller no longer waits for it. Call it between the
 * steps of a job. */
bool lease_is_over(struct lease *h);

/* Ends the job. Waits while the lease (permission to access memory) is suspended. Returns false if
 * it was revoked: the calling thread must then release the job's resources and call lease_reuse. */
bool lease_end(struct lease *h);

/* Marks a job as ended whose lease (permission to access memory) was revoked, so that another job
 * can begin. Call it after the device has ended its work. Returns true only in the first call for a
 * job. */
bool lease_reuse(struct lease *h);

#endif
