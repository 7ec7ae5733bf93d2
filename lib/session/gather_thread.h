/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The thread that launches a device's gathered products (lib/session/gather.h), and their requests:
 * one for each slot. */
#ifndef MPGPU_GATHER_THREAD_H
#define MPGPU_GATHER_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>

#include "lib/multiply/direct.h"
#include "lib/process/backoff.h"
#include "lib/process/executor.h"
#include "lib/session/gather_slots.h"

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
    unsigned posts;        /* of `ended`, before this product */
    atomic_int owner;      /* for lib/session/gather_loose.c: who has it, */
    _Atomic int64_t since; /* and since when nobody has */
};

/* What it asks of its device (lib/session/session_device.h). */
struct gather_session {
    bool (*is_open)(const void *device);
    void (*fault)(void *device);
    void (*abandon)(void *device);
    void (*leave_alone)(void *device, const char *why);
    enum outcome (*end_badly)(void *device, struct context *s, enum gpu_status status);
};

/* Launches in different queues overlap.  To change the queue takes the device some microseconds. */
enum { GATHER_QUEUES = 4 };

/* Zero at first. */
struct gather {
    const struct gather_session *session;
    void *device;
    const struct context *first; /* of the device's first stream */
    struct executor *executor;
    struct context context;
    struct hold hold; /* of the context: kept, since products lie in slots of ours */
    struct gpu_queue queues[GATHER_QUEUES];
    atomic_int load[GATHER_QUEUES]; /* products under way in each */
    struct gather_request requests[GATHER_SLOTS];
    struct gather_slots slots;
    _Atomic uint32_t pending, late; /* to be launched, and to be waited for in the driver */
    atomic_int draining;            /* the thread is at work, or about to be */
    atomic_bool abandoned;          /* it may never come back */
    atomic_bool wants_way;          /* a thread waits for the opening */
    struct event opened;
    enum { GATHER_CLOSED, GATHER_OPEN, GATHER_FAILED } _Atomic way;
    atomic_int users, holders; /* threads with a product under way; who keeps them out */
    atomic_int loose;          /* slots whose thread runs a handler, or has left */
};

/* With the device. */
void gather_thread_start(struct gather *g);
bool gather_thread_is_there(const struct gather *g);

/* It is in the driver, or about to be; and not one that may never come back. */
bool gather_thread_is_at_work(struct gather *g);
bool gather_thread_is_abandoned(struct gather *g);

/* Opens its context at first use, and waits for that; false if there is none.  While a handler of
 * the program runs the caller is no user of `g`. */
bool gather_thread_open(struct gather *g);

/* Has it anything of the device? */
bool gather_thread_is_open(struct gather *g);

/* Between gather_hold and gather_go_on: release what it has of the device's memory. */
void gather_thread_trim(struct gather *g);

/* Products, loaded into their slots, are to be launched. */
void gather_thread_submit(struct gather *g, const struct direct_product *p, unsigned count);

/* Until it has ended: spins, then asks that the driver be asked, and sleeps.  False where the
 * device does not answer and is left alone, or *is_gone is true. */
bool gather_thread_wait(struct gather *g, struct gather_request *r, const bool *is_gone);

/* Without waiting, for a request whose thread may have left: asks that the driver be asked, and
 * returns true when the thread that launches is done with the request. */
bool gather_thread_has_ended(struct gather *g, struct gather_request *r);

/* Then: what the device has said. */
enum gpu_status gather_thread_end(struct gather *g, struct gather_request *r);

#endif
