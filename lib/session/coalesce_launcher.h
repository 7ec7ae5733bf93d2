/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The launcher: the thread that launches a device's small products (lib/session/coalesce.h). In
 * mpgpu-serve it also launches the products of the server's clients. */
#ifndef MPGPU_COALESCE_LAUNCHER_H
#define MPGPU_COALESCE_LAUNCHER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "lib/session/coalesce_block.h"

/* Functions of the session's device that the launcher may call (lib/session/session_device.h).
 * `device` is a struct session_device. */
struct coalesce_session {
    bool (*is_open)(const void *device);
    void (*fault)(void *device);
    void (*abandon)(void *device);
    void (*leave_alone)(void *device, const char *why);
    enum outcome (*end_badly)(void *device, struct context *s, enum gpu_status status);
};

/* A source of small products: one process, with its slots. */
struct coalesce_source {
    struct coalesce_source *next;
    struct coalesce_block *block;
    struct direct_launch_slots slots;
    bool is_foreign; /* of another process */
    bool may_view;   /* the slots are page-locked memory that kernels may access */
    bool wants_clear;
    /* Bit masks of slots. waiting: the launcher must wait for their products by a driver call;
     * ready: the launcher must launch their products. */
    uint32_t waiting, ready;
    /* bit mask of slots whose products are counted in `load` of struct coalesce_launcher */
    uint32_t launched;
    struct direct_ready product[COALESCE_SLOTS];
    unsigned queue[COALESCE_SLOTS]; /* the queue of each launched slot */
    struct coalesce_work *work;
};

/* The number of queues. Launches in different queues overlap, but the device loses some
 * microseconds when it switches queues. */
enum { COALESCE_QUEUES = 4 };

/* Working memory on the device for the products of up to COALESCE_SHARE sources (processes).
 * Because they share it, one launch can compute products of several sources. */
enum { COALESCE_SHARE = SMALL_SLOTS_MAX / COALESCE_SLOTS, COALESCE_WORKS = 16 };
struct coalesce_work {
    gpu_mem mem;
    unsigned taken; /* a bit for each part of `mem` that is in use */
};

/* The launcher of one device. All members must be zero at first. */
struct coalesce_launcher {
    const struct coalesce_session *session;
    void *device;
    const struct context *first; /* context of the device's first stream */
    struct executor *executor;
    struct context context;
    /* The permission (lib/process/lease.h) of this library's threads to access memory for
     * `context`. It is never revoked, because the threads access only slots, which are memory of
     * this library. */
    struct lease lease;
    struct gpu_queue queues[COALESCE_QUEUES];
    unsigned load[COALESCE_QUEUES]; /* count of products in progress in each queue */
    pthread_mutex_t mutex;          /* guards the context and the sources */
    /* slots of this process, once the device is open for small products */
    struct coalesce_source own;
    struct coalesce_source *sources;
    struct coalesce_work works[COALESCE_WORKS];
    /* If bit log_n is set, the kernels of the plan for 2^log_n digits are built and tested. */
    uint32_t prepared;
    atomic_uint launches;  /* count so far */
    atomic_int foreign;    /* number of sources that belong to other processes */
    atomic_int paused;     /* if above 0, products of other processes are not launched */
    atomic_int draining;   /* 1 while the launcher works or has been woken */
    atomic_bool wants_way; /* a thread waits until the device is open for small products */
    struct event opened;
    enum { COALESCE_CLOSED, COALESCE_OPEN, COALESCE_FAILED } _Atomic way;
};

/* Returns true if the option `memory` leaves enough device memory for small products. */
bool coalesce_launcher_has_room(void);

/* Starts the launcher thread of the device. Returns false if no thread can be started. */
bool coalesce_launcher_start(struct coalesce_launcher *l);

/* Returns true if the launcher's context on the device is open. */
bool coalesce_launcher_is_open(struct coalesce_launcher *l);

/* Wakes the launcher, because a slot was marked in the block's mask `pending` or `late`. Any thread
 * may call it. */
void coalesce_launcher_ring(struct coalesce_launcher *l);

/* Makes the launcher also launch the small products of another process, *source. The slots of this
 * process follow *block in memory. First opens the device for small products. The block and the
 * slots must remain valid until coalesce_launcher_remove. may_view: this memory is page-locked, and
 * kernels may access it. The launcher copies each item of the block once before it checks the item.
 * Any thread except the launcher may call this function. */
enum gpu_status coalesce_launcher_add(struct coalesce_launcher *l, struct coalesce_source *source,
                                      struct coalesce_block *block, bool may_view);

/* Removes the slots of another process and waits until none of their products is in progress. */
void coalesce_launcher_remove(struct coalesce_launcher *l, struct coalesce_source *source);

/* coalesce_launcher_pause stops launching products of other processes; they remain pending. It does
 * not wait: the caller must wait until l->draining is 0. coalesce_launcher_resume launches such
 * products again. */
void coalesce_launcher_pause(struct coalesce_launcher *l);
void coalesce_launcher_resume(struct coalesce_launcher *l);

/* Releases the launcher's device memory. Call it between coalesce_launcher_pause and
 * coalesce_launcher_resume, while no product is in progress. */
void coalesce_launcher_trim(struct coalesce_launcher *l);

/* coalesce_launcher_close closes the launcher's context; coalesce_launcher_open_again opens it
 * again if other processes have slots. Call both between coalesce_launcher_pause and
 * coalesce_launcher_resume, while no product is in progress. Products that are submitted in between
 * remain pending. If coalesce_launcher_open_again returns false, no product is launched any
 * more. */
void coalesce_launcher_close(struct coalesce_launcher *l);
bool coalesce_launcher_open_again(struct coalesce_launcher *l);

#endif
