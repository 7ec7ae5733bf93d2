/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The devices of this process: what each has for itself, and its state.  For lib/session/ alone;
 * others see lib/session/session.h. */
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

/* The job of a stream's thread, which keeps its own if it never comes back.  Not from malloc: the
 * caller may be a handler of a signal that came inside malloc. */
struct session_job {
    struct stream *stream;
    struct context *context;
    enum gpu_status (*work)(struct context *s, void *argument);
    int alone;      /* all other streams are acquired: their memory is free */
    double seconds; /* it may take without progress; 0: any time */
    enum outcome outcome;
    struct stats_times times;
    _Alignas(max_align_t) unsigned char argument[SESSION_ARGUMENT];
};

/* CLOSED, then OPENING, then READY or NONE; READY may become NONE, which is the end. */
enum session_state { SESSION_CLOSED, SESSION_OPENING, SESSION_READY, SESSION_NONE };

struct session_device {
    unsigned number; /* its place in the table, and that of its contexts */
    atomic_int state;
    atomic_int faults;
    char about[512];         /* the device, or why there is none; with the mutex of states */
    struct gpu_device found; /* what to open; without a backend the first that the options mean */
    struct streams streams;
    struct session_job jobs[STREAMS_MOST];
    struct gather gather;
    struct gate gate;
    _Atomic uint64_t calls, ns; /* calls that it has done, and their time; for statistics */
};

/* Number i, whatever its state: below SESSION_DEVICES. */
struct session_device *session_device(unsigned i);

/* Those that have been begun, in the order of the option `device`. */
unsigned session_devices_begun(void);

/* The first of them that is this process's: those before it are its parent's. */
unsigned session_devices_first(void);

/* In a child of fork: none of the devices so far is its own. */
void session_devices_renew(void);

/* How many are being opened, or can be used. */
int session_devices_in(enum session_state state);

/* Its state, where what session_devices_in says follows from it: not in the midst of a change. */
enum session_state session_device_state(const struct session_device *d);

/* The context of its first stream. */
static inline struct context *session_device_first(struct session_device *d) {
    return &d->streams.stream[0].context;
}

/* The next one, with its first stream, acquired; it is OPENING then.  has_thread: as streams_begin.
 * NULL where there can be no thread, and at the table's end. */
struct session_device *session_device_begin(bool has_thread, struct stream **stream);

/* Its state from now on, with a text about it.  Without any to use the pool is shut. */
void session_device_set(struct session_device *d, enum session_state next, const char *text);

/* What is about the device. */
void session_device_describe(struct session_device *d, char *text, size_t size);

/* May a stream be used that was just taken? */
bool session_device_is_open(const struct session_device *d);

/* Is it a device, in use or left alone, that can be asked for what lies on it? */
bool session_device_answers(struct session_device *d);

/* Counts a fault; after three of them the device is left alone. */
void session_device_fault(struct session_device *d);

/* No operation uses the device any more. */
void session_device_leave_alone(struct session_device *d, const char *why);

/* The same where a stream's thread has not come back in time, and may never: no memory of
 * the program's is touched from here on should it come back nevertheless. */
void session_device_abandon(struct session_device *d);

/* The latter part of it: what it was asked to do has not come to an end. */
void session_device_shut_gate(struct session_device *d);

/* Wait for at most so many seconds until no thread is inside its driver, and keep others out until
 * session_device_release_all; false if that took longer. */
bool session_device_acquire_all(struct session_device *d, int seconds);
void session_device_release_all(struct session_device *d);

/* What the latter does for the thread that had acquired them, and has left its job. */
void session_device_let_all_go(struct session_device *d);

/* The calling thread lets go of what session_device_acquire_all has acquired, or takes it back: as
 * streams_set_acquired. */
void session_device_set_held(bool is_held);

/* The same for all devices. */
bool session_devices_acquire_all(int seconds);
void session_devices_release_all(void);

/* Is the caller at work on a device itself? */
bool session_device_is_here(void);

/* After an operation of this context, counts a fault of each device that failed in its place in
 * another process (failed_there). */
void session_device_count_there(struct context *s);

/* After an operation of this context that failed: nothing of it is under way any more, and the
 * fault is counted unless its caller has left (GPU_LEFT); or the device is left alone.  Why it was
 * not done. */
enum outcome session_device_end_badly(struct session_device *d, struct context *s,
                                      enum gpu_status status);

#endif
