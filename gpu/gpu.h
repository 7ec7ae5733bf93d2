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
    GPU_LEFT     /* the caller has stopped waiting (lib/process/hold.h); no backend returns it */
};

/* Returns the text of a status, for messages. */
const char *gpu_status_text(int status);

/* Returns the text of this thread's last failure; "" if no call has failed. */
const char *gpu_error_text(void);

/* gpu/ does not know lib/: messages go to a function that lib/ sets (levels as
 * in lib/base/log.h: 1 warning, 2 information, 3 detail).  NULL: no messages. */
void gpu_set_logger(void (*logger)(int level, const char *text));

/* Announces that the program is ending.  From then on, opening a device or building a program fails
 * with GPU_FAILED, so that threads inside gpu/ return soon. */
void gpu_stop(void);

/* Returns true if a driver's library has been loaded into this process, or is being loaded. */
bool gpu_has_driver(void);

/* Sets the folder for built programs; NULL or "" means no cache on disk.  The string is copied.
 * Call it before other threads use gpu/; later calls may repeat the same folder.  Readers take no
 * lock, because a child of fork could find it locked. */
void gpu_set_cache_dir(const char *dir);

/* Returns true if files of the system indicate a GPU.  Loads no driver. */
bool gpu_may_exist(void);

/* Announces the programs (enum gpu_program) that a device will need, in the order of first use; the
 * first result needs `first` of them.  If programs are built at run time, several helper processes
 * build these `first` programs ahead, and the others during the work.  There is one list for GPUs
 * and one for devices with caps.simd.  The list is not copied.  Call it before gpu_find. */
void gpu_expect(bool simd, unsigned first, unsigned count, const uint16_t *programs);

/* Makes the helpers build all announced programs at once.  Call it before gpu_find. */
void gpu_expect_at_once(void);

/* Sets the executable of the build helpers: it calls gpu_help_building if its argument is
 * GPU_BUILD_HELPER.  Without helpers, programs are built one after another, at first use.  The
 * string is copied.  Call it before gpu_find. */
#define GPU_BUILD_HELPER "--build-helper"
void gpu_set_build_helper(const char *path);

/* Builds programs for the process that has started this one as its helper, and ends this process
 * with _exit.  Returns the exit status if there is no such process. */
int gpu_help_building(void);

/* Builds the announced programs of an open device that no helper has begun, into the cache.  Call
 * it after the device's first kernel was requested, for a backend that has build_ahead. */
struct gpu_device;
void gpu_build_expected(const struct gpu_device *dev);

/* Forbids building programs for CPU devices: a program that the cache lacks is GPU_NOBUILD.  Call
 * it before gpu_find. */
void gpu_build_nothing_for_cpus(void);

/* Returns true if the cache has all programs for CPUs that gpu_expect lists, from this build of the
 * library.  Takes four system calls and no driver call.  Any thread, after gpu_set_cache_dir. */
bool gpu_cpu_is_built(void);

/* Programs built at run time by or for this process (done); programs that it has requested to be
 * built (wanted); the time that its threads have waited for them.  Programs from the cache do not
 * count. */
struct gpu_builds_numbers {
    unsigned done, wanted;
    uint64_t waited_ns;
};
void gpu_builds_ask(struct gpu_builds_numbers *numbers);

/* Returns the nanoseconds that this thread has waited for builds. */
uint64_t gpu_builds_waited_here(void);

/* Calls notice(true) in each thread before it builds a program or waits for one that another thread
 * or process builds, and notice(false) afterwards. */
void gpu_set_build_notice(void (*notice)(bool is_building));

/* Gives CPU devices the kernels of GPUs, for tests on machines without a GPU.  Call it before a
 * device is opened. */
void gpu_use_kernels_of_gpus(void);
bool gpu_uses_kernels_of_gpus(void);

struct gpu_caps {
    char name[128]; /* as the driver gives it */
    char vendor[64];
    char driver[64]; /* driver version, and platform version for OpenCL */
    int is_cpu;      /* an OpenCL device that is the CPU itself */
    int simd;        /* its programs are built with ON_CPU (kernels/common/simd.h) */
    /* The most groups that may share a BARRIER_CLUSTER (kernels/common/platform.h); 0: not
     * supported. */
    unsigned cluster;
    bool doubles;       /* its kernels have floating-point numbers of 64 bits */
    bool fast_doubles;  /* and multiplies two in the time of one integer product (CUDA) */
    bool matrix_units;  /* its kernels have MATRIX_UNITS (kernels/common/matrix.h) */
    bool matrix_groups; /* its kernels have MATRIX_GROUPS (kernels/common/matrix_group.h; CUDA) */
    /* The device's bit among the devices of its process that run jobs (run_job); 0: it runs none.
     * If jobs_only is set, it does nothing else: it belongs to another member
     * (tools/serve/group/). */
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

/* What a kernel's head declares: the work-items of a group, and the work-items of a group on
 * devices with caps.simd.  The table has no pointers, because the loader would relocate them in
 * every process (lib/base/started.h). */
enum { GPU_KERNEL_NAME = 40, GPU_KERNEL_ARGS = 32 };
struct gpu_kernel_head {
    enum gpu_program program;
    unsigned threads, simd_threads;
    char name[GPU_KERNEL_NAME];
    char takes[GPU_KERNEL_ARGS]; /* its arguments: m memory, w a word of 32 bits, l of 64 */
};
extern const struct gpu_kernel_head gpu_kernel_heads[GPU_KERNELS];

/* A program whose source is generated at run time: kernels/batch/expression.h with its includes,
 * then `body`, which defines the kernel from_text with `threads` work-items a group.  A device
 * caches GPU_TEXTS such programs by their text. */
enum { GPU_TEXTS = 64 };
struct gpu_text {
    unsigned threads;
    const char *body;
};

typedef struct gpu_device_impl gpu_device_impl; /* each backend defines its own */
typedef struct gpu_queue_impl gpu_queue_impl;
typedef struct gpu_kernel_impl gpu_kernel_impl;
typedef struct gpu_event_impl gpu_event_impl;

/* Words of the bit set of a device's kernels that have passed their known-answer test
 * (lib/selftest/). */
enum { GPU_KNOWN = 24 };

/* Outcome of waiting for a job's requests: none in time; some were served; the job has ended; the
 * caller has stopped waiting. */
enum gpu_served { GPU_SERVED_NOTHING, GPU_SERVED_SOME, GPU_SERVED_ALL, GPU_SERVED_LEFT };

/* A request that was sent to the process of a device; channel 0: none. */
struct gpu_sent {
    uint32_t channel, count;
};

struct gpu_backend {
    const char *name; /* "cuda", "opencl" */
    bool is_served;   /* the device works in mpgpu-serve */
    /* The prefix of the names of the driver's threads; NULL: the name of the thread that created
     * them. */
    const char *threads;
    /* Fills caps[0..max) and returns the number of devices, 0 without a driver.  Loads the driver
     * at first use.  Never prints. */
    int (*enumerate)(struct gpu_caps *caps, int max);
    enum gpu_status (*open)(int index, gpu_device_impl **devp);
    void (*close)(gpu_device_impl *dev);
    enum gpu_status (*alloc)(gpu_device_impl *dev, size_t bytes, gpu_mem *memp);
    void (*release)(gpu_device_impl *dev, gpu_mem mem);
    /* Page-locked host memory. */
    enum gpu_status (*host_alloc)(gpu_device_impl *dev, size_t bytes, void **hostp);
    void (*host_release)(gpu_device_impl *dev, void *host);
    /* Page-locks existing memory, whole pages.  Copies then go straight to these physical pages,
     * even if the addresses are mapped to others later.  A copy must not cross the range of one
     * call.  GPU_ABSENT if the backend cannot do it. */
    enum gpu_status (*host_register)(gpu_device_impl *dev, void *host, size_t bytes);
    /* As host_register, in the device's process, and without waiting: *sent is under way until
     * has_ended returns true. NULL: there is host_register instead. */
    enum gpu_status (*begin_register)(gpu_device_impl *dev, void *host, size_t bytes,
                                      struct gpu_sent *sent);
    bool locks_for_all; /* memory locked by one device is locked for all devices of the backend */
    void (*host_unregister)(gpu_device_impl *dev, void *host);
    /* Returns page-locked memory as an argument of launches; the host sees what kernels write
     * there. viewp->h is its address for kernels and is never released.  GPU_ABSENT if the backend
     * cannot do it. */
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
    /* Copies from memory of an open device of the backend, another or the same.  Nothing may write
     * or release the source before the copy has ended.  NULL: devices cannot copy from one
     * another. */
    enum gpu_status (*peer_copy)(gpu_queue_impl *queue, gpu_mem dst, size_t offset,
                                 gpu_device_impl *from, gpu_mem src, size_t src_offset,
                                 size_t bytes);
    /* Returns true if `dev` can copy from memory of `from`.  NULL: every device can, if there is
     * peer_copy. */
    bool (*has_peer)(const gpu_device_impl *dev, const gpu_device_impl *from);
    /* Returns a kernel.  Its program is built or loaded at first use and kept until close.
     * GPU_NOBUILD if `id` is out of range. */
    enum gpu_status (*kernel)(gpu_device_impl *dev, enum gpu_kernel id, gpu_kernel_impl **kernelp);
    /* Returns the kernel of a text, which is built at first use and kept until close.  GPU_NOBUILD
     * if the machine has no compiler for it.  NULL: the backend never has one. */
    enum gpu_status (*build)(gpu_device_impl *dev, const struct gpu_text *text,
                             gpu_kernel_impl **kernelp);
    /* Launches groups_x by groups_y work-groups; the kernel's head gives their work-items. */
    enum gpu_status (*launch)(gpu_queue_impl *queue, gpu_kernel_impl *kernel, unsigned groups_x,
                              unsigned groups_y, const struct gpu_arg *args, unsigned nargs);
    /* Begins or ends a series.  During a series, launches may be deferred until the series ends or
     * another command is queued.  A repeated sequence of launches is then issued as one graph.
     * NULL: launches are never deferred. */
    enum gpu_status (*series)(gpu_queue_impl *queue, bool begins);
    /* Records an event that completes when all earlier commands of the queue have completed. */
    enum gpu_status (*event_record)(gpu_queue_impl *queue, gpu_event_impl **eventp);
    enum gpu_status (*event_wait)(gpu_event_impl *event); /* the host waits */
    enum gpu_status (*queue_wait)(gpu_queue_impl *queue,
                                  gpu_event_impl *event); /* the queue waits */
    void (*event_release)(gpu_event_impl *event);
    /* Share self-test results between programs that use the device with this version of the
     * kernels: `known` adds bits to words[0..GPU_KNOWN), `learn` publishes them.  NULL: nothing is
     * shared. */
    void (*known)(gpu_device_impl *dev, uint64_t *words);
    void (*learn)(gpu_device_impl *dev, const uint64_t *words);
    /* Makes the device's process run the job at `offset` of the first shared region.  Calls
     * serve(of, ns), which waits at most `ns` nanoseconds, until there is an answer
     * (lib/job/far_job.h). serve may leave by longjmp.  Then, and after GPU_LEFT, the job is under
     * way until has_ended returns true.  NULL: that process runs no jobs. */
    enum gpu_status (*run_job)(gpu_device_impl *dev, uint64_t offset, struct gpu_sent *sent,
                               enum gpu_served (*serve)(void *of, int64_t ns), void *of);
    bool (*has_ended)(gpu_device_impl *dev, struct gpu_sent *sent, enum gpu_status *status);
    enum gpu_status (*await)(gpu_device_impl *dev, struct gpu_sent *sent); /* waits for the end */
    /* Makes the device's process compute small products from the slots behind the block
     * (lib/session/gather_block.h) at `offset` of the first shared region.  *is_watched: this
     * process sees their end by itself.  `sent` and `serve` as for run_job. ring_slots notifies the
     * process of new products. */
    enum gpu_status (*open_slots)(gpu_device_impl *dev, uint64_t offset, bool *is_watched,
                                  struct gpu_sent *sent,
                                  enum gpu_served (*serve)(void *of, int64_t ns), void *of);
    void (*ring_slots)(gpu_device_impl *dev);
    /* Finds {p, bytes} in memory shared with the device's process.  Returns false for other memory.
     * NULL: no memory is shared. */
    bool (*place)(const void *p, size_t bytes, uint64_t *region, uint64_t *offset);
    /* Returns the modulus that the device's process checks jobs with, 0 if there is none.  NULL:
     * this process's modulus. */
    uint64_t (*modulus)(const gpu_device_impl *dev);
    /* Builds a program into the cache only.  NULL: programs are never built at run time. */
    enum gpu_status (*build_ahead)(gpu_device_impl *dev, enum gpu_program program);
};

/* The backends that were compiled in, NULL-terminated, the preferred first. */
extern const struct gpu_backend *const gpu_backends[];

/* Returns true if a thread with that name belongs to a driver. */
bool gpu_is_thread(const char *name);

/* Returns true if device `index` matches the value of the option `device`. gpu_find looks twice for
 * "auto": for GPUs, then for CPUs (`cpus`). */
bool gpu_fits(const char *device, int index, const struct gpu_caps *caps, bool cpus);

/* Forbids CPU devices in this process; no driver is loaded if there is no sign of a GPU.  `why` is
 * a constant. gpu_cpus_forbidden returns it, or NULL. */
void gpu_forbid_cpus(const char *why);
const char *gpu_cpus_forbidden(void);

/* For a process whose environment must not change.  Returns NULL, or why no CPU can be a device:
 * others can write to the folder that PoCL loads machine code from. */
const char *gpu_cpus_fault(void);

/* An open device. */
struct gpu_device {
    const struct gpu_backend *backend;
    gpu_device_impl *impl;
    struct gpu_caps caps;
    int index;
};

/* Finds a device. backend: "auto" or a backend's name. device: "auto", a number as `mpgpu-info`
 * lists them within the backend, or a part of a device's name (case does not count). rank: the
 * number of the device among all devices that fit, from 0, in the order of gpu_backends; with
 * device "auto" CPUs come after all GPUs.  GPU_ABSENT, and devp->backend is NULL, if at most `rank`
 * devices fit. */
enum gpu_status gpu_find(const char *backend, const char *device, unsigned rank,
                         struct gpu_device *devp);

/* Finds a device of mpgpu-serve (gpu/served/), if a server of this user runs.  GPU_ABSENT if none
 * runs, or at most `rank` of its devices fit.  One thread at a time.  A process has one connection,
 * which ends with the first thread that called this function. */
enum gpu_status gpu_find_served(const char *backend, const char *device, unsigned rank,
                                struct gpu_device *devp);

/* Returns true if the latest gpu_find_served failed because no device of the server fits, or
 * because the server was started with other visible devices. */
bool gpu_served_has_others(void);

/* Call it after the last open of devices from gpu_find_served.  Disconnects from the server if no
 * device of it is open. */
void gpu_forgo_served(void);

/* Lists the server of this user and its clients, a line each.  Returns false if no server runs.
 * GPU_SERVED_LIST bytes are enough for all devices and clients. */
enum { GPU_SERVED_LIST = 24 << 10 };
bool gpu_served_list(char *text, size_t size);

/* Memory of the pool that this process shares with the server; one thread at a time. map: replaces
 * the pages at `at` by `bytes` zero bytes from `offset` of a shared region of `most` bytes.
 * Returns false if there is no server. unmap: discards the content; the caller maps `at` again
 * before use. keep: makes a piece private to this process, at the same address and with its
 * content.  Returns false if that fails. part: ends sharing of the whole region.  If `tells` is
 * set, it notifies the server now, unless another thread is about to send a request; otherwise a
 * later call notifies the server. */
bool gpu_served_map(void *at, size_t offset, size_t bytes, size_t most);
void gpu_served_unmap(void *at);
bool gpu_served_keep(void *at, size_t bytes);
void gpu_served_part(bool tells);

/* Makes this process use a private server, which gpu_served_await starts and which ends with this
 * process.  The user's server is not contacted.  Call it once, before the functions below. */
void gpu_served_be_private(void);

/* Returns true if a socket of a server of this user exists.  Takes three system calls and opens
 * nothing.  Any thread, after gpu_set_cache_dir. */
bool gpu_served_may_run(void);

/* Waits until the server of this user answers: it may be opening its devices.  If none runs and
 * `program` is not NULL, starts `program`, which is mpgpu-serve, detached from this process, in an
 * environment where `conf` replaces MPGPU_CONF.  Returns GPU_OK, or why there is no server.  Takes
 * up to 30 seconds, or ten minutes while a server opens its devices, but ends soon after gpu_stop.
 * One thread. */
enum gpu_status gpu_served_await(const char *program, const char *conf);

/* Does one step of gpu_served_await, of at most some milliseconds, for a program that permits no
 * threads.  Sets *is_over at the end of the wait; until then, the caller calls it again. */
enum gpu_status gpu_served_look(const char *program, const char *conf, bool *is_over);

/* Forgets the parent's connection in a child of fork.  Call it before gpu_find_served. */
void gpu_served_renew(void);

/* Checks that the server lives, and returns when the connection has ended.  For the thread that has
 * connected. */
void gpu_served_keep_connection(void);

/* How long an answer to a short request is waited for, in nanoseconds, before the server counts as
 * lost.  At first for ever.  Such a wait calls `look` about every 50 ms, with locks held. */
void gpu_served_set_patience(int64_t ns, void (*look)(void));

/* Returns true if the server has ended, or this process has given it up.  Any thread. */
bool gpu_served_is_lost(void);

/* gpu_open_found opens a device of gpu_find or gpu_find_served; gpu_open finds and opens a
 * device. */
enum gpu_status gpu_open_found(struct gpu_device *dev);
enum gpu_status gpu_open(const char *backend, const char *device, unsigned rank,
                         struct gpu_device *devp);
void gpu_close(struct gpu_device *dev);

/* Calls of a device's backend functions: gpu_alloc(dev, ...) calls dev->backend->alloc(dev->impl,
 * ...). */
static inline enum gpu_status gpu_alloc(const struct gpu_device *dev, size_t bytes, gpu_mem *memp) {
    return dev->backend->alloc(dev->impl, bytes, memp);
}
static inline void gpu_release(const struct gpu_device *dev, gpu_mem mem) {
    dev->backend->release(dev->impl, mem);
}

/* Returns true if `dev` can copy from memory of `from` (gpu_peer_copy). */
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
