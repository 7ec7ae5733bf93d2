/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A job whose caller is in another process. Both processes map a struct far_block. The engine
 * cannot use the caller's addresses. It sends wishes to the caller's thread, which waits for the
 * job: to read, write or copy, one at a time.
 *
 * A far address has FAR_BIT. The engine adds offsets to it as to any address. The caller's thread
 * grants a wish only for memory that its job names.
 *
 * If several devices share a job, the engine has a thread for each, which sends its own wishes
 * (far_set). */
#ifndef MPGPU_FAR_H
#define MPGPU_FAR_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/process/executor.h"
#include "lib/process/hold.h"
#include "lib/transfer/staging_chunks.h"

/* No address of a program on x86-64 or AArch64 has this bit. */
#define FAR_BIT ((uintptr_t)1 << 62)

static inline bool far_is_address(const void *p) {
    return ((uintptr_t)p & FAR_BIT) != 0;
}

enum far_kind {
    FAR_READ,    /* copies to `buffer`, at most FAR_BUFFER bytes */
    FAR_WRITE,   /* copies from `buffer` */
    FAR_RESIDUE, /* computes the residue of limbs */
    FAR_COPY,    /* copies chunks between its memory and the staging ring, until `is_over` */
    FAR_ACQUIRE, /* a share's device will write a result; FAR_RELEASE must follow soon */
    FAR_RELEASE, /* of all that this share has acquired */
    FAR_KEEP,    /* the answer names memory that the caller must release: it does not leave */
    FAR_END      /* the job has ended: the caller grants nothing more */
};

struct far_wish {
    uint32_t kind;
    uint32_t is_down;        /* FAR_COPY: from the ring */
    uint64_t share;          /* FAR_ACQUIRE, FAR_RELEASE: below FAR_SHARES */
    uint64_t address, bytes; /* FAR_ACQUIRE, FAR_WRITE: a place if in the pool */
    uint64_t modulus;        /* FAR_RESIDUE: odd, below 2^61 */
    uint64_t chunk, place;   /* FAR_COPY: as in struct staging_chunks */
    uint64_t threads;        /* FAR_COPY: to copy, the caller's included */
};

enum {
    FAR_REQUEST = 2048,    /* bytes for lib/job/far_job.h */
    FAR_ENTERED = 4,       /* ranges that a thread of the engine can read at once */
    FAR_SHARES = 16,       /* most threads of the engine for one job */
    FAR_BUFFER = 64 << 10, /* bytes */
    FAR_ROOM = 1 << 20,    /* bytes for short operands and results */
    FAR_COPY_NS = 10000000 /* threads copy for so long before their caller looks at signals */
};

/* Fields written by the engine and by the caller are on different cache lines. */
struct far_block {
    _Alignas(64) atomic_uint asked; /* count of wishes sent */
    atomic_uint engine_sleeps;      /* until `granted` changes */
    struct executor_watch watch;    /* of the engine's thread */
    struct far_wish wish;
    struct staging_progress progress; /* of FAR_COPY */
    _Alignas(64) atomic_uint granted; /* count of wishes granted */
    atomic_uint caller_sleeps;        /* until `asked` changes */
    atomic_uint has_left;             /* no thread waits for the job any more */
    uint32_t is_refused;              /* the last wish was refused: the caller has left */
    uint64_t value;                   /* the residue */
    _Alignas(64) _Atomic uint64_t mark[STAGING_MARKS];
    _Alignas(64) unsigned char request[FAR_REQUEST];
    _Alignas(64) unsigned char buffer[FAR_BUFFER];
    _Alignas(4096) unsigned char room[FAR_ROOM];
};

/* ---- the engine's side */

/* One job. Threads that run it call far_set, and then send wishes. */
struct far_caller {
    struct far_block *block;
    struct staging *ring; /* the caller's (staging_open_far), if the job has far addresses */
    /* Returns true if the caller's process has ended or should not be served any more. */
    bool (*is_gone)(void *of);
    /* Returns true if the device itself can copy to and from {p, bytes}. */
    bool (*reaches)(void *of, const void *p, size_t bytes);
    /* Returns the place (lib/job/far_job.h) of {p, bytes} in the caller's pool; 0 for other memory.
     */
    uint64_t (*place)(void *of, const void *p, size_t bytes);
    void *of;
    pthread_mutex_t mutex; /* locked for one wish */
    unsigned wishes;       /* count so far */
    atomic_bool has_left;
    bool is_shared;     /* several threads run it now */
    bool may_be_shared; /* several devices may run it */
    bool wants_times;   /* the caller keeps statistics */
    bool was_wrong;     /* a shared result was wrong, and the device is unknown */
    atomic_uint failed; /* devices of the engine that have failed, a bit each */
};

/* Makes the calling thread share number `share` of a job of *caller; NULL ends that. Returns false
 * without memory: the thread must not run the job. */
bool far_set(struct far_caller *caller, unsigned share);

/* Returns the caller of this thread's job; NULL if that is a thread of this process. */
struct far_caller *far_here(void);

/* Reports to the caller that its job has ended. */
void far_tell_end(struct far_caller *f);

/* Sets *residue to the residue of {x, n} modulo m, which the caller computes. Returns false if the
 * caller has left. */
bool far_residue(struct far_caller *f, uint64_t *residue, const uint64_t *x, size_t n, uint64_t m);

/* As caller_enter, caller_leave and caller_write. */
const void *far_enter(struct far_caller *f, const void *p, size_t bytes);
void far_leave(void);
bool far_write(struct far_caller *f, uint64_t to, const void *from, size_t bytes);

/* As caller_acquire and caller_release, for {place, bytes} in the caller's pool. */
bool far_acquire(struct far_caller *f, uint64_t place, size_t bytes);
bool far_release(struct far_caller *f);

/* Hands memory of the device to the caller.  Returns false if it has left: it gets no answer. */
bool far_keep(struct far_caller *f);

/* Asks for a copy of chunks by `threads` threads, with the mutex held.  far_end_copy must follow:
 * no thread of the caller copies then. */
bool far_begin_copy(struct far_caller *f, struct staging_chunks *c, unsigned threads);
void far_end_copy(struct far_caller *f);

/* Returns true if the caller has refused a wish, has ended, or has been silent for some seconds
 * since `since` (by event_clock). */
bool far_has_left(struct far_caller *f, int64_t since);

/* Returns true if no thread waits for the job any more. Called while a thread waits for another
 * thread of the job, which may be inside a device that does not answer. */
bool far_is_over(struct far_caller *f);

/* ---- the caller's side: the thread that waits for the job */

struct far_job {
    struct far_block *block;
    struct hold *hold;
    struct staging_memory ring; /* of this process */
    unsigned wishes;            /* count granted */
    /* Returns true if the job may read {p, bytes}, or write it if `writes`. */
    bool (*allows)(void *of, const void *p, size_t bytes, bool writes);
    void *of;
    /* Returns the address of {place, bytes} in a result, or NULL if it is not in one. */
    void *(*result)(void *of, uint64_t place, size_t bytes);
    uint64_t (*residue)(const uint64_t *x, size_t n, uint64_t m);
    bool (*is_lost)(void);    /* returns true if the engine's process has ended */
    int acquired[FAR_SHARES]; /* by each share, without a release so far */
    bool has_ended;           /* the engine has said so */
    bool keeps;               /* FAR_KEEP was granted: no handler of a signal runs */
    struct executor_patience patience;
    int64_t looked; /* at signals, by event_clock */
};

/* Allocates a block for jobs of this process in the process of the device. */
enum gpu_status far_open(const struct gpu_device *dev, struct far_block **block);

/* Synchronises the count of wishes.  Call it before the request is sent.  The engine may be silent
 * for `seconds`. */
void far_prepare(struct far_job *j, double seconds);

/* Waits at most `ns` nanoseconds for a wish of the engine, and grants it. Signal handlers of the
 * program run during the wait as in signal_guard_let_pass. Returns GPU_SERVED_LEFT if that returns
 * false, or if the engine was silent for too long: the caller must then not use *job. */
enum gpu_served far_serve(void *job, int64_t ns);

/* Marks the job of this block as left: no thread waits for it, and the engine ends it soon. */
void far_leave_job(struct far_block *b);

/* Clears what a job has left in the block, and in the first `bytes` bytes of its room. */
void far_wipe(struct far_block *b, size_t bytes);

/* Call it when the engine gets no more answers. If the job has not ended, memory that the device
 * may still write stays acquired. Returns false if the device's writes do not count (hold_release).
 */
bool far_finish(struct far_job *j);

#endif
