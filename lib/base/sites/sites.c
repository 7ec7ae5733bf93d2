/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The file with a process's calls by call site. Threads add rows without a lock. So two threads may
 * add the same row twice; readers then use the sum of both rows. */
#define _GNU_SOURCE 1 /* mkostemp, program_invocation_short_name */
#include "config.h"

#include "lib/base/sites/sites.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/objects.h"
#include "lib/base/process.h"
#include "lib/base/syscall_filter.h"

static struct sites_file *_Atomic current; /* file of this process or, after fork, its parent's */
static atomic_bool is_refused;             /* no file could be created; a message has said why */

bool sites_are_wanted(void) {
    return *mpgpu_conf.stats_sites;
}

/* ---- the file */

/* Reserves the file's blocks: a write on a full disk would end the program by SIGBUS. Returns EFBIG
 * if the file exceeds the limit of file sizes, which would end the program by SIGXFSZ. */
static int reserve(int file) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < sizeof(struct sites_file))
        return EFBIG;
    return posix_fallocate(file, 0, sizeof(struct sites_file));
}

/* Returns the mapped file, or NULL with errno. */
static struct sites_file *map_new(void) {
    char path[sizeof mpgpu_conf.stats_sites + 32];
    snprintf(path, sizeof path, "%s/%ld.XXXXXX", mpgpu_conf.stats_sites, (long)getpid());
    if (syscall_filter_is_new()) {
        errno = EPERM;
        return NULL;
    }
    int file = mkostemp(path, O_CLOEXEC), error = file < 0 ? errno : reserve(file);
    void *map = MAP_FAILED;
    if (!error) {
        map = mmap(NULL, sizeof(struct sites_file), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        error = errno;
    }
    if (file >= 0)
        close(file);
    if (file >= 0 && map == MAP_FAILED)
        unlink(path);
    errno = error;
    return map == MAP_FAILED ? NULL : map;
}

static uint64_t nanoseconds(double seconds) {
    return (uint64_t)(seconds * 1e9);
}

static void begin_file(struct sites_file *f, bool is_child) {
    f->bytes = sizeof *f;
    f->began = nanoseconds(stats_clock()) - (is_child ? 0 : stats_elapsed());
    f->process = getpid();
    f->parent = getppid();
    snprintf(f->program, sizeof f->program, "%s", program_invocation_short_name);
    atomic_thread_fence(memory_order_release);
    f->magic = SITES_MAGIC;
}

static void refuse(void) {
    if (!atomic_exchange(&is_refused, true))
        mpgpu_say("no profile in %s: %s", mpgpu_conf.stats_sites, strerror(errno));
}

/* Makes this process's file, unless another thread does.  `old` is the parent's, or NULL. */
static struct sites_file *open_file(struct sites_file *old) {
    struct sites_file *f = atomic_load(&is_refused) ? NULL : map_new();
    if (!f) {
        refuse();
        return NULL;
    }
    begin_file(f, old != NULL);
    if (atomic_compare_exchange_strong(&current, &old, f))
        return f;
    munmap(f, sizeof *f); /* another thread has made the file; readers skip this one, since it has
                           * no rows */
    return old;
}

/* Returns this process's file of call sites, or NULL.  A child of fork gets its own file.  A child
 * that may share memory with its parent has none. */
static struct sites_file *file_of_process(void) {
    struct sites_file *f = atomic_load(&current);
    if (f && f->process == getpid())
        return f;
    return sites_are_wanted() && process_is_ours() ? open_file(f) : NULL;
}

void sites_init(void) {
    if (sites_are_wanted())
        call_site_init();
}

/* ---- modules */

/* Sets the program's path: the dynamic linker gives no path for the main program. */
static void name_program(struct sites_module *m) {
    ssize_t n = *m->path ? -1 : readlink("/proc/self/exe", m->path, sizeof m->path - 1);
    if (n >= 0)
        m->path[n] = '\0';
}

static bool is_known(struct sites_file *f, uint64_t address) {
    for (int i = 0; i < SITES_MODULES; i++) {
        const struct sites_module *m = &f->module[i];
        uint32_t state = atomic_load_explicit(&m->state, memory_order_acquire);
        if (state == SITES_FREE)
            return false;
        if (state == SITES_READY && address - m->from < m->to - m->from)
            return true;
    }
    return true; /* no room */
}

/* Adds the program or library that contains an address.  Code that is generated at run time is in
 * none. */
static void add_module(struct sites_file *f, uint64_t address) {
    if (!address || is_known(f, address))
        return;
    const struct object_info place = objects_info((const void *)(uintptr_t)address);
    if (!place.object)
        return;
    struct sites_module found = {.from = place.from, .to = place.to, .bias = place.bias};
    snprintf(found.path, sizeof found.path, "%s", place.path);
    name_program(&found);
    for (int i = 0; i < SITES_MODULES; i++) {
        struct sites_module *m = &f->module[i];
        uint32_t state = SITES_FREE;
        if (!atomic_compare_exchange_strong(&m->state, &state, SITES_CLAIMED))
            continue;
        m->from = found.from;
        m->to = found.to;
        m->bias = found.bias;
        memcpy(m->path, found.path, sizeof m->path);
        atomic_store_explicit(&m->state, SITES_READY, memory_order_release);
        return;
    }
}

/* ---- rows */

static int bits_of(uint64_t size) {
    return size ? 64 - __builtin_clzll(size) : 0;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const char *function, uint64_t bits, const struct call_site *at) {
    uint64_t hash = mix(mix(bits, at->program), (uintptr_t)function);
    for (int i = 0; i < CALL_SITE_FRAMES; i++)
        hash = mix(hash, at->frame[i]);
    for (const char *c = at->line; *c; c++)
        hash = mix(hash, (unsigned char)*c);
    return hash;
}

static bool is_same(const struct sites_row *r, const char *function, int bits,
                    const struct call_site *at) {
    return atomic_load_explicit(&r->state, memory_order_acquire) == SITES_READY &&
           memcmp(r->at.frame, at->frame, sizeof at->frame) == 0 && r->at.program == at->program &&
           bits_of(atomic_load_explicit(&r->most, memory_order_relaxed)) == bits &&
           strcmp(r->function, function) == 0 && strcmp(r->at.line, at->line) == 0;
}

static void fill(struct sites_file *f, struct sites_row *r, const char *function,
                 enum profile_threshold kind, const struct call_site *at) {
    r->kind = kind;
    snprintf(r->function, sizeof r->function, "%s", function);
    r->at = *at;
    for (int i = 0; i < CALL_SITE_FRAMES; i++)
        add_module(f, at->frame[i]);
    add_module(f, at->program);
}

/* Returns true for a function of mpgpu.h. Its thread may wait for Python's lock, because ctypes has
 * released this lock. A thread that calls GMP must not wait, because it may own locks of the
 * program. */
static bool is_of_library(const char *function) {
    return strncmp(function, "mpgpu_", 6) == 0;
}

static struct sites_row *find_row(struct sites_file *f, const char *function,
                                  enum profile_threshold kind, size_t size) {
    struct call_site at;
    const int bits = bits_of(size);
    call_site_find(&at, is_of_library(function));
    uint64_t hash = hash_of(function, (uint64_t)bits, &at);
    for (unsigned i = 0; i < SITES_MOST; i++) {
        struct sites_row *r = &f->row[(hash + i) % SITES_MOST];
        uint32_t state = SITES_FREE;
        if (is_same(r, function, bits, &at))
            return r;
        if (!atomic_compare_exchange_strong(&r->state, &state, SITES_CLAIMED))
            continue;
        fill(f, r, function, kind, &at);
        atomic_store(&r->least, size);
        atomic_store(&r->most, size);
        atomic_store_explicit(&r->state, SITES_READY, memory_order_release);
        return r;
    }
    return NULL;
}

/* Adds a size to a row. If two threads write the least or the largest size at the same time, one
 * value is lost, which does little harm. */
static void add_size(struct sites_row *r, uint64_t size) {
    atomic_fetch_add_explicit(&r->sizes, size, memory_order_relaxed);
    if (size < atomic_load_explicit(&r->least, memory_order_relaxed))
        atomic_store_explicit(&r->least, size, memory_order_relaxed);
    if (size > atomic_load_explicit(&r->most, memory_order_relaxed))
        atomic_store_explicit(&r->most, size, memory_order_relaxed);
}

static struct stats_row *count(struct sites_file *f, const char *function,
                               enum profile_threshold kind, size_t size) {
    struct sites_row *r = find_row(f, function, kind, size);
    if (r)
        add_size(r, size);
    else
        atomic_fetch_add(&f->lost, 1);
    return r ? &r->row : NULL;
}

/* ---- calls */

void sites_enter(double seconds) {
    struct sites_file *f = file_of_process();
    if (f && atomic_fetch_add(&f->inside, 1) == 0)
        atomic_store(&f->since, nanoseconds(seconds));
}

/* Records that a thread leaves a call.  In a child of fork f->inside is 0 if the call began before
 * the fork: then the call is not subtracted. */
static void leave(struct sites_file *f, uint64_t now) {
    const uint64_t since = atomic_load(&f->since);
    if (atomic_load(&f->inside) && atomic_fetch_sub(&f->inside, 1) == 1 && now > since)
        atomic_fetch_add(&f->busy, now - since);
    atomic_store(&f->elapsed, now - f->began);
}

struct stats_row *sites_leave(const char *function, enum profile_threshold kind, size_t size,
                              double seconds) {
    struct sites_file *f = file_of_process();
    if (!f)
        return NULL;
    leave(f, nanoseconds(seconds));
    return count(f, function, kind, size);
}

void sites_end(const char *reason) {
    struct sites_file *f = file_of_process();
    if (!f)
        return;
    if (reason)
        snprintf(f->reason, sizeof f->reason, "%s", reason);
    atomic_store(&f->elapsed, nanoseconds(stats_clock()) - f->began);
    atomic_store(&f->is_over, 1);
}
