/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The devices of this process: the resources and state of each. Only for lib/session/; other
 * folders use lib/session/session.h. */
#ifndef MPGPU_SESSION_DEVICE_H
#define MPGPU_SESSION_DEVICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/outcome.h"
#include "lib/base/stats.h"
#include "lib/process/gate.h"
#include "lib/session/gather.h"
#include "lib/session/session.h"
#include "lib/session/streams.h"

/* The job of a stream's thread, which keeps the job if it never returns. Not allocated by malloc:
 * the caller may be a signal handler that interrupted malloc. */
struct session_job {
    struct stream *stream;
    struct context *context;
    enum gpu_status (*work)(struct context *s, void *argument);
    int alone;      /* all other streams are acquired: their memory may be trimmed */
    double seconds; /* longest time without progress; 0: no limit */
    enum outcome outcome;
    struct stats_times times;
    _Alignas(max_align_t) unsigned char argument[SESSION_ARGUMENT];
};

/* CLOSED, then OPENING, then READY or NONE. READY may become NONE, which is final. */
enum session_state { SESSION_CLOSED, SESSION_OPENING, SESSION_READY, SESSION_NONE };

struct session_device {
    unsigned number; /* its index in the table, and the number of its contexts */
    atomic_int state;
    atomic_int faults;
    char about[512];         /* the device, or why there is none; guarded by the mutex of states */
    struct gpu_device found; /* what to open; without a backend, what the options name */
    struct streams streams;
    struct session_job jobs[STREAMS_MOST];
    struct gather gather;
    struct gate gate;
    _Atomic uint64_t calls, ns; /* calls done and their time, for statistics */
};

/* Returns device i < SESSION_DEVICES, whatever its state. */
struct session_device *session_device(unsigned i);

/* Returns the count of devices that have been begun, in the order of the option `device`. */
unsigned session_devices_begun(void);

/* Returns the first of them that belongs to this process; earlier ones belong to its parent. */
unsigned session_devices_first(void);

/* In a child of fork: marks all devices so far as the parent's. */
void session_devices_renew(void);

/* Returns the count of devices in this state. */
int session_devices_in(enum session_state state);

/* Returns the state, with the mutex locked. session_devices_in agrees with it, as no change is
 * under way. */
enum session_state session_device_state(const struct session_device *d);

/* Returns the context of the device's first stream. */
static inline struct context *session_device_first(struct session_device *d) {
    return &d->streams.stream[0].context;
}

/* Begins the next device, whose state becomes OPENING, with its first stream acquired. has_thread:
 * as streams_begin. Returns NULL if no thread can be started or the table is full. */
struct session_device *session_device_begin(bool has_thread, struct stream **stream);

/* Sets the device's state and its line of text. Shuts the pool if no device is left. */
void session_device_set(struct session_device *d, enum session_state next, const char *text);

/* Copies the device's line of text. */
void session_device_describe(struct session_device *d, char *text, size_t size);

/* Returns true if an acquired stream of the device may be used. */
bool session_device_is_open(const struct session_device *d);

/* Returns true if data can be downloaded from the device, which may be in use or left alone. */
bool session_device_answers(struct session_device *d);

/* Counts a fault; after three of them the device is left alone. */
void session_device_fault(struct session_device *d);

/* Stops using the device: no further operation is sent to it. */
void session_device_leave_alone(struct session_device *d, const char *why);

/* As session_device_leave_alone, for a device whose stream thread has not returned in time and may
 * never return. Shuts the gate, so that a late thread touches none of the program's memory. */
void session_device_abandon(struct session_device *d);

/* Shuts the device's gate: work sent to the device has not ended. */
void session_device_shut_gate(struct session_device *d);

/* Waits at most `seconds` until no thread is inside the device's driver, and keeps others out until
 * session_device_release_all. Returns false on timeout. */
bool session_device_acquire_all(struct session_device *d, int seconds);
void session_device_release_all(struct session_device *d);

/* As session_device_release_all, for a thread that acquired the streams and has left its job. */
void session_device_let_all_go(struct session_device *d);

/* Marks what session_device_acquire_all has acquired as no longer held by the calling thread, or as
 * held again, as streams_set_acquired does. */
void session_device_set_held(bool is_held);

/* As session_device_acquire_all and _release_all, for all devices. */
bool session_devices_acquire_all(int seconds);
void session_devices_release_all(void);

/* Returns true if the calling thread itself is using a device. */
bool session_device_is_here(void);

/* After an operation of this context, counts a fault of each device of another process that failed
 * during it (failed_there). */
void session_device_count_there(struct context *s);

/* Call it after a failed operation of this context. Waits for the operation's work and counts the
 * fault, unless its caller has left (GPU_LEFT). If the work does not end, the device is left alone.
 * Returns why the operation was not done. */
enum outcome session_device_end_badly(struct session_device *d, struct context *s,
                                      enum gpu_status status);

#endif
