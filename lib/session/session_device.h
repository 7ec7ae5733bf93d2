/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The table of this process's devices, with the resources and the state of each. Only code in
 * lib/session/ may use it; other folders use lib/session/session.h. */
#ifndef MPGPU_SESSION_DEVICE_H
#define MPGPU_SESSION_DEVICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/outcome.h"
#include "lib/base/stats.h"
#include "lib/process/access_guard.h"
#include "lib/session/coalesce.h"
#include "lib/session/session.h"
#include "lib/session/streams.h"

/* A job that the stream's thread runs. It is in the device's table. It is not on the caller's
 * stack, because the stream's thread may hang and the caller then leaves the job. It is not from
 * malloc, because a signal handler can be the caller. */
struct session_job {
    struct stream *stream;
    struct context *context;
    enum gpu_status (*work)(struct context *s, void *argument);
    /* the job has acquired all other streams of the device, so their memory may be released */
    int alone;
    double seconds; /* time limit without progress, in seconds; 0: no limit */
    enum outcome outcome;
    struct stats_times times;
    _Alignas(max_align_t) unsigned char argument[SESSION_ARGUMENT];
};

/* A device is first CLOSED, then OPENING, then READY or NONE. READY may later become NONE (no
 * longer used); NONE never changes. */
enum session_state { SESSION_CLOSED, SESSION_OPENING, SESSION_READY, SESSION_NONE };

struct session_device {
    unsigned number; /* the device's index in the table; its contexts have the same `number` */
    atomic_int state;
    atomic_int faults;
    /* a line about the device, or about the reason why there is none; guarded by the mutex in
     * session_device.c */
    char about[512];
    /* the device to open; if it has no backend, the device that the options name */
    struct gpu_device found;
    struct streams streams;
    struct session_job jobs[STREAMS_MOST];
    struct coalesce coalesce;
    struct access_guard guard;
    _Atomic uint64_t calls, ns; /* count of completed calls and their time, for statistics */
};

/* Returns device i of the table in any state, i < SESSION_DEVICES. */
struct session_device *session_device(unsigned i);

/* Returns how many devices the table has: open ones, ones that are being opened, and ones that
 * failed. They are in the order of the option `device`. */
unsigned session_devices_begun(void);

/* Returns the number of this process's first device; devices with lower numbers belong to its
 * parent. */
unsigned session_devices_first(void);

/* In a child of fork: marks all devices of the table as devices of the parent, so that the child
 * does not use them. */
void session_devices_renew(void);

/* Returns how many devices are in this state. */
int session_devices_in(enum session_state state);

/* Returns the device's state. Reads it with the mutex locked, so that it agrees with the counts of
 * session_devices_in. */
enum session_state session_device_state(const struct session_device *d);

/* Returns the context of the device's first stream, which exists as long as the device. */
static inline struct context *session_device_first(struct session_device *d) {
    return &d->streams.stream[0].context;
}

/* Adds a device to the table: sets its state to OPENING and acquires its first stream. has_thread:
 * that stream gets a thread, as in streams_begin. Returns NULL if no thread can be started or the
 * table is full. */
struct session_device *session_device_begin(bool has_thread, struct stream **stream);

/* Sets the device's state and the line of text about it. If no usable device is left, closes the
 * pool (the allocator for GMP's numbers). */
void session_device_set(struct session_device *d, enum session_state next, const char *text);

/* Copies the line of text about the device, which describes it or names the reason why it is not
 * used. */
void session_device_describe(struct session_device *d, char *text, size_t size);

/* Returns true if operations may use the device now. */
bool session_device_is_open(const struct session_device *d);

/* Returns true if data can still be downloaded from the device, even if operations no longer use
 * it. */
bool session_device_answers(struct session_device *d);

/* Counts a fault of the device; after three faults the library stops using the device. */
void session_device_fault(struct session_device *d);

/* Stops using the device: no further operation runs on it. `why` becomes part of the line of text
 * about it. */
void session_device_leave_alone(struct session_device *d, const char *why);

/* Stops using a device, because a thread of its streams has not returned from a job in time;
 * perhaps it hangs. Closes the device's access guard (lib/process/access_guard.h), so that this
 * thread no longer accesses the program's memory. */
void session_device_abandon(struct session_device *d);

/* Closes the device's access guard (lib/process/access_guard.h): this library's threads then no
 * longer copy to or from the program's memory. Called if commands on the device have not ended. */
void session_device_close_guard(struct session_device *d);

/* Waits at most `seconds` for the device's streams, then at most `seconds` for small products. Then
 * excludes all other threads from the device until session_device_release_all. Returns false on
 * timeout. */
bool session_device_acquire_all(struct session_device *d, int seconds);
void session_device_release_all(struct session_device *d);

/* Releases what session_device_acquire_all has acquired. Called for a thread that has left its job
 * by longjmp from a signal handler. */
void session_device_let_all_go(struct session_device *d);

/* Sets whether the calling thread counts as the owner of what session_device_acquire_all has
 * acquired. While a signal handler runs, the thread must not count as the owner. */
void session_device_set_held(bool is_held);

/* Do the same as session_device_acquire_all and session_device_release_all for all devices. The
 * wait for all of them together takes at most `seconds`. */
bool session_devices_acquire_all(int seconds);
void session_devices_release_all(void);

/* Returns true if the calling thread itself is using a device. It must then not wait until devices
 * are idle. */
bool session_device_is_here(void);

/* Counts a fault of each device of another process that has failed during the last operation of
 * this context (s->failed_there). */
void session_device_count_there(struct context *s);

/* Handles a failed operation of this context. Waits for the commands that the operation has queued.
 * Counts a fault, unless memory was missing (GPU_NOMEM) or the operation's caller has abandoned it
 * (GPU_LEFT). If the commands do not end, stops using the device. Returns why the operation was not
 * done. */
enum outcome session_device_end_badly(struct session_device *d, struct context *s,
                                      enum gpu_status status);

#endif
