/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Devices: the one header through which lib/ sees them.
 *
 * A backend is a constant table of functions (struct gpu_backend); lib/ calls
 * the thin wrappers at the end of this file.  All functions that can fail
 * return an enum gpu_status; the reason in words is then in gpu_error_text() of the
 * same thread.  Sizes are in bytes, offsets too.  Copies and launches are
 * asynchronous and run in the order in which they were put into their queue.
 */
#ifndef MPGPU_GPU_H
#define MPGPU_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/host/thread_memory.h" /* for lib/ and compat/, too */

enum gpu_status {
    GPU_OK = 0,
    GPU_ABSENT,  /* no driver, no platform or no such device */
    GPU_NOMEM,   /* device or page-locked memory exhausted */
    GPU_NOBUILD, /* a program does not compile, load, or lacks the kernel */
    GPU_FAILED,  /* anything else: the device can no longer be trusted */
    GPU_LEFT     /* nobody waits for it any more (lib/process/hold.h); no backend returns it */
};

/* Words for a status, for messages. */
const char *gpu_status_text(int status);

/* What the last failing call of this thread said; "" if none failed. */
const char *gpu_error_text(void);

/* gpu/ does not know lib/: messages go to a function that lib/ sets (levels as
 * in lib/base/log.h: 1 warning, 2 information, 3 detail).  NULL: no messages. */
void gpu_set_logger(void (*logger)(int level, const char *text));

/* The program is ending: from now on no device is opened and no program is
 * built (GPU_FAILED), so that a thread inside gpu/ comes back soon. */
void gpu_stop(void);

/* Has any driver's library been loaded into this process, or is one being loaded? */
bool gpu_has_driver(void);

/* The folder for built OpenCL programs; NULL or "": no cache on disk. The string is copied.  Before
 * other threads use gpu/; later calls may repeat it.  Reading it takes no lock, which a child of
 * fork could find locked. */
void gpu_set_cache_dir(const char *dir);

/* Is there a sign of a GPU on this machine?  No driver is loaded for that. */
bool gpu_may_exist(void);

/* Programs that a device will be asked for, the soonest first: `first` of them before its first
 * result.  Where programs are built at run time, other processes build them ahead, several at
 * once: those, and more of them beside the work.  One list is for GPUs, one for devices with
 * caps.simd.  The list (of enum gpu_program) is not copied.  Before a device is looked for. */
void gpu_expect(bool simd, unsigned first, unsigned count, const uint16_t *programs);

/* All of them are wanted at once.  Before a device is looked for. */
void gpu_expect_at_once(void);

/* The program that helps this process to build: it calls gpu_help_building if its argument is
 * GPU_BUILD_HELPER.  Without it programs are built one after another, when they are needed.  The
 * string is copied.  Before a device is looked for. */
#define GPU_BUILD_HELPER "--build-helper"
void gpu_set_build_helper(const char *path);

/* Builds programs for the process that has started this one as its helper, and ends this process
 * with _exit.  Returns the exit status if there is no such process. */
int gpu_help_building(void);

/* Builds the expected programs of an open device that no helper has begun, into the cache.  The
 * device's first kernel has been asked for before.  The backend has build_ahead. */
struct gpu_device;
void gpu_build_expected(const struct gpu_device *dev);

/* From now on nothing is built for devices of CPUs: what the cache lacks is GPU_NOBUILD.  Before a
 * device is looked for. */
void gpu_build_nothing_for_cpus(void);

/* Did this build's programs for CPUs, all that gpu_expect lists, come into the cache?  Four system
 * calls; no driver is asked.  Any thread, after gpu_set_cache_dir. */
bool gpu_cpu_is_built(void);

/* Programs that were built at run time, by this process or for it; those that it waits for or has
 * had built; the time that its threads have waited.  None came from a cache. */
struct gpu_builds_numbers {
    unsigned done, wanted;
    uint64_t waited_ns;
};
void gpu_builds_ask(struct gpu_builds_numbers *numbers);

/* The nanoseconds that this thread has waited so far. */
uint64_t gpu_builds_waited_here(void);

/* Calls notice(true) in each thread before it builds a program or waits for one that another thread
 * or process builds, and notice(false) afterwards. */
void gpu_set_build_notice(void (*notice)(bool is_building));

/* CPUs are to get the same kernels as GPUs: for tests of those where there is no GPU.
 * Before a device is opened. */
void gpu_use_kernels_of_gpus(void);
bool gpu_uses_kernels_of_gpus(void);

struct gpu_caps {
    char name[128]; /* as the driver gives it */
    char vendor[64];
    char driver[64]; /* driver version, and platform version for OpenCL */
    int is_cpu;      /* an OpenCL device that is the CPU itself */
    int simd;        /* its programs are built with ON_CPU (kernels/common/simd.h) */
    /* How many groups may have BARRIER_CLUSTER (kernels/common/platform.h); 0: none. */
    unsigned cluster;
    bool doubles;       /* its kernels have floating-point numbers of 64 bits */
    bool fast_doubles;  /* and multiplies two in the time of one integer product (CUDA) */
    bool matrix_units;  /* its kernels have MATRIX_UNITS (kernels/common/matrix.h) */
    bool matrix_groups; /* its kernels have MATRIX_GROUPS (kernels/common/matrix_group.h; CUDA) */
    /* Its bit among the devices of its process that run jobs (run_job); 0: it runs none.  It does
     * nothing else if jobs_only: it is another member's (tools/serve/group/). */
    uint32_t jobs;
    bool jobs_only;
    unsigned compute_units;
    unsigned max_group;    /* work-items in one work-group */
    uint64_t local_bytes;  /* local (shared) memory of one work-group */
    uint64_t memory_bytes; /* device memory */
    uint64_t max_alloc;    /* largest single allocation */
};

/* Device memory: a CUdeviceptr or a cl_mem, 0 is none. */
typedef struct {
    uint64_t h;
} gpu_mem;

/* A kernel argument. */
struct gpu_arg {
    enum { GPU_ARG_MEM, GPU_ARG_U32, GPU_ARG_U64 } kind;
    union {
        gpu_mem mem;
        uint32_t u32;
        uint64_t u64;
    } v;
};

/* The programs of kernels/programs.def, in its order. */
enum gpu_program {
#define PROGRAM(id, file, defines) GPU_PROGRAM_##id,
#include "kernels/programs.def"
#undef PROGRAM
    GPU_PROGRAMS
};

/* Every kernel of every program, from kernels/kernels.def, which kernels/launches.sh makes. */
enum gpu_kernel {
#define KERNEL_OF(program, name, threads, simd_threads, takes) GPU_KERNEL_##program##_##name,
#include "kernels/kernels.def"
#undef KERNEL_OF
    GPU_KERNELS
};

/* What its head says: the work-items of a group, and those where the device has caps.simd.  No
 * pointers, which would be written in every process that starts (lib/base/started.h). */
enum { GPU_KERNEL_NAME = 40, GPU_KERNEL_ARGS = 32 };
struct gpu_kernel_head {
    enum gpu_program program;
    unsigned threads, simd_threads;
    char name[GPU_KERNEL_NAME];
    char takes[GPU_KERNEL_ARGS]; /* its arguments: m memory, w a word of 32 bits, l of 64 */
};
extern const struct gpu_kernel_head gpu_kernel_heads[GPU_KERNELS];

/* A program that is written at run time: `body` follows kernels/batch/expression.h, with all that
 * this includes, and has a kernel from_text, of `threads` work-items to a group.  A device keeps
 * GPU_TEXTS of them, told apart by their text. */
enum { GPU_TEXTS = 64 };
struct gpu_text {
    unsigned threads;
    const char *body;
};

typedef struct gpu_device_impl gpu_device_impl; /* each backend defines its own */
typedef struct gpu_queue_impl gpu_queue_impl;
typedef struct gpu_kernel_impl gpu_kernel_impl;
typedef struct gpu_event_impl gpu_event_impl;

/* Words of what kernels of a device have given known answers (lib/selftest/). */
enum { GPU_KNOWN = 24 };

/* What a wait for a job's wishes has brought: nothing in time, some, the job has ended, or the
 * caller does not wait for it any more. */
enum gpu_served { GPU_SERVED_NOTHING, GPU_SERVED_SOME, GPU_SERVED_ALL, GPU_SERVED_LEFT };

/* A request that was sent to the process of a device; channel 0: none. */
struct gpu_sent {
    uint32_t channel, count;
};

struct gpu_backend {
    const char *name; /* "cuda", "opencl" */
    bool is_served;   /* the device works in mpgpu-serve */
    /* How the names of its driver's threads begin; NULL: as the thread that made them. */
    const char *threads;
    /* Fill caps[0..max) and return the number of devices there are, 0 if no
     * driver; loads the driver at first use, and never prints. */
    int (*enumerate)(struct gpu_caps *caps, int max);
    enum gpu_status (*open)(int index, gpu_device_impl **devp);
    void (*close)(gpu_device_impl *dev);
    enum gpu_status (*alloc)(gpu_device_impl *dev, size_t bytes, gpu_mem *memp);
    void (*release)(gpu_device_impl *dev, gpu_mem mem);
    /* Page-locked host memory. */
    enum gpu_status (*host_alloc)(gpu_device_impl *dev, size_t bytes, void **hostp);
    void (*host_release)(gpu_device_impl *dev, void *host);
    /* Page-lock memory that is there already, whole pages: copies then go straight to
     * it, and to just those pages, whatever the addresses lead to later.  One copy stays
     * inside what was locked as one.  GPU_ABSENT where the backend cannot do it. */
    enum gpu_status (*host_register)(gpu_device_impl *dev, void *host, size_t bytes);
    bool locks_for_all; /* what one device has locked the others of the backend reach, too */
    void (*host_unregister)(gpu_device_impl *dev, void *host);
    /* The same memory as kernels see it, while the host sees what they write: for arguments
     * of launches only, never released; h is its address for kernels.  GPU_ABSENT where there is no
     * such thing. */
    enum gpu_status (*host_view)(gpu_device_impl *dev, void *host, gpu_mem *viewp);
    enum gpu_status (*queue_open)(gpu_device_impl *dev, gpu_queue_impl **queuep);
    void (*queue_close)(gpu_queue_impl *queue);
    /* Asynchronous if the host side is page-locked; it must stay valid until
     * an event recorded behind the copy has been waited for. */
    enum gpu_status (*write)(gpu_queue_impl *queue, gpu_mem dst, size_t offset, const void *src,
                             size_t bytes);
    enum gpu_status (*read)(gpu_queue_impl *queue, void *dst, gpu_mem src, size_t offset,
                            size_t bytes);
    enum gpu_status (*zero)(gpu_queue_impl *queue, gpu_mem dst, size_t offset, size_t bytes);
    /* From memory of an open device of the backend, another or the same.  Nothing may write or
     * release that before the copy is done.  NULL: devices do not copy from one another. */
    enum gpu_status (*peer_copy)(gpu_queue_impl *queue, gpu_mem dst, size_t offset,
                                 gpu_device_impl *from, gpu_mem src, size_t src_offset,
                                 size_t bytes);
    /* Does `dev` copy from memory of `from`?  NULL: each from each, where there is peer_copy. */
    bool (*has_peer)(const gpu_device_impl *dev, const gpu_device_impl *from);
    /* A kernel, its program built or loaded at first use, kept until close.  GPU_NOBUILD for a
     * number that is none. */
    enum gpu_status (*kernel)(gpu_device_impl *dev, enum gpu_kernel id, gpu_kernel_impl **kernelp);
    /* The kernel of a text, built at first use, kept until close.  GPU_NOBUILD where the machine
     * has no compiler for it; NULL: no device of the backend has. */
    enum gpu_status (*build)(gpu_device_impl *dev, const struct gpu_text *text,
                             gpu_kernel_impl **kernelp);
    /* groups_x by groups_y work-groups, of the work-items that its head says. */
    enum gpu_status (*launch)(gpu_queue_impl *queue, gpu_kernel_impl *kernel, unsigned groups_x,
                              unsigned groups_y, const struct gpu_arg *args, unsigned nargs);
    /* Launches between a begin and the end may be kept back until something else is put into the
     * queue, or the end: those that come again are launched as one.  NULL: each goes by itself. */
    enum gpu_status (*series)(gpu_queue_impl *queue, bool begins);
    /* An event that is reached when all that is in the queue so far is done. */
    enum gpu_status (*event_record)(gpu_queue_impl *queue, gpu_event_impl **eventp);
    enum gpu_status (*event_wait)(gpu_event_impl *event); /* the host waits */
    enum gpu_status (*queue_wait)(gpu_queue_impl *queue,
                                  gpu_event_impl *event); /* the queue waits */
    void (*event_release)(gpu_event_impl *event);
    /* What other programs know of a device that they share, of this version of its kernels:
     * `known` adds bits to words[0..GPU_KNOWN), `learn` tells others of them.  NULL: nothing. */
    void (*known)(gpu_device_impl *dev, uint64_t *words);
    void (*learn)(gpu_device_impl *dev, const uint64_t *words);
    /* Lets the process of the device run the job at `offset` of the first region that both see.
     * Calls serve(of, nanoseconds), which waits so long at most, until there is an answer
     * (lib/job/far_job.h).  serve may leave by longjmp.  Then, and after GPU_LEFT, the job is under
     * way until has_ended returns true.  NULL: that process runs no jobs. */
    enum gpu_status (*run_job)(gpu_device_impl *dev, uint64_t offset, struct gpu_sent *sent,
                               enum gpu_served (*serve)(void *of, int64_t ns), void *of);
    bool (*has_ended)(gpu_device_impl *dev, struct gpu_sent *sent);
    /* That process takes small products from the slots behind the block
     * (lib/session/gather_block.h) at `offset` of that region.  *is_watched: this process sees
     * their end by itself.  `sent` and `serve` as for run_job.  ring_slots tells it that there are
     * some. */
    enum gpu_status (*open_slots)(gpu_device_impl *dev, uint64_t offset, bool *is_watched,
                                  struct gpu_sent *sent,
                                  enum gpu_served (*serve)(void *of, int64_t ns), void *of);
    void (*ring_slots)(gpu_device_impl *dev);
    /* Finds {p, bytes} in memory that both see.  Returns false for other memory.  NULL: none is. */
    bool (*place)(const void *p, size_t bytes, uint64_t *region, uint64_t *offset);
    /* The modulus by which its jobs are checked, 0 if there is none.  NULL: this process's. */
    uint64_t (*modulus)(const gpu_device_impl *dev);
    /* Builds a program into the cache and keeps nothing of it; NULL: none is built at run time. */
    enum gpu_status (*build_ahead)(gpu_device_impl *dev, enum gpu_program program);
};

/* The backends that were compiled in, NULL-terminated, the preferred first. */
extern const struct gpu_backend *const gpu_backends[];

/* Is a thread with that name a driver's? */
bool gpu_is_thread(const char *name);

/* Does device `index` fit the words of the option `device`, in this round?  With "auto" the CPUs
 * have a round of their own, the last. */
bool gpu_fits(const char *device, int index, const struct gpu_caps *caps, bool cpus);

/* No CPU is a device of this process, and no driver is loaded if there is no sign of a GPU.  `why`
 * is a constant.  gpu_cpus_forbidden returns it, or NULL. */
void gpu_forbid_cpus(const char *why);
const char *gpu_cpus_forbidden(void);

/* In a process whose environment must stay as it is: returns NULL, or why no CPU can be a device:
 * others can write where PoCL loads machine code from. */
const char *gpu_cpus_fault(void);

/* An open device. */
struct gpu_device {
    const struct gpu_backend *backend;
    gpu_device_impl *impl;
    struct gpu_caps caps;
    int index;
};

/* Find a device.  backend: "auto" or a backend's name.  device: "auto", a
 * number as `mpgpu-info` lists them within the backend, or a part of a device's
 * name (case does not count).  rank: of the devices that fit, 0 for the first, in
 * the order of gpu_backends; with device "auto" CPUs come after all GPUs.
 * GPU_ABSENT, and devp->backend is NULL, if no more than `rank` fit. */
enum gpu_status gpu_find(const char *backend, const char *device, unsigned rank,
                         struct gpu_device *devp);

/* The same of the devices that mpgpu-serve has (gpu/served/), if a server of this user runs.
 * GPU_ABSENT where none does, or the words mean no more than `rank` of its devices.  One thread at
 * a time.  There is one connection in a process, and it lasts as long as the thread that was the
 * first to call this. */
enum gpu_status gpu_find_served(const char *backend, const char *device, unsigned rank,
                                struct gpu_device *devp);

/* Returns true if the latest of these calls failed because the server has no device that the words
 * name, or was started with other visible devices. */
bool gpu_served_has_others(void);

/* No other device that was found so is to be opened.  If none is open, the server has one client
 * less. */
void gpu_forgo_served(void);

/* The server and its clients, a line each, of any process; false where none runs.  All its devices
 * and clients fit into so many bytes. */
enum { GPU_SERVED_LIST = 24 << 10 };
bool gpu_served_list(char *text, size_t size);

/* The pool's memory, which both this process and the server see; one thread at a time.  map: the
 * bytes from `offset` on of `most` bytes in all, in place of what lies at `at`, all 0; false where
 * there is no server.  unmap: its content is gone, and `at` is to be mapped anew.  keep: what lies
 * in a piece of it is this process's own from now on, at the same place; false where that can't be.
 * part: then the server sees none of it any more.  tells: it is told so now, unless another thread
 * is about to send it something; else at a later call. */
bool gpu_served_map(void *at, size_t offset, size_t bytes, size_t most);
void gpu_served_unmap(void *at);
bool gpu_served_keep(void *at, size_t bytes);
void gpu_served_part(bool tells);

/* From here on this process uses a server of its own: gpu_served_await starts it, it ends with this
 * process, and no server of the user's is asked.  Once, before the functions below. */
void gpu_served_be_private(void);

/* Does a socket of a server of this user exist?  Three system calls; nothing is opened.  Any
 * thread, after gpu_set_cache_dir. */
bool gpu_served_may_run(void);

/* Waits until the server of this user answers: it may be opening its devices.  If none runs, starts
 * `program`, which is mpgpu-serve, unless that is NULL: detached from this process, in an
 * environment where `conf` replaces MPGPU_CONF.  GPU_OK, or why there is no server.  Takes up to 30
 * seconds, or ten minutes while a server opens its devices, but ends soon after gpu_stop.  One
 * thread. */
enum gpu_status gpu_served_await(const char *program, const char *conf);

/* One look of that wait, which takes some milliseconds at most.  Sets *is_over if it has ended;
 * else it is to be called again.  For a program that permits no threads. */
enum gpu_status gpu_served_look(const char *program, const char *conf, bool *is_over);

/* In a child of fork, before gpu_find_served: it has no connection yet. */
void gpu_served_renew(void);

/* Stays as long as the connection does, and looks whether the server lives.  For the thread that
 * has connected. */
void gpu_served_keep_connection(void);

/* How long an answer to a short request is waited for, in nanoseconds, before the server counts as
 * lost.  At first for ever.  Such a wait calls `look` about every 50 ms, with locks held. */
void gpu_served_set_patience(int64_t ns, void (*look)(void));

/* Returns true if the server has ended or is asked no more.  Any thread. */
bool gpu_served_is_lost(void);

/* Open what was found; and both at once. */
enum gpu_status gpu_open_found(struct gpu_device *dev);
enum gpu_status gpu_open(const char *backend, const char *device, unsigned rank,
                         struct gpu_device *devp);
void gpu_close(struct gpu_device *dev);

/* Wrappers, so that callers read gpu_alloc(dev, ...). */
static inline enum gpu_status gpu_alloc(const struct gpu_device *dev, size_t bytes, gpu_mem *memp) {
    return dev->backend->alloc(dev->impl, bytes, memp);
}
static inline void gpu_release(const struct gpu_device *dev, gpu_mem mem) {
    dev->backend->release(dev->impl, mem);
}

/* Does `dev` copy from memory of `from` (gpu_peer_copy)? */
static inline bool gpu_has_peer(const struct gpu_device *dev, const struct gpu_device *from) {
    const struct gpu_backend *b = dev->backend;
    return b == from->backend && b->peer_copy &&
           (!b->has_peer || b->has_peer(dev->impl, from->impl));
}

struct gpu_queue {
    const struct gpu_backend *backend;
    gpu_queue_impl *impl;
};
enum gpu_status gpu_queue_open(const struct gpu_device *dev, struct gpu_queue *queue);
void gpu_queue_close(struct gpu_queue *queue);

/* Wait until all that is in the queue is done. */
enum gpu_status gpu_finish(const struct gpu_queue *queue);

static inline enum gpu_status gpu_write(const struct gpu_queue *q, gpu_mem dst, size_t offset,
                                        const void *src, size_t bytes) {
    return q->backend->write(q->impl, dst, offset, src, bytes);
}
static inline enum gpu_status gpu_read(const struct gpu_queue *q, void *dst, gpu_mem src,
                                       size_t offset, size_t bytes) {
    return q->backend->read(q->impl, dst, src, offset, bytes);
}
static inline enum gpu_status gpu_zero(const struct gpu_queue *q, gpu_mem dst, size_t offset,
                                       size_t bytes) {
    return q->backend->zero(q->impl, dst, offset, bytes);
}
static inline enum gpu_status gpu_peer_copy(const struct gpu_queue *q, gpu_mem dst, size_t offset,
                                            gpu_device_impl *from, gpu_mem src, size_t src_offset,
                                            size_t bytes) {
    return q->backend->peer_copy(q->impl, dst, offset, from, src, src_offset, bytes);
}
static inline enum gpu_status gpu_event_record(const struct gpu_queue *q, gpu_event_impl **eventp) {
    return q->backend->event_record(q->impl, eventp);
}
static inline enum gpu_status gpu_queue_wait(const struct gpu_queue *q, gpu_event_impl *event) {
    return q->backend->queue_wait(q->impl, event);
}
static inline enum gpu_status gpu_series(const struct gpu_queue *q, bool begins) {
    return q->backend->series ? q->backend->series(q->impl, begins) : GPU_OK;
}
static inline struct gpu_arg gpu_arg_mem(gpu_mem mem) {
    return (struct gpu_arg){GPU_ARG_MEM, {.mem = mem}};
}
static inline struct gpu_arg gpu_arg_u32(uint32_t u) {
    return (struct gpu_arg){GPU_ARG_U32, {.u32 = u}};
}
static inline struct gpu_arg gpu_arg_u64(uint64_t u) {
    return (struct gpu_arg){GPU_ARG_U64, {.u64 = u}};
}

#endif
