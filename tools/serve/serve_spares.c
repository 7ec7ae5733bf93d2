/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Allocates memory for the next clients in advance, because page-locking takes 10 ms.  Page-locking
 * delays other mappings and copies, so it is done when no client has connected recently. */
#include "config.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "gpu/host/pages.h"
#include "tools/serve/serve.h"

enum {
    SPARES = 3,
    OWN_SPARES = 1 /* the number of blocks of spare memory of each kind in a private server */,
    /* after a client has connected, spare memory is allocated only after this time; earlier if none
     * is left */
    QUIET_MS = 100
};

static struct spare {
    struct served_shared *shared;
    int file;
    bool is_locked;
} spares[SPARES];
static int count;

/* Spare regions, of the size that was requested last.  Most clients request the same size, that of
 * their memory pool. */
static struct region {
    void *begin;
    int file;
} regions[SPARES];
static int region_count;
static size_t region_bytes;
static bool is_refused; /* the last allocation of a spare region has failed */
static bool is_short;   /* the last allocation of spare shared memory has failed */
static bool is_resting; /* serve_spares_drop was called, so no spares are allocated */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wanted = PTHREAD_COND_INITIALIZER;
/* the time at which QUIET_MS have passed since the last client connected */
static struct timespec quiet;

/* ---- spare memory shared with a client */

static struct served_shared *make_shared(int *file) {
    void *p = serve_memory_make(SERVED_BYTES, file);
    return p == MAP_FAILED ? NULL : p;
}

/* Creates memory shared with a client and page-locks it.  If locking fails, the memory is used
 * anyway; copies are then slower. */
static struct served_shared *make_locked(int *file, bool *is_locked) {
    struct served_shared *shared = make_shared(file);
    if (!shared)
        return NULL;
    pages_advise(served_host(shared), SERVED_LOCKED_BYTES, MADV_POPULATE_WRITE);
    *is_locked = serve_memory_lock_pages(served_host(shared), SERVED_LOCKED_BYTES) == GPU_OK;
    if (!*is_locked)
        serve_log(2, "a client's memory is not page-locked: %s", gpu_error_text());
    return shared;
}

/* Records that a client has connected.  The caller holds the mutex. */
static void note_client(void) {
    clock_gettime(CLOCK_REALTIME, &quiet);
    quiet.tv_nsec += QUIET_MS * 1000000L;
    quiet.tv_sec += quiet.tv_nsec / 1000000000L;
    quiet.tv_nsec %= 1000000000L;
    is_short = false;
}

struct served_shared *serve_spares_shared(int *file, bool *is_locked) {
    pthread_mutex_lock(&mutex);
    struct spare spare = {0};
    if (count > 0)
        spare = spares[--count];
    note_client();
    pthread_cond_signal(&wanted);
    pthread_mutex_unlock(&mutex);
    *is_locked = false;
    if (!spare.shared)
        return make_shared(file);
    *file = spare.file;
    *is_locked = spare.is_locked;
    return spare.shared;
}

/* ---- regions */

static void *make_region(size_t bytes, int *file) {
    void *p = serve_memory_make(bytes, file);
    if (p != MAP_FAILED)
        madvise(p, bytes, MADV_HUGEPAGE);
    return p;
}

/* Releases spare regions whose size is not `bytes`.  The caller holds the mutex. */
static void drop_others(size_t bytes) {
    while (region_bytes != bytes && region_count > 0) {
        struct region *r = &regions[--region_count];
        munmap(r->begin, region_bytes);
        close(r->file);
    }
    region_bytes = bytes;
    is_refused = false;
}

void *serve_spares_region(size_t bytes, int *file) {
    struct region region = {MAP_FAILED, -1};
    pthread_mutex_lock(&mutex);
    drop_others(bytes);
    if (region_count > 0)
        region = regions[--region_count];
    pthread_cond_signal(&wanted);
    pthread_mutex_unlock(&mutex);
    if (region.begin == MAP_FAILED)
        return make_region(bytes, file);
    *file = region.file;
    return region.begin;
}

/* ---- the thread that allocates spares: its functions hold the mutex, except during an
 * allocation */

static int most(void) {
    return serve_owner_key() ? OWN_SPARES : SPARES;
}

static bool lacks_regions(void) {
    return region_bytes > 0 && !is_refused && region_count < most();
}

/* Allocates a spare region.  If that fails, tries again only after a client has requested one. */
static void add_region(void) {
    const size_t bytes = region_bytes;
    struct region region;
    pthread_mutex_unlock(&mutex);
    region.begin = make_region(bytes, &region.file);
    pthread_mutex_lock(&mutex);
    if (region.begin == MAP_FAILED) {
        is_refused = true;
    } else if (region_bytes == bytes) {
        regions[region_count++] = region;
    } else {
        munmap(region.begin, bytes);
        close(region.file);
    }
}

/* Allocates spare shared memory.  If that fails, tries again only after a client has connected.
 * Does nothing while devices are closed, because it could not be page-locked. */
static void add_shared(void) {
    struct spare spare = {0};
    pthread_mutex_unlock(&mutex);
    serve_idle_block();
    const bool is_closed = serve_idle_is_closed();
    if (!is_closed)
        spare.shared = make_locked(&spare.file, &spare.is_locked);
    pthread_mutex_lock(&mutex);
    if (spare.shared)
        spares[count++] = spare;
    is_short = !is_closed && !spare.shared;
    serve_idle_leave();
}

void serve_spares_drop(void) {
    pthread_mutex_lock(&mutex);
    is_resting = true;
    while (count > 0) {
        const struct spare *s = &spares[--count];
        serve_memory_release_spare(s->shared, s->is_locked);
        close(s->file);
    }
    pthread_mutex_unlock(&mutex);
}

void serve_spares_resume(void) {
    pthread_mutex_lock(&mutex);
    is_resting = false;
    pthread_cond_signal(&wanted);
    pthread_mutex_unlock(&mutex);
}

static bool lacks_shared(void) {
    return !is_short && count < most();
}

/* Waits until spare memory is needed.  If some is left, also waits until no client has connected
 * for QUIET_MS. */
static void wait_for_lack(void) {
    int rc = 0;
    while (is_resting || (!lacks_shared() && !lacks_regions()))
        pthread_cond_wait(&wanted, &mutex);
    while (count > 0 && rc == 0)
        rc = pthread_cond_timedwait(&wanted, &mutex, &quiet);
}

static void *make_spares(void *unused) {
    (void)unused;
    pthread_mutex_lock(&mutex);
    for (;;) {
        wait_for_lack();
        if (lacks_regions())
            add_region();
        else if (lacks_shared())
            add_shared();
    }
    return NULL;
}

void serve_spares_begin(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, make_spares, NULL) == 0)
        pthread_detach(thread);
}
