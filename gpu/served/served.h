/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The protocol between mpgpu-serve (tools/serve/) and its clients.
 *
 * A client connects to the server's socket, once for each descriptor of shared memory that it
 * needs.  It maps the memory and closes the descriptor and the connection: none stays open in the
 * client.  From then on the client puts requests into rings in shared memory.
 *
 * The server trusts nothing that a client can write.  A request names only numbers that the server
 * has given to this client, and places inside memory that the server has created. */
#ifndef MPGPU_SERVED_H
#define MPGPU_SERVED_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "gpu/gpu.h"
#include "gpu/images.h"

enum {
    SERVED_CHANNELS = 16, /* of a client: the number of its threads that are served at once */
    SERVED_RING = 16,     /* requests under way in a channel, */
    SERVED_REGIONS = 64,  /* regions of host memory, */
    SERVED_DEVICES = 16,  /* and devices of a server, at most */
    SERVED_TEXT = 256     /* bytes of an error's text */
};

/* Bytes of host memory in a client's first region; bytes of it that the server page-locks before
 * the client connects; the maximum for any other region. */
#define SERVED_HOST_BYTES ((size_t)256 << 20)
#define SERVED_LOCKED_BYTES ((size_t)24 << 20)
#define SERVED_REGION_BYTES ((size_t)1 << 44)
/* ---- through the socket, a message each way */

enum served_wish {
    SERVED_OPEN,   /* be a client: descriptor of struct served_shared */
    SERVED_REGION, /* more host memory, of `bytes`: its descriptor, and its number */
    SERVED_LIST,   /* the list of clients, as text */
    SERVED_END,    /* the server ends */
    SERVED_LOOK    /* nothing: is a server there? */
};

#define SERVED_MAGIC UINT64_C(0x4d50475073657277)

struct served_hello {
    uint64_t magic;
    char version[32];                 /* PACKAGE_VERSION */
    char build[sizeof gpu_images_id]; /* both have the same kernels and layout */
    uint64_t wish;
    uint64_t token[2]; /* identifies the client, for a region */
    uint64_t bytes;
    uint64_t visible; /* served_visible() */
};

/* A device of the server: requests name it by its place among them. */
struct served_offer {
    int32_t index;    /* by which the option `device` names it */
    int32_t is_there; /* 0: it has failed */
    char backend[16];
    struct gpu_caps caps;
};

struct served_welcome {
    uint64_t magic;
    char version[32];
    int32_t status;             /* a gpu_status */
    uint32_t devices;           /* in `offer` */
    uint32_t sees_others;       /* not served: served_visible() differs */
    uint64_t token[2];          /* names the client */
    uint64_t region;            /* number of the region */
    int64_t process;            /* the server's: systemd may have made the socket */
    char text[GPU_SERVED_LIST]; /* why not; or the list */
    struct served_offer offer[SERVED_DEVICES];
};

/* ---- through shared memory */

/* Operations of a request, with their arguments a[0], a[1] ...; all but the last are answered, some
 * with a value. */
enum served_op {
    SERVED_CHANNEL = 1, /* number: begin to serve that channel; sent through channel 0 */
    SERVED_LEAVE,       /* the client goes */
    SERVED_LOCK,        /* region, offset, bytes: page-locked */
    SERVED_UNLOCK,      /* region, offset */
    SERVED_DROP,        /* region: nothing uses it any more */
    SERVED_JOB,         /* offset of a struct far_block in region 0, device: run the job in it */
    SERVED_SLOTS,      /* offset of a struct gather_block in region 0, device: small products in the
                          slots behind it; whether their end is seen */
    SERVED_RING_SLOTS, /* device: some are there */
    SERVED_OPS
};

struct served_request {
    uint64_t op, a[3];
};

/* Counters since the connection began, which are futexes too.  The two sides write to different
 * cache lines: moving a line between CPUs takes 0.1 us. */
struct served_channel {
    /* The client's: requests put into the ring; */
    _Alignas(64) atomic_uint posted;
    atomic_uint wanted;     /* it sleeps until `served` reaches this */
    atomic_uint is_waiting; /* set while it sleeps */
    /* Written by the server: it sleeps until there is a request; */
    _Alignas(64) atomic_uint is_asleep;
    /* requests served, */
    _Alignas(64) atomic_uint served;
    int32_t status; /* and the latest answer. */
    uint64_t value;
    char text[SERVED_TEXT];
    _Alignas(64) struct served_request ring[SERVED_RING];
};

struct served_shared {
    uint64_t magic;
    int64_t process; /* the server's, */
    uint64_t begun;  /* and when it began (served_begun) */
    uint64_t token[2];
    uint64_t modulus;       /* by which jobs are checked */
    atomic_uint is_dropped; /* the server has nothing more to do with this client: `why` */
    char why[SERVED_TEXT];
    /* Held by the client's thread that opens the device; robust.  The server only looks at it, as
     * a word. */
    pthread_mutex_t life;
    struct served_channel channel[SERVED_CHANNELS];
};

/* The offset of region 0, on a page boundary, and the offset of its end. */
#define SERVED_HOST ((sizeof(struct served_shared) + 4095) & ~(size_t)4095)
#define SERVED_BYTES (SERVED_HOST + SERVED_HOST_BYTES)

static inline char *served_host(struct served_shared *shared) {
    return (char *)shared + SERVED_HOST;
}

#endif
