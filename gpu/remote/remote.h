/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A backend's devices in a process of their own: what both sides of the channel know.
 *
 * The driver of a device that is the CPU compiles and links in the process that uses it: through
 * children, temporary files and much memory, and it ends that process where one of them is denied.
 * So it works in a process of ours (gpu/remote/remote_main.c).  The program's side is a backend as
 * any other (gpu/remote/remote.c).  It shares memory with that process and nothing else: no
 * descriptor stays open, no child is left, no signal comes.  Each learns of the other's end by a
 * lock that it held.
 *
 * Requests stand in a ring and are served in order.  Most have no answer: where one fails, its
 * queue fails until an event of that queue has been waited for. */
#ifndef MPGPU_REMOTE_H
#define MPGPU_REMOTE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "gpu/gpu.h"
#include "gpu/remote/builds.h"

enum {
    REMOTE_RING = 256,    /* requests under way, at most */
    REMOTE_ARGS = 32,     /* arguments of a kernel, */
    REMOTE_EVENTS = 4096, /* events, */
    REMOTE_DEVICES = 16,  /* devices */
    REMOTE_TEXT = 512,    /* bytes of an error's text, */
    REMOTE_LOG = 16384,   /* of messages between two answers, */
    REMOTE_FOLDER = 4096  /* of the cache's folder */
};

/* Bytes of host memory that both see: page-locked memory as the backend's callers know it. */
#define REMOTE_HOST_BYTES ((size_t)256 << 20)

/* What is asked, with a[0], a[1] ...; those marked with = have an answer, some a value in it. */
enum remote_op {
    REMOTE_ENUMERATE,   /* = number of devices, which are in caps[] */
    REMOTE_OPEN,        /* = index */
    REMOTE_CLOSE,       /* = */
    REMOTE_ALLOC,       /* = bytes: memory */
    REMOTE_RELEASE,     /* memory */
    REMOTE_QUEUE_OPEN,  /* = : queue */
    REMOTE_QUEUE_CLOSE, /* = queue */
    REMOTE_WRITE,       /* queue, memory, offset, offset in host memory, bytes */
    REMOTE_READ,        /* the same */
    REMOTE_ZERO,        /* queue, memory, offset, bytes */
    REMOTE_KERNEL,      /* = kernel (enum gpu_kernel) */
    REMOTE_TEXT_KERNEL, /* = offset of a text in host memory, its work-items: kernel */
    REMOTE_LAUNCH,      /* queue, kernel, groups_x, groups_y, and arguments */
    REMOTE_RECORD,      /* queue, event */
    REMOTE_WAIT,        /* = event */
    REMOTE_QUEUE_WAIT,  /* queue, event */
    REMOTE_FORGET       /* event */
};

struct remote_request {
    enum remote_op op;
    unsigned nargs;
    uint64_t a[5];
    struct gpu_arg args[REMOTE_ARGS];
};

#define REMOTE_MAGIC UINT64_C(0x4d50475055637075)

/* What both see; the host memory follows. */
struct remote_shared {
    uint64_t magic; /* REMOTE_MAGIC */
    /* Futexes: requests put into the ring, and served, since the beginning. */
    atomic_uint posted, served;
    atomic_uint wanted;   /* the program sleeps until so many are served */
    atomic_uint is_there; /* the other side has come, and holds `life` */
    atomic_int is_asleep; /* it sleeps until there is a request; it alone writes this */
    /* Robust: free again when the process that holds it has ended, or is another program.  The
     * other side holds the first; the program's thread that opens the device the second. */
    pthread_mutex_t life, program;
    int kernels_of_gpus;         /* gpu_use_kernels_of_gpus, */
    char library[REMOTE_FOLDER]; /* gpu_set_library, and */
    char cache[REMOTE_FOLDER];   /* gpu_set_cache_dir, as the program has them, */
    char folder[REMOTE_FOLDER];  /* for paths that begin in its own */
    struct builds builds;
    /* The latest answer. */
    int status;
    uint64_t value;
    char text[REMOTE_TEXT];
    /* Messages since the last answer: a byte for the level, the text, a 0. */
    uint32_t log_bytes;
    char log[REMOTE_LOG];
    struct gpu_caps caps[REMOTE_DEVICES];
    struct remote_request ring[REMOTE_RING];
};

/* Where the host memory begins, on a page of its own, and where it ends. */
#define REMOTE_HOST ((sizeof(struct remote_shared) + 4095) & ~(size_t)4095)
#define REMOTE_BYTES (REMOTE_HOST + REMOTE_HOST_BYTES)

static inline char *remote_host(struct remote_shared *shared) {
    return (char *)shared + REMOTE_HOST;
}

/* The argument of that program: it serves its own version of the library alone. */
#define REMOTE_VERSION PACKAGE_VERSION " 4"

/* The descriptor of the shared memory in the process that serves. */
enum { REMOTE_FILE = 3 };

#endif
