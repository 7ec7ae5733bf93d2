/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The thread that launches a device's small products (lib/session/gather.h): this program's, and in
 * mpgpu-serve its clients'. */
#ifndef MPGPU_GATHER_LAUNCHER_H
#define MPGPU_GATHER_LAUNCHER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "lib/session/gather_block.h"

/* Functions of the session's device that the launcher calls (lib/session/session_device.h). */
struct gather_session {
    bool (*is_open)(const void *device);
    void (*fault)(void *device);
    void (*abandon)(void *device);
    void (*leave_alone)(void *device, const char *why);
    enum outcome (*end_badly)(void *device, struct context *s, enum gpu_status status);
};

/* The slots of one process that the launcher launches from. */
struct gather_source {
    struct gather_source *next;
    struct gather_block *block;
    struct direct_launch_slots slots;
    bool is_foreign; /* of another process */
    bool may_view;   /* its memory is page-locked */
    bool wants_clear;
    uint32_t waiting, ready; /* slots that the launcher has taken from the block */
    uint32_t launched;       /* slots that count in `load` */
    struct direct_ready product[GATHER_SLOTS];
    unsigned queue[GATHER_SLOTS]; /* the queue of each launched slot */
    struct gather_work *work;
};

/* Launches in different queues overlap. Switching the queue costs the device some microseconds. */
enum { GATHER_QUEUES = 4 };

/* Working memory shared by several sources, so that one launch can compute their products. */
enum { GATHER_SHARE = SMALL_SLOTS_MAX / GATHER_SLOTS, GATHER_WORKS = 16 };
struct gather_work {
    gpu_mem mem;
    unsigned taken; /* a bit for each of GATHER_SHARE sources */
};

/* All zero at first. */
struct gather_launcher {
    const struct gather_session *session;
    void *device;
    const struct context *first; /* of the device's first stream */
    struct executor *executor;
    struct context context;
    struct hold hold; /* of the context: kept, since the products use this process's slots */
    struct gpu_queue queues[GATHER_QUEUES];
    unsigned load[GATHER_QUEUES]; /* products under way in each queue */
    pthread_mutex_t mutex;        /* guards the context and the sources */
    struct gather_source own;     /* this process's slots, once the path is open */
    struct gather_source *sources;
    struct gather_work works[GATHER_WORKS];
    uint32_t prepared;     /* a bit for each log_n of a plan */
    atomic_uint launches;  /* count so far */
    atomic_int foreign;    /* sources of other processes */
    atomic_int paused;     /* foreign sources are not launched */
    atomic_int draining;   /* the launcher is at work, or about to be */
    atomic_bool wants_way; /* a thread waits for the opening */
    struct event opened;
    enum { GATHER_CLOSED, GATHER_OPEN, GATHER_FAILED } _Atomic way;
};

/* Returns true if the option `memory` leaves room for small products. */
bool gather_launcher_has_room(void);

/* Starts the launcher thread of the device. Returns false if no thread can be started. */
bool gather_launcher_start(struct gather_launcher *l);

/* Returns true if the launcher has its context on the device open. */
bool gather_launcher_is_open(struct gather_launcher *l);

/* Wakes the launcher: a source has a pending or late product. Any thread. */
void gather_launcher_ring(struct gather_launcher *l);

/* Adds slots of another process: its block, from which each item is copied once, and the slots
 * behind it. The memory must stay until gather_launcher_remove. may_view: that memory is
 * page-locked. Opens the path for small products. Any thread but the launcher's. */
enum gpu_status gather_launcher_add(struct gather_launcher *l, struct gather_source *source,
                                    struct gather_block *block, bool may_view);

/* Removes these slots and waits until none of their products is under way. */
void gather_launcher_remove(struct gather_launcher *l, struct gather_source *source);

/* Keeps products of other processes waiting. Does not wait for the launcher; the caller waits until
 * l->draining is 0. gather_launcher_go_on undoes it. */
void gather_launcher_pause(struct gather_launcher *l);
void gather_launcher_go_on(struct gather_launcher *l);

/* Releases the launcher's device memory. Call it while paused and with no product under way. */
void gather_launcher_trim(struct gather_launcher *l);

/* gather_launcher_close closes the launcher's context; gather_launcher_open_again opens it again
 * and keeps the slots. Call both while paused and with no product under way. Products that arrive
 * between the two wait. After gather_launcher_open_again has returned false, no product is launched
 * any more. */
void gather_launcher_close(struct gather_launcher *l);
bool gather_launcher_open_again(struct gather_launcher *l);

#endif
