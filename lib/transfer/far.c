/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Upcalls (requests of the engine for the caller's memory): how the engine sends them, and how
 * the caller's thread grants them. */
#include "lib/transfer/far.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/futex.h"
#include "lib/base/ceil_div.h"
#include "lib/base/min.h"
#include "lib/base/stats.h"
#include "lib/memory/wipe.h"
#include "lib/process/backoff.h"
#include "lib/process/executor.h"
#include "lib/process/interrupted.h"
#include "lib/process/signal_guard.h"
#include "lib/process/thread_pool.h"
#include "lib/transfer/caller_memory.h"

/* How long the engine (which runs the job) waits for an answer of the caller, whose process may be
 * stopped. Long requests get more time: at least one byte per nanosecond is assumed. */
#define PATIENCE_NS ((int64_t)2000000000)
enum { SPIN_NS = 200000, LOOK_NS = 50000000, BYTES_A_NS = 1 };

static THREAD_MEMORY struct far_thread {
    struct far_caller *caller;
    unsigned share;
    bool has_acquired; /* not yet released */
    /* copy of a range for which this thread has called caller_enter; NULL if the range is this
     * process's memory */
    void *copy[FAR_ENTERED];
    size_t copied[FAR_ENTERED]; /* its bytes */
    unsigned entered;
} here;

bool far_set(struct far_caller *caller, unsigned share) {
    struct far_thread *mine = THREAD_MEMORY_GET(here);
    if (!mine)
        return false;
    if (mine->caller != caller)
        *mine = (struct far_thread){.caller = caller, .share = share};
    executor_set_watch(caller ? &caller->block->watch : NULL);
    stats_ask(caller && caller->wants_times);
    return true;
}

struct far_caller *far_here(void) {
    const struct far_thread *mine = THREAD_MEMORY_FIND(here);
    return mine ? mine->caller : NULL;
}

/* Returns this thread's state. The thread has called far_set. */
static struct far_thread *thread_here(void) {
    return THREAD_MEMORY_FIND(here);
}

static void *address_of(uint64_t far) {
    return (void *)((uintptr_t)far & ~FAR_BIT);
}

static void wake(atomic_uint *word, atomic_uint *sleeps) {
    if (atomic_load(sleeps))
        futex_wake(word);
}

/* Sleeps for at most `ns` nanoseconds, unless *word differs from `value`. Sets *sleeps during the
 * sleep, so that the other process wakes this thread. */
static void sleep_on(atomic_uint *word, atomic_uint *sleeps, unsigned value, int64_t ns) {
    atomic_store(sleeps, 1);
    if (atomic_load(word) == value)
        futex_sleep(word, value, ns);
    atomic_store(sleeps, 0);
}

/* ---- functions for the process that runs the job */

bool far_has_left(struct far_caller *f, int64_t since) {
    if (!f->has_left)
        f->has_left = f->is_gone(f->of) || event_clock() - since > PATIENCE_NS;
    return f->has_left;
}

bool far_is_over(struct far_caller *f) {
    if (atomic_load(&f->block->has_left) || f->is_gone(f->of))
        f->has_left = true;
    return f->has_left;
}

static void post(struct far_caller *f, const struct far_upcall *upcall) {
    f->block->upcall = *upcall;
    f->upcalls++;
    atomic_store(&f->block->asked, f->upcalls);
    wake(&f->block->asked, &f->block->caller_sleeps);
}

/* Waits until the caller has answered the engine's request (upcall). Returns false if it has
 * refused the request or left the job. */
static bool await_grant(struct far_caller *f, uint64_t bytes) {
    struct far_block *b = f->block;
    struct backoff spin = {.spin_ns = SPIN_NS};
    const int64_t since = event_clock() + (int64_t)(bytes / BYTES_A_NS);
    unsigned granted;
    while ((granted = atomic_load(&b->granted)) != f->upcalls) {
        if (backoff_spin(&spin))
            continue;
        if (far_has_left(f, since) || far_is_over(f))
            return false;
        sleep_on(&b->granted, &b->engine_sleeps, granted, LOOK_NS);
    }
    if (b->is_refused)
        f->has_left = true;
    return !f->has_left;
}

/* Sends the engine's request (upcall) to the caller and waits for the answer. f->mutex must be
 * locked. */
static bool ask(struct far_caller *f, const struct far_upcall *upcall) {
    if (f->has_left)
        return false;
    post(f, upcall);
    return await_grant(f, upcall->bytes);
}

static bool ask_alone(struct far_caller *f, const struct far_upcall *upcall) {
    pthread_mutex_lock(&f->mutex);
    const bool is_granted = ask(f, upcall);
    pthread_mutex_unlock(&f->mutex);
    return is_granted;
}

bool far_acquire(struct far_caller *f, uint64_t place, size_t bytes) {
    const struct far_upcall upcall = {
        .kind = FAR_ACQUIRE, .address = place, .bytes = bytes, .share = thread_here()->share};
    thread_here()->has_acquired = true;
    return ask_alone(f, &upcall);
}

bool far_release(struct far_caller *f) {
    const struct far_upcall upcall = {.kind = FAR_RELEASE, .share = thread_here()->share};
    const bool has_acquired = thread_here()->has_acquired;
    thread_here()->has_acquired = false;
    return !has_acquired || ask_alone(f, &upcall);
}

bool far_keep(struct far_caller *f) {
    return ask_alone(f, &(struct far_upcall){.kind = FAR_KEEP});
}

void far_tell_end(struct far_caller *f) {
    post(f, &(struct far_upcall){.kind = FAR_END});
}

bool far_residue(struct far_caller *f, uint64_t *residue, const uint64_t *x, size_t n, uint64_t m) {
    const struct far_upcall upcall = {
        .kind = FAR_RESIDUE, .address = (uintptr_t)x, .bytes = n * sizeof *x, .modulus = m};
    pthread_mutex_lock(&f->mutex);
    const bool is_here = ask(f, &upcall);
    *residue = is_here ? f->block->value % m : 0;
    pthread_mutex_unlock(&f->mutex);
    return is_here;
}

static bool read_all(struct far_caller *f, char *to, const char *from, size_t bytes) {
    bool is_here = true;
    for (size_t at = 0, n; at < bytes && is_here; at += n) {
        n = bytes - at < FAR_BUFFER ? bytes - at : FAR_BUFFER;
        pthread_mutex_lock(&f->mutex);
        is_here = ask(
            f, &(struct far_upcall){.kind = FAR_READ, .address = (uintptr_t)from + at, .bytes = n});
        if (is_here)
            memcpy(to + at, f->block->buffer, n);
        pthread_mutex_unlock(&f->mutex);
    }
    return is_here;
}

bool far_write(struct far_caller *f, uint64_t to, const void *from, size_t bytes) {
    bool is_here = true;
    for (size_t at = 0, n; at < bytes && is_here; at += n) {
        n = bytes - at < FAR_BUFFER ? bytes - at : FAR_BUFFER;
        pthread_mutex_lock(&f->mutex);
        memcpy(f->block->buffer, (const char *)from + at, n);
        is_here = ask(f, &(struct far_upcall){.kind = FAR_WRITE, .address = to + at, .bytes = n});
        pthread_mutex_unlock(&f->mutex);
    }
    return is_here;
}

const void *far_enter(struct far_caller *f, const void *p, size_t bytes) {
    struct far_thread *mine = thread_here();
    if (mine->entered == FAR_ENTERED)
        return NULL;
    void *copy = far_is_address(p) ? malloc(bytes ? bytes : 1) : NULL;
    if (far_is_address(p) && (!copy || !read_all(f, copy, p, bytes))) {
        free(copy);
        return NULL;
    }
    mine->copied[mine->entered] = bytes;
    mine->copy[mine->entered++] = copy;
    return copy ? copy : p;
}

void far_leave(void) {
    struct far_thread *mine = thread_here();
    mine->entered--;
    wipe_free(mine->copy[mine->entered], mine->copied[mine->entered]);
}

bool far_begin_copy(struct far_caller *f, struct staging_chunks *c, unsigned threads) {
    struct staging_progress *p = &f->block->progress;
    if (f->has_left)
        return false;
    atomic_store(&p->next, 0);
    atomic_store(&p->open, 0);
    atomic_store(&p->is_over, 0);
    c->progress = p;
    post(f, &(struct far_upcall){.kind = FAR_COPY,
                                 .is_down = c->is_down,
                                 .address = (uintptr_t)c->host,
                                 .bytes = c->bytes,
                                 .chunk = c->chunk,
                                 .place = c->place,
                                 .threads = threads});
    return true;
}

void far_end_copy(struct far_caller *f) {
    atomic_store(&f->block->progress.is_over, 1);
    await_grant(f, 0);
}

/* ---- functions for the caller's process, which answer requests */

/* Answers the engine's request (upcall) to read, to write or to compute a residue: accesses the
 * memory if the job may use it. Returns false to refuse the request. */
static bool touch(struct far_job *j, const struct far_upcall *w) {
    const size_t bytes = (size_t)w->bytes;
    const bool writes = w->kind == FAR_WRITE, is_residue = w->kind == FAR_RESIDUE;
    const bool is_far = w->address & FAR_BIT;
    void *p = is_far || !writes ? address_of(w->address) : j->result(j->of, w->address, bytes);
    if (!p || !j->allows(j->of, p, bytes, writes) || (!is_residue && bytes > FAR_BUFFER))
        return false;
    if (is_residue && (!(w->modulus & 1) || w->modulus >> 61))
        return false;
    if (!(writes ? lease_enter_result(j->lease) : lease_enter(j->lease)))
        return false;
    if (is_residue)
        j->block->value = j->residue(p, bytes / sizeof(uint64_t), w->modulus);
    else
        memcpy(writes ? p : j->block->buffer, writes ? j->block->buffer : p, bytes);
    lease_leave(j->lease);
    return true;
}

/* Answers the request FAR_ACQUIRE: prepares whole pages of a result for a device that will write
 * to them (lease_acquire_for). w->share is the number of the device's thread. */
static bool acquire(struct far_job *j, const struct far_upcall *w) {
    void *p = w->share < FAR_SHARES ? j->result(j->of, w->address, (size_t)w->bytes) : NULL;
    const bool is_acquired =
        p && lease_acquire_for(j->lease, &j->acquired[w->share], p, (size_t)w->bytes);
    j->acquired[is_acquired ? w->share : 0] += is_acquired;
    return is_acquired;
}

static bool release(struct far_job *j, uint64_t share) {
    if (share >= FAR_SHARES)
        return false;
    const int count = j->acquired[share];
    j->acquired[share] = 0;
    return lease_release_for(j->lease, &j->acquired[share], count);
}

static bool grant(struct far_job *j, const struct far_upcall *w) {
    switch (w->kind) {
    case FAR_READ:
    case FAR_WRITE:
    case FAR_RESIDUE:
        return touch(j, w);
    case FAR_ACQUIRE:
        return acquire(j, w);
    case FAR_RELEASE:
        return release(j, w->share);
    case FAR_KEEP:
        return j->keeps = true;
    default:
        return false;
    }
}

enum gpu_status far_open(const struct gpu_device *dev, struct far_block **block) {
    void *host = NULL;
    enum gpu_status status = dev->backend->host_alloc(dev->impl, sizeof **block, &host);
    *block = host;
    if (host)
        memset(host, 0, offsetof(struct far_block, room));
    return status;
}

void far_prepare(struct far_job *j, double seconds) {
    j->upcalls = atomic_load(&j->block->asked);
    j->patience = executor_patience_begin(&j->block->watch, seconds);
    j->looked = event_clock();
    atomic_store(&j->block->has_left, 0);
    atomic_store(&j->block->granted, j->upcalls);
}

void far_leave_job(struct far_block *b) {
    atomic_store(&b->has_left, 1);
}

void far_wipe(struct far_block *b, size_t bytes) {
    wipe(b->room, bytes);
    wipe(b->buffer, sizeof b->buffer);
    wipe(b->request, sizeof b->request);
}

static bool is_asked(const struct far_job *j) {
    return atomic_load(&j->block->asked) != j->upcalls;
}

/* At regular times, runs pending signal handlers and checks the watchdog. Returns false if the
 * caller stops waiting for the job. */
static bool look(struct far_job *j) {
    if (event_clock() - j->looked < SIGNAL_GUARD_LOOK_NS)
        return true;
    if (j->keeps)
        signal_guard_take_defaults();
    else if (!signal_guard_let_pass())
        return false;
    j->looked = event_clock();
    const bool is_over = executor_patience_is_over(&j->patience);
    if (is_over || access_guard_is_closed(j->lease->guard))
        far_leave_job(j->block);
    return !is_over;
}

static void copy_part(void *chunks, unsigned i) {
    (void)i;
    staging_chunks_copy(chunks);
}

/* Copies chunks as they become ready, in up to `asked` threads. Between chunks, checks signals
 * and the engine's progress, because the device may be slow or hang. In a signal handler only
 * this thread copies, because starting threads calls malloc, which the signal may have
 * interrupted. */
static enum gpu_served copy_all(struct far_job *j, struct staging_chunks *c, uint64_t asked) {
    const bool is_alone = asked <= 1 || interrupted();
    const unsigned threads =
        is_alone ? 1 : (unsigned)min_u64(asked, thread_pool_widen(thread_pool_width(), c->bytes));
    for (;;) {
        thread_pool_run(threads, copy_part, c);
        if (staging_chunks_are_over(c))
            return GPU_SERVED_SOME;
        if (j->is_lost())
            return GPU_SERVED_NOTHING;
        if (!look(j))
            return GPU_SERVED_LEFT;
    }
}

static enum gpu_served copy(struct far_job *j, const struct far_upcall *w) {
    struct staging_chunks c = {.memory = &j->ring,
                               .host = address_of(w->address),
                               .bytes = (size_t)w->bytes,
                               .chunk = (size_t)w->chunk,
                               .place = w->place,
                               .is_down = w->is_down != 0,
                               .progress = &j->block->progress};
    j->block->is_refused = c.bytes == 0 || (c.chunk & (c.chunk - 1)) || c.chunk < LEAST_CHUNK ||
                           c.chunk > LARGE_CHUNK || c.place % c.chunk ||
                           !j->allows(j->of, c.host, c.bytes, c.is_down);
    if (j->block->is_refused)
        return GPU_SERVED_SOME;
    c.count = ceil_div(c.bytes, c.chunk);
    return copy_all(j, &c, w->threads);
}

/* Waits at most `ns` nanoseconds for a request (upcall) of the engine. Returns GPU_SERVED_SOME if
 * there is one. */
static enum gpu_served await_upcall(struct far_job *j, int64_t ns) {
    struct far_block *b = j->block;
    struct backoff spin = {.spin_ns = executor_spin_ns()};
    while (!is_asked(j) && backoff_spin(&spin))
        continue;
    for (const int64_t end = event_clock() + ns;;) {
        if (!look(j))
            return GPU_SERVED_LEFT;
        const int64_t left = end - event_clock();
        if (is_asked(j) || left <= 0)
            return is_asked(j) ? GPU_SERVED_SOME : GPU_SERVED_NOTHING;
        sleep_on(&b->asked, &b->caller_sleeps, j->upcalls,
                 left < SIGNAL_GUARD_LOOK_NS ? left : SIGNAL_GUARD_LOOK_NS);
    }
}

enum gpu_served far_serve(void *job, int64_t ns) {
    struct far_job *j = job;
    struct far_block *b = j->block;
    enum gpu_served served = await_upcall(j, ns);
    if (served != GPU_SERVED_SOME)
        return served;
    const struct far_upcall upcall = b->upcall;
    j->upcalls++;
    j->has_ended = upcall.kind == FAR_END;
    if (upcall.kind == FAR_COPY)
        served = copy(j, &upcall);
    else if (upcall.kind == FAR_END)
        served = GPU_SERVED_ALL;
    else
        b->is_refused = !grant(j, &upcall);
    if (served != GPU_SERVED_SOME && served != GPU_SERVED_ALL)
        return served;
    atomic_store(&b->granted, j->upcalls);
    wake(&b->granted, &b->engine_sleeps);
    return served;
}

bool far_finish(struct far_job *j) {
    bool is_valid = true;
    for (unsigned i = 0; i < FAR_SHARES && j->has_ended; i++)
        is_valid = (j->acquired[i] == 0 || release(j, i)) && is_valid;
    return is_valid;
}
