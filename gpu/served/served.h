/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The protocol between mpgpu-serve (tools/serve/), the server that owns the devices, and the
 * programs that are its clients.
 *
 * A client connects to the server's socket, once for each descriptor of shared memory that it
 * needs. The client maps the memory and closes the connection; it keeps only the descriptor of the
 * pool. From then on the client puts requests into rings in shared memory.
 *
 * The server trusts nothing that a client can write. A request can only name numbers that the
 * server has given to this client, and offsets inside memory that the server has created. */
#ifndef MPGPU_SERVED_H
#define MPGPU_SERVED_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "gpu/gpu.h"
#include "gpu/images.h"

enum {
    SERVED_CHANNELS = 16, /* channels of a client: each serves one of its threads at a time */
    SERVED_RING = 16,     /* maximum number of unanswered requests in a channel */
    SERVED_REGIONS = 64,  /* maximum number of a client's regions of host memory */
    SERVED_DEVICES = 16,  /* maximum number of a server's devices */
    SERVED_TEXT = 256     /* bytes of an error text */
};

/* Sizes in bytes: a client's first region of host memory; the part of this region that the
 * server page-locks before the client connects; the maximum for any other region. */
#define SERVED_HOST_BYTES ((size_t)256 << 20)
#define SERVED_LOCKED_BYTES ((size_t)24 << 20)
#define SERVED_REGION_BYTES ((size_t)1 << 44)
/* ---- messages through the socket: one hello from the client, one welcome from the server */

enum served_purpose {
    SERVED_OPEN, /* connect as a client; the answer has a descriptor of struct served_shared */
    /* create a further region of `bytes` bytes; the answer has its descriptor and number */
    SERVED_REGION,
    SERVED_LIST, /* return the list of clients as text */
    SERVED_END,  /* the server ends */
    SERVED_LOOK, /* do nothing; shows that a server answers */
    /* the answer has a descriptor of the shared device memory number `object` */
    SERVED_SHARE
};

#define SERVED_MAGIC UINT64_C(0x4d50475073657278)

struct served_hello {
    uint64_t magic;
    char version[32]; /* PACKAGE_VERSION */
    /* Identifies the kernels and the layout of shared memory: the server refuses a client in which
     * these differ. */
    char build[sizeof gpu_images_id];
    uint64_t purpose;
    uint64_t token[2]; /* identifies the client that asks for a region or for shared memory */
    uint64_t bytes;
    uint64_t object;
    uint64_t visible; /* served_visible() */
};

/* A device of the server. Requests name a device by its index in the array of offers. */
struct served_offer {
    int32_t index;    /* the number by which the option `device` selects this device */
    int32_t is_there; /* 0: the device has failed */
    char backend[16];
    struct gpu_caps caps;
};

struct served_welcome {
    uint64_t magic;
    char version[32];
    int32_t status;   /* a gpu_status */
    uint32_t devices; /* in `offer` */
    /* Set if the server refused the client because variables such as CUDA_VISIBLE_DEVICES differ
     * (served_visible). */
    uint32_t sees_others;
    uint64_t token[2];          /* names the client */
    uint64_t region;            /* number of the new region */
    int64_t process;            /* the server's process; the socket's peer may be systemd instead */
    char text[GPU_SERVED_LIST]; /* why the client was refused, or the list of clients */
    struct served_offer offer[SERVED_DEVICES];
};

/* ---- requests through shared memory */

/* Operations of a request. Comments name the arguments a[0], a[1], ... The server answers all
 * operations except the last; some answers contain a value. */
enum served_op {
    /* argument: the number of a channel, to which the server assigns a thread; sent through channel
     * 0 */
    SERVED_CHANNEL = 1,
    SERVED_LEAVE,  /* the client goes */
    SERVED_LOCK,   /* arguments: region, offset and bytes of memory that the server page-locks */
    SERVED_UNLOCK, /* region, offset */
    SERVED_DROP,   /* argument: a region that the client does not use any more */
    /* runs a job; arguments: the offset of its struct far_block in region 0, and the device */
    SERVED_JOB,
    /* Computes small products. Arguments: the offset in region 0 of a struct coalesce_block, which
     * the products' slots follow, and the device. The answer is 1 if the client can detect in
     * shared memory that a product is complete. */
    SERVED_SLOTS,
    SERVED_RING_SLOTS, /* argument: a device, for which new small products are pending */
    SERVED_OPS
};

struct served_request {
    uint64_t op, a[3];
};

/* A channel: a ring of requests from the client, and the latest answer. The counters run from the
 * beginning of the connection and are also futexes. Client and server write to different cache
 * lines, because sharing one is slow. */
struct served_channel {
    /* Written by the client: the number of requests put into the ring. */
    _Alignas(64) atomic_uint posted;
    atomic_uint wanted;     /* the client sleeps until `served` reaches this */
    atomic_uint is_waiting; /* set while the client sleeps */
    /* Written by the server: set while the server sleeps because there is no request. */
    _Alignas(64) atomic_uint is_asleep;
    /* Written by the server: the number of requests served. */
    _Alignas(64) atomic_uint served;
    int32_t status; /* gpu_status of the latest answer */
    uint64_t value;
    char text[SERVED_TEXT];
    _Alignas(64) struct served_request ring[SERVED_RING];
};

struct served_shared {
    uint64_t magic;
    int64_t process; /* the server's process */
    uint64_t begun;  /* start time of the server's process (served_begun) */
    uint64_t token[2];
    uint64_t modulus; /* modulus by which the server checks results of jobs */
    /* a thread of the client's library lives and has locked the mutex `life` */
    atomic_uint has_watcher;
    atomic_uint is_dropped; /* the server no longer serves this client; `why` has the reason */
    char why[SERVED_TEXT];
    /* A robust mutex, which the client's connecting thread holds until it ends. The server reads
     * the mutex's word to learn whether this thread lives. */
    pthread_mutex_t life;
    struct served_channel channel[SERVED_CHANNELS];
};

/* Offsets in the client's mapping: where region 0 begins, on a page boundary, and where it ends. */
#define SERVED_HOST ((sizeof(struct served_shared) + 4095) & ~(size_t)4095)
#define SERVED_BYTES (SERVED_HOST + SERVED_HOST_BYTES)

static inline char *served_host(struct served_shared *shared) {
    return (char *)shared + SERVED_HOST;
}

#endif
