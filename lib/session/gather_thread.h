/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The thread that launches gathered products (lib/session/gather.h), and their requests: one for
 * each slot. */
#ifndef MPGPU_GATHER_THREAD_H
#define MPGPU_GATHER_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>

#include "lib/multiply/direct.h"
#include "lib/process/backoff.h"
#include "lib/session/gather.h"

/* A request is its thread's until it is GATHER_PENDING, and again when it is GATHER_LAUNCHED and
 * the host sees its end, or when it has GATHER_ENDED.  It keeps the product itself: the program's
 * thread goes on where the device does not answer, and its stack is gone when that answers after
 * all. */
enum { GATHER_PENDING, GATHER_LAUNCHING, GATHER_LAUNCHED, GATHER_ENDED };

struct gather_request {
    struct direct_product product;
    atomic_int state;
    atomic_bool is_late;    /* its thread wants the driver asked */
    enum gpu_status status; /* of one that has ended */
    unsigned queue;
    struct event ended;
};

/* What it asks of the session (lib/session/session_state.h). */
struct gather_session {
    bool (*is_open)(void);
    void (*fault)(void);
    void (*abandon)(void);
    void (*leave_alone)(const char *why);
    enum outcome (*end_badly)(struct context *s, enum gpu_status status);
};

/* With the device. */
void gather_thread_start(const struct gather_session *session);
bool gather_thread_is_there(void);

/* It is in the driver, or about to be; and not one that may never come back. */
bool gather_thread_is_at_work(void);
bool gather_thread_is_abandoned(void);

/* Opens its context at first use, and waits for that; false if there is none. */
bool gather_thread_open(void);
const struct context *gather_thread_context(void);

/* Has it anything of the device? */
bool gather_thread_is_open(void);

/* Between gather_hold and gather_go_on: release what it has of the device's memory. */
void gather_thread_trim(void);

/* The request of a slot, which the caller has to itself. */
struct gather_request *gather_thread_request(unsigned slot);

/* Products, loaded into their slots, are to be launched. */
void gather_thread_submit(const struct direct_product *p, unsigned count);

/* Until it has ended: spins, then asks that the driver be asked, and sleeps.  False where the
 * device does not answer and is left alone. */
bool gather_thread_wait(struct gather_request *r);

/* Then: what the device has said. */
enum gpu_status gather_thread_end(struct gather_request *r);

#endif
