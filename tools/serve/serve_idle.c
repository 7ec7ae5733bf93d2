/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Closes devices that no client uses, so that their memory is free and they need little power.
 * Clients stay connected.  The next request reopens the devices. */
#define _GNU_SOURCE 1 /* PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP */
#include "config.h"

#include "gpu/served/served_wait.h"
#include "lib/session/session.h"
#include "tools/serve/serve.h"

/* Threads hold this lock for reading while they use devices or change their memory, and for writing
 * while they close and open devices. */
static pthread_rwlock_t devices_lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static atomic_bool is_closed;  /* changes only under devices_lock, held for writing */
static atomic_bool has_failed; /* the devices could not be reopened */
static _Atomic int64_t since;  /* the time on served_clock at which a device was last used */

bool serve_idle_is_closed(void) {
    return atomic_load(&is_closed);
}

/* ---- functions whose caller holds devices_lock for writing, except serve_idle_has_failed */

static void close_all(void) {
    if (!session_close_devices())
        return;
    serve_spares_drop();
    serve_clients_each(serve_memory_unlock_pages);
    serve_buffers_close();
    for (unsigned i = 0; i < serve_own_devices; i++)
        gpu_close(&serve_device[i].dev);
    is_closed = true;
    serve_log(2, "the devices are closed while nobody uses them");
}

static bool open_devices(void) {
    for (unsigned i = 0; i < serve_own_devices; i++)
        if (gpu_open_found(&serve_device[i].dev) != GPU_OK) {
            serve_log(1, "%s: %s", serve_device[i].dev.caps.name, gpu_error_text());
            return false;
        }
    return true;
}

/* Reopens the same devices in the same order, because clients refer to them by number. */
static bool open_all(void) {
    struct gpu_device device[SERVED_DEVICES];
    if (!open_devices() || !serve_clients_each(serve_memory_lock_pages_again))
        return false;
    for (unsigned i = 0; i < serve_own_devices; i++)
        device[i] = serve_device[i].dev;
    return session_open_again(device);
}

/* Reopens the devices.  If that fails, the server ends: its clients continue with GMP, and a new
 * server can start. */
static void reopen(void) {
    if (has_failed)
        return;
    is_closed = false; /* cleared first: while it is set, no memory is page-locked */
    has_failed = !open_all();
    is_closed = has_failed;
    if (has_failed)
        return;
    serve_spares_resume();
    serve_log(2, "the devices are opened again");
}

bool serve_idle_has_failed(void) {
    return atomic_load(&has_failed);
}

/* ---- functions for all threads */

void serve_idle_block(void) {
    pthread_rwlock_rdlock(&devices_lock);
}

bool serve_idle_enter(void) {
    pthread_rwlock_rdlock(&devices_lock);
    while (is_closed && !has_failed) {
        pthread_rwlock_unlock(&devices_lock);
        pthread_rwlock_wrlock(&devices_lock);
        if (is_closed)
            reopen();
        atomic_store(&since, served_clock());
        pthread_rwlock_unlock(&devices_lock);
        pthread_rwlock_rdlock(&devices_lock);
    }
    return !is_closed;
}

void serve_idle_leave(void) {
    pthread_rwlock_unlock(&devices_lock);
}

void serve_idle_end(void) {
    atomic_store(&since, served_clock());
    pthread_rwlock_unlock(&devices_lock);
}

/* ---- functions for the main thread */

static bool are_well(void) {
    bool are_well = serve_own_devices > 0;
    for (unsigned i = 0; i < serve_own_devices; i++)
        are_well = are_well && !atomic_load(&serve_device[i].is_gone) &&
                   !atomic_load(&serve_device[i].is_suspect);
    return are_well;
}

/* Returns true if no device was used for `seconds` seconds.  Small products send no requests, so a
 * changed number of their launches counts as use, too. */
static bool is_idle(long seconds) {
    static unsigned launches;
    const unsigned now = session_launches();
    if (atomic_load(&since) == 0 || now != launches)
        atomic_store(&since, served_clock());
    launches = now;
    return served_clock() - atomic_load(&since) >= seconds * INT64_C(1000000000);
}

void serve_idle_look(long seconds) {
    if (seconds == 0 || !is_idle(seconds) || serve_clients_have_memory() || !are_well() ||
        pthread_rwlock_trywrlock(&devices_lock) != 0)
        return;
    if (!is_closed && is_idle(seconds))
        close_all();
    /* a request uses a device now, so devices stay open: counts the idle time from now on */
    if (!is_closed)
        atomic_store(&since, served_clock());
    pthread_rwlock_unlock(&devices_lock);
}
