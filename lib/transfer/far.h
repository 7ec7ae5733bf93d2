/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A job whose caller is another process.  Both processes see a struct far_block.  The engine cannot
 * use the caller's addresses.  It asks the caller's thread, which waits for the job, to read, write
 * or copy for it, one wish at a time.
 *
 * A far address has FAR_BIT.  The engine adds offsets to it as to any address.  The caller's thread
 * grants a wish only for memory that its job names.
 *
 * If several devices share a job, a thread of the engine for each asks (far_set). */
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

/* No address of a program on x86-64 or AArch64 has it. */
#define FAR_BIT ((uintptr_t)1 << 62)

static inline bool far_is_address(const void *p) {
    return ((uintptr_t)p & FAR_BIT) != 0;
}

enum far_kind {
    FAR_READ,    /* copies to `buffer`, FAR_BUFFER bytes at most */
    FAR_WRITE,   /* copies from it */
    FAR_RESIDUE, /* computes the residue of limbs */
    FAR_COPY,    /* copies chunks between its memory and the staging ring, until `is_over` */
    FAR_ACQUIRE, /* a share's device is to write a result; then FAR_RELEASE must follow soon */
    FAR_RELEASE, /* of all that this share has acquired */
    FAR_KEEP,    /* the answer names memory that the caller must release: it does not leave */
    FAR_END      /* the job has ended: nothing is to be granted */
};

struct far_wish {
    uint32_t kind;
    uint32_t is_down;        /* FAR_COPY: from the ring */
    uint64_t share;          /* FAR_ACQUIRE, FAR_RELEASE: below FAR_SHARES */
    uint64_t address, bytes; /* FAR_ACQUIRE, FAR_WRITE: a place if it is in the pool */
    uint64_t modulus;        /* FAR_RESIDUE: odd, below 2^61 */
    uint64_t chunk, place;   /* FAR_COPY: as in struct staging_chunks */
};

enum {
    FAR_REQUEST = 2048,    /* bytes of what lib/job/far_job.h puts there */
    FAR_ENTERED = 4,       /* ranges that a thread of the engine reads at once */
    FAR_SHARES = 16,       /* threads of the engine that work for a job, at most */
    FAR_BUFFER = 64 << 10, /* bytes */
    FAR_ROOM = 1 << 20,    /* bytes for short operands and results */
    FAR_COPY_NS = 10000000 /* threads copy for so long before their caller looks at signals */
};

/* What the engine writes lies apart from what the caller writes. */
struct far_block {
    _Alignas(64) atomic_uint asked; /* wishes so far */
    atomic_uint engine_sleeps;      /* until `granted` changes */
    struct executor_watch watch;    /* of the engine's thread */
    struct far_wish wish;
    struct staging_progress progress; /* of FAR_COPY */
    _Alignas(64) atomic_uint granted; /* wishes so far */
    atomic_uint caller_sleeps;        /* until `asked` changes */
    atomic_uint has_left;             /* nobody waits for the job any more */
    uint32_t is_refused;              /* the last wish: the caller has left */
    uint64_t value;                   /* the residue */
    _Alignas(64) _Atomic uint64_t mark[STAGING_MARKS];
    _Alignas(64) unsigned char request[FAR_REQUEST];
    _Alignas(64) unsigned char buffer[FAR_BUFFER];
    _Alignas(4096) unsigned char room[FAR_ROOM];
};

/* ---- the engine's side */

/* One job.  Threads that run it set it by far_set, and ask for wishes. */
struct far_caller {
    struct far_block *block;
    struct staging *ring; /* the caller's (staging_open_far), if the job has far addresses */
    /* Returns true if the caller's process has ended or is to be served no more. */
    bool (*is_gone)(void *of);
    /* Returns true if the device copies to {p, bytes} and from it by itself. */
    bool (*reaches)(void *of, const void *p, size_t bytes);
    /* Returns the place (lib/job/far_job.h) of {p, bytes} in the caller's pool; 0 for other memory.
     */
    uint64_t (*place)(void *of, const void *p, size_t bytes);
    void *of;
    pthread_mutex_t mutex; /* held for one wish */
    unsigned wishes;       /* so far */
    atomic_bool has_left;
    bool is_shared;     /* by several threads now */
    bool may_be_shared; /* by several devices */
    bool wants_times;   /* the caller keeps statistics */
    bool was_wrong;     /* what they made together was, and none of them is known to be */
    atomic_uint failed; /* devices of the engine that have, a bit each */
};

/* The calling thread is share number `share` of a job of *caller from now on, or with NULL no
 * longer.  Returns false without memory: the job must not run. */
bool far_set(struct far_caller *caller, unsigned share);

/* Returns the caller of the job that this thread works for; NULL if that is a thread of this
 * process. */
struct far_caller *far_here(void);

/* Tells the caller that its job has ended. */
void far_tell_end(struct far_caller *f);

/* Sets *residue to that of {x, n} modulo m; the caller computes it.  Returns false if it has left.
 */
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

/* Asks for a copy of chunks, with the mutex held.  far_end_copy must follow: no thread of the
 * caller copies then. */
bool far_begin_copy(struct far_caller *f, struct staging_chunks *c);
void far_end_copy(struct far_caller *f);

/* Returns true if the caller has refused a wish, has ended, or has been silent since `since` (by
 * event_clock) for some seconds. */
bool far_has_left(struct far_caller *f, int64_t since);

/* Returns true if nobody waits for the job any more.  Called while a thread waits for another one
 * of the job, which may be inside a device that does not answer. */
bool far_is_over(struct far_caller *f);

/* ---- the caller's side: the thread that waits for the job */

struct far_job {
    struct far_block *block;
    struct hold *hold;
    struct staging_memory ring; /* of its process */
    unsigned wishes;            /* granted so far */
    /* Returns true if the job may read {p, bytes}, or write it. */
    bool (*allows)(void *of, const void *p, size_t bytes, bool writes);
    void *of;
    /* Returns the address of {place, bytes} of a result, or NULL if it is none. */
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
 * for so many seconds. */
void far_prepare(struct far_job *j, double seconds);

/* Waits for at most `ns` nanoseconds until the engine asks, and grants the wish.  Signal handlers
 * of the program run meanwhile as signal_guard_let_pass says.  Returns GPU_SERVED_LEFT where that
 * returns false, or if the engine was silent for too long: then *job is not to be used. */
enum gpu_served far_serve(void *job, int64_t ns);

/* Nobody waits for the job of this block any more: the engine ends it soon. */
void far_leave_job(struct far_block *b);

/* Clears what a job has left in the block, and in so many bytes of its room. */
void far_wipe(struct far_block *b, size_t bytes);

/* Call it when the engine is asked no more.  If the job has not ended, what the device may yet
 * write stays acquired.  Returns false if what it has written does not count (hold_release). */
bool far_finish(struct far_job *j);

#endif
