/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The launcher: the thread that launches a device's small products (lib/session/gather.h). In
 * mpgpu-serve it also launches the products of the server's clients. */
#ifndef MPGPU_GATHER_LAUNCHER_H
#define MPGPU_GATHER_LAUNCHER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "lib/session/gather_block.h"

/* Functions of the session's device that the launcher may call (lib/session/session_device.h).
 * `device` is a struct session_device. */
struct gather_session {
    bool (*is_open)(const void *device);
    void (*fault)(void *device);
    void (*abandon)(void *device);
    void (*leave_alone)(void *device, const char *why);
    enum outcome (*end_badly)(void *device, struct context *s, enum gpu_status status);
};

/* A source of products: the slots of one process. */
struct gather_source {
    struct gather_source *next;
    struct gather_block *block;
    struct direct_launch_slots slots;
    bool is_foreign; /* of another process */
    bool may_view;   /* the slots are page-locked memory that kernels may access */
    bool wants_clear;
    /* waiting: late slots, ready: pending slots, both taken from the block */
    uint32_t waiting, ready;
    uint32_t launched; /* slots whose products count in `load` */
    struct direct_ready product[GATHER_SLOTS];
    unsigned queue[GATHER_SLOTS]; /* the queue of each launched slot */
    struct gather_work *work;
};

/* Number of queues. Launches in different queues overlap, but switching queues costs the device
 * some microseconds. */
enum { GATHER_QUEUES = 4 };

/* Working memory on the device for the products of up to GATHER_SHARE sources. They share it so
 * that one launch can compute products of several sources. */
enum { GATHER_SHARE = SMALL_SLOTS_MAX / GATHER_SLOTS, GATHER_WORKS = 16 };
struct gather_work {
    gpu_mem mem;
    unsigned taken; /* parts in use, a bit for each source */
};

/* The launcher of one device. All zero at first. */
struct gather_launcher {
    const struct gather_session *session;
    void *device;
    const struct context *first; /* context of the device's first stream */
    struct executor *executor;
    struct context context;
    /* hold of `context`; always kept, since products use only this library's slots */
    struct hold hold;
    struct gpu_queue queues[GATHER_QUEUES];
    unsigned load[GATHER_QUEUES]; /* products in progress in each queue */
    pthread_mutex_t mutex;        /* guards the context and the sources */
    /* slots of this process, once the device is open for small products */
    struct gather_source own;
    struct gather_source *sources;
    struct gather_work works[GATHER_WORKS];
    uint32_t prepared;     /* plans whose kernels are ready: bit log_n */
    atomic_uint launches;  /* count so far */
    atomic_int foreign;    /* number of sources that belong to other processes */
    atomic_int paused;     /* if above 0, products of other processes are not launched */
    atomic_int draining;   /* set while the launcher works or was woken */
    atomic_bool wants_way; /* a thread waits until the device is open for small products */
    struct event opened;
    enum { GATHER_CLOSED, GATHER_OPEN, GATHER_FAILED } _Atomic way;
};

/* Returns true if the option `memory` leaves enough device memory for small products. */
bool gather_launcher_has_room(void);

/* Starts the launcher thread of the device. Returns false if no thread can be started. */
bool gather_launcher_start(struct gather_launcher *l);

/* Returns true if the launcher's context on the device is open. */
bool gather_launcher_is_open(struct gather_launcher *l);

/* Wakes the launcher, because a product is pending or late. Any thread. */
void gather_launcher_ring(struct gather_launcher *l);

/* Adds the slots of another process. The launcher copies each item of the block once before it
 * checks the item; the slots follow the block. This memory must remain until
 * gather_launcher_remove. may_view: it is page-locked. Opens the device for small products
 * first. Any thread except the launcher. */
enum gpu_status gather_launcher_add(struct gather_launcher *l, struct gather_source *source,
                                    struct gather_block *block, bool may_view);

/* Removes the slots of another process and waits until none of their products is in progress. */
void gather_launcher_remove(struct gather_launcher *l, struct gather_source *source);

/* Stops launching products of other processes; they remain pending. Does not wait: the caller
 * must wait until l->draining is 0. gather_launcher_go_on resumes launching. */
void gather_launcher_pause(struct gather_launcher *l);
void gather_launcher_go_on(struct gather_launcher *l);

/* Releases the launcher's device memory. Call it while paused and with no product in progress. */
void gather_launcher_trim(struct gather_launcher *l);

/* gather_launcher_close closes the launcher's context; gather_launcher_open_again opens it
 * again. The sources and their slots remain. Call both while paused and with no product in
 * progress. Products submitted in between remain pending. If gather_launcher_open_again returns
 * false, no product is launched any more. */
void gather_launcher_close(struct gather_launcher *l);
bool gather_launcher_open_again(struct gather_launcher *l);

#endif
