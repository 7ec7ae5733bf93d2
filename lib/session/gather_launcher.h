/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The thread that launches a device's small products (lib/session/gather.h): those of this program,
 * and in mpgpu-serve those of its clients. */
#ifndef MPGPU_GATHER_LAUNCHER_H
#define MPGPU_GATHER_LAUNCHER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "lib/session/gather_block.h"

/* What it asks of its device (lib/session/session_device.h). */
struct gather_session {
    bool (*is_open)(const void *device);
    void (*fault)(void *device);
    void (*abandon)(void *device);
    void (*leave_alone)(void *device, const char *why);
    enum outcome (*end_badly)(void *device, struct context *s, enum gpu_status status);
};

/* Slots that it launches from. */
struct gather_source {
    struct gather_source *next;
    struct gather_block *block;
    struct direct_launch_slots slots;
    bool is_foreign; /* another process's */
    bool may_view;   /* its memory is page-locked */
    bool wants_clear;
    uint32_t waiting, ready; /* slots that the thread has taken from the block */
    uint32_t launched;       /* those that count in `load` */
    struct direct_ready product[GATHER_SLOTS];
    unsigned queue[GATHER_SLOTS]; /* of those launched */
    struct gather_work *work;
};

/* Launches in different queues overlap.  To change the queue takes the device some microseconds. */
enum { GATHER_QUEUES = 4 };

/* What products of several sources are made in, so that they go in one launch. */
enum { GATHER_SHARE = SMALL_SLOTS_MAX / GATHER_SLOTS, GATHER_WORKS = 16 };
struct gather_work {
    gpu_mem mem;
    unsigned taken; /* a bit for each of GATHER_SHARE sources */
};

/* Zero at first. */
struct gather_launcher {
    const struct gather_session *session;
    void *device;
    const struct context *first; /* of the device's first stream */
    struct executor *executor;
    struct context context;
    struct hold hold; /* of the context: kept, since products lie in slots of ours */
    struct gpu_queue queues[GATHER_QUEUES];
    unsigned load[GATHER_QUEUES]; /* products under way in each */
    pthread_mutex_t mutex;        /* of the context and the sources */
    struct gather_source own;     /* this process's, once the way is open */
    struct gather_source *sources;
    struct gather_work works[GATHER_WORKS];
    uint32_t prepared;     /* a bit for each log_n of a plan */
    atomic_uint launches;  /* so far */
    atomic_int foreign;    /* sources of other processes */
    atomic_int paused;     /* these are not launched */
    atomic_int draining;   /* the thread is at work, or about to be */
    atomic_bool wants_way; /* a thread waits for the opening */
    struct event opened;
    enum { GATHER_CLOSED, GATHER_OPEN, GATHER_FAILED } _Atomic way;
};

/* Does the option `memory` leave room for this way? */
bool gather_launcher_has_room(void);

/* With the device.  False without a thread. */
bool gather_launcher_start(struct gather_launcher *l);

/* Has it anything of the device? */
bool gather_launcher_is_open(struct gather_launcher *l);

/* Something is pending or late in a source.  Any thread. */
void gather_launcher_ring(struct gather_launcher *l);

/* Adds slots of another process: its block, copied from no more than once, and the slots behind it
 * in memory that stays until gather_launcher_remove.  may_view: that memory is page-locked.  Opens
 * the way.  Any thread but the launcher's. */
enum gpu_status gather_launcher_add(struct gather_launcher *l, struct gather_source *source,
                                    struct gather_block *block, bool may_view);

/* Nothing of them is under way afterwards. */
void gather_launcher_remove(struct gather_launcher *l, struct gather_source *source);

/* From here on other processes' products wait; l->draining remains to be waited for.
 * gather_launcher_go_on undoes it. */
void gather_launcher_pause(struct gather_launcher *l);
void gather_launcher_go_on(struct gather_launcher *l);

/* While it is paused and no product is under way: releases what it has of the device's memory. */
void gather_launcher_trim(struct gather_launcher *l);

/* While it is paused and no product is under way: closes what it has of the device, and opens it
 * again.  Slots stay.  Products that come meanwhile wait.  After false, none is launched any more.
 */
void gather_launcher_close(struct gather_launcher *l);
bool gather_launcher_open_again(struct gather_launcher *l);

#endif
