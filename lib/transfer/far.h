/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Jobs whose caller is in another process. The engine (the code that runs the job) and the
 * caller (the thread that waits for the job) are in different processes, which both map a struct
 * far_block.
 *
 * The engine cannot use the caller's addresses. Instead it sends upcalls, one at a time: requests
 * that the caller's thread read, write or copy. The caller's thread grants an upcall only for
 * memory that its job names.
 *
 * A far address is an address of the caller with FAR_BIT set. The engine adds offsets to it as
 * to any address. If several devices share a job, the engine has a thread for each, and each
 * thread (share) sends its own upcalls (far_set). */
#ifndef MPGPU_FAR_H
#define MPGPU_FAR_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/process/executor.h"
#include "lib/process/lease.h"
#include "lib/transfer/staging_chunks.h"

/* Marks a far address: no address of a program on x86-64 or AArch64 has this bit. */
#define FAR_BIT ((uintptr_t)1 << 62)

static inline bool far_is_address(const void *p) {
    return ((uintptr_t)p & FAR_BIT) != 0;
}

enum far_kind {
    FAR_READ,    /* copy from the caller's memory to `buffer`, at most FAR_BUFFER bytes */
    FAR_WRITE,   /* copies from `buffer` */
    FAR_RESIDUE, /* compute the residue of limbs in the caller's memory */
    FAR_COPY,    /* copy chunks between the caller's memory and the staging ring, until `is_over` */
    FAR_ACQUIRE, /* a device will write to a result; FAR_RELEASE must follow soon */
    FAR_RELEASE, /* the device of the engine thread `share` has finished writing to all results */
    /* the answer will name device memory that the caller must release, so the caller must not
     * leave */
    FAR_KEEP,
    FAR_END /* the job has ended; the caller accepts no further request */
};

struct far_upcall {
    uint32_t kind;
    uint32_t is_down; /* FAR_COPY: copy from the ring to the caller's memory */
    /* FAR_ACQUIRE, FAR_RELEASE: number of the engine thread that asks, below FAR_SHARES */
    uint64_t share;
    /* Address and length of the memory. For FAR_ACQUIRE and FAR_WRITE, the address of memory in the
     * pool is a place: an offset in shared memory. */
    uint64_t address, bytes;
    uint64_t modulus;      /* FAR_RESIDUE: an odd number below 2^61 */
    uint64_t chunk, place; /* FAR_COPY: as in struct staging_chunks */
    /* FAR_COPY: number of threads that copy, including the caller's own thread */
    uint64_t threads;
};

enum {
    FAR_REQUEST = 2048,    /* bytes for lib/job/far_job.h */
    FAR_ENTERED = 4,       /* the most memory ranges of the caller that an engine thread uses */
    FAR_SHARES = 16,       /* maximum number of threads that run one job */
    FAR_BUFFER = 64 << 10, /* bytes */
    FAR_ROOM = 1 << 20,    /* bytes of the member `room`, which stores short operands and results */
    FAR_COPY_NS = 10000000 /* how long threads copy before their caller checks signals */
};

/* Memory that two processes map: the process with the engine, which runs the job, and the process
 * of the job's caller. Fields written by different processes are on different cache lines. */
struct far_block {
    _Alignas(64) atomic_uint asked; /* count of upcalls (requests) that the engine has sent */
    atomic_uint engine_sleeps;      /* until `granted` changes */
    struct executor_watch watch;    /* progress of the thread that runs the job */
    struct far_upcall upcall;
    struct staging_progress progress; /* of FAR_COPY */
    _Alignas(64) atomic_uint granted; /* count of upcalls (requests) that the caller has answered */
    atomic_uint caller_sleeps;        /* until `asked` changes */
    atomic_uint has_left;             /* the caller no longer waits for the job */
    /* the caller has refused the latest request, and thus has left the job */
    uint32_t is_refused;
    uint64_t value; /* the residue */
    _Alignas(64) _Atomic uint64_t mark[STAGING_MARKS];
    _Alignas(64) unsigned char request[FAR_REQUEST];
    _Alignas(64) unsigned char buffer[FAR_BUFFER];
    _Alignas(4096) unsigned char room[FAR_ROOM];
};

/* ---- for the engine: the code that runs the job */

/* One job, as the process that runs it sees it. Threads that run the job first call far_set. Then
 * they send requests for the caller's memory (upcalls). */
struct far_caller {
    struct far_block *block;
    /* staging ring of the caller (staging_open_far), if the job has far addresses */
    struct staging *ring;
    /* Returns true if the caller's process has ended, or if this process must stop the job. */
    bool (*is_gone)(void *of);
    /* Returns true if the device itself can copy to and from {p, bytes}. */
    bool (*reaches)(void *of, const void *p, size_t bytes);
    /* Returns the place (lib/job/far_job.h) of {p, bytes} if this is memory of the caller's
     * pool, otherwise 0. */
    uint64_t (*place)(void *of, const void *p, size_t bytes);
    void *of;
    pthread_mutex_t mutex; /* locked while a request is sent and answered */
    unsigned upcalls;      /* count of requests sent so far */
    atomic_bool has_left;
    bool is_shared;     /* several threads of this process run the job now */
    bool may_be_shared; /* several devices may run the job together */
    bool wants_times;   /* the caller keeps statistics, so this process must measure times */
    bool was_wrong;     /* a result of several devices was wrong, and it is not known whose part */
    atomic_uint failed; /* devices that have failed in this job, a bit each */
};

/* Makes the calling thread one of the threads that run a job of *caller; `share` is its number
 * among them. A NULL `caller` ends this. Returns false if memory is exhausted; the thread must not
 * run the job then. */
bool far_set(struct far_caller *caller, unsigned share);

/* Returns the caller of this thread's job if it is in another process, otherwise NULL. */
struct far_caller *far_here(void);

/* Reports to the caller that its job has ended. */
void far_tell_end(struct far_caller *f);

/* Makes the caller compute the residue of {x, n} modulo m, and sets *residue to it. Returns
 * false if the caller has left the job. */
bool far_residue(struct far_caller *f, uint64_t *residue, const uint64_t *x, size_t n, uint64_t m);

/* Implement caller_enter, caller_leave and caller_write for a caller in another process. */
const void *far_enter(struct far_caller *f, const void *p, size_t bytes);
void far_leave(void);
bool far_write(struct far_caller *f, uint64_t to, const void *from, size_t bytes);

/* Implement caller_acquire and caller_release for {place, bytes} in the caller's pool. */
bool far_acquire(struct far_caller *f, uint64_t place, size_t bytes);
bool far_release(struct far_caller *f);

/* Announces that the job's answer names device memory that the caller must release. Returns
 * false if the caller has left the job and will get no answer. */
bool far_keep(struct far_caller *f);

/* Makes `threads` threads of the process behind `f` copy chunks. f->mutex must be locked. Call
 * far_end_copy afterwards: when it returns, none of these threads copies. */
bool far_begin_copy(struct far_caller *f, struct staging_chunks *c, unsigned threads);
void far_end_copy(struct far_caller *f);

/* Returns true if the caller has refused a request, has ended, or has not answered for some seconds
 * after the time `since` (of event_clock). */
bool far_has_left(struct far_caller *f, int64_t since);

/* Returns true if the caller no longer waits for the job. Call it in a thread that waits for
 * another thread of the job, which may be inside a device that does not answer. */
bool far_is_over(struct far_caller *f);

/* ---- for the caller: the thread that waits for the job */

struct far_job {
    struct far_block *block;
    struct lease *lease;
    struct staging_memory ring; /* of this process */
    unsigned upcalls;           /* count of requests answered so far */
    /* Returns true if the job may read {p, bytes}, or write to it if `writes` is set. */
    bool (*allows)(void *of, const void *p, size_t bytes, bool writes);
    void *of;
    /* Returns the address of {place, bytes}, or NULL if this is not inside a result of the job.
     * `place` is an offset in shared memory. */
    void *(*result)(void *of, uint64_t place, size_t bytes);
    uint64_t (*residue)(const uint64_t *x, size_t n, uint64_t m);
    bool (*is_lost)(void); /* returns true if the process that runs the job has ended */
    /* for each thread of the engine: count of acquired ranges not yet released */
    int acquired[FAR_SHARES];
    bool has_ended; /* the process that runs the job has sent FAR_END */
    bool keeps;     /* FAR_KEEP was granted: from now on no signal handler runs during the wait */
    struct executor_patience patience;
    int64_t looked; /* when signals were last checked, by event_clock */
};

/* Allocates a block for jobs that the device's process runs for this process. */
enum gpu_status far_open(const struct gpu_device *dev, struct far_block **block);

/* Prepares the block for the next job: makes both processes' counts of requests (upcalls) equal.
 * Call it before the job is sent. `seconds`: how long the engine may show no progress. */
void far_prepare(struct far_job *j, double seconds);

/* Waits at most `ns` nanoseconds for a request (upcall) of the engine, and answers it. Signal
 * handlers of the program run during the wait (signal_guard_let_pass). Returns GPU_SERVED_LEFT
 * if a handler took too long, or if the engine showed no progress for too long: the caller must
 * then not use *job any more. */
enum gpu_served far_serve(void *job, int64_t ns);

/* Marks the job of this block as left: its caller does not wait for it any more, and the process
 * that runs it will end it soon. */
void far_leave_job(struct far_block *b);

/* If the option `clear` is set, clears the data of a job in the block, including the first `bytes`
 * bytes of its room. */
void far_wipe(struct far_block *b, size_t bytes);

/* Ends the job. Call it when the engine will get no more answers. If the job has not ended,
 * memory to which the device may still write remains acquired. Returns false if the device did
 * not answer in time, so that results lack its data (lease_release). */
bool far_finish(struct far_job *j);

#endif
