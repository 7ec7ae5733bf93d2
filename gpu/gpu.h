/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The only header through which lib/ uses devices. Each backend (CUDA, OpenCL, server) is a
 * constant table of functions, struct gpu_backend; lib/ calls this table, or the thin wrappers at
 * the end of this file.
 *
 * Most functions that can fail return an enum gpu_status. After a failure, gpu_error_text() in the
 * same thread returns the reason. Sizes and offsets are in bytes. Copies and launches are
 * asynchronous and run in the order in which they were put into their queue. */
#ifndef MPGPU_GPU_H
#define MPGPU_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/host/thread_memory.h" /* included for lib/ and compat/, too */

enum gpu_status {
    GPU_OK = 0,
    GPU_ABSENT,  /* no driver, no platform, or no matching device */
    GPU_NOMEM,   /* device memory or page-locked memory is exhausted */
    GPU_NOBUILD, /* a program does not compile or load, or it lacks the kernel */
    GPU_FAILED,  /* any other failure: results of the device can no longer be trusted */
    /* The caller has abandoned the operation: a signal handler left it by longjmp or took too long
     * (lib/process/lease.h). Of the backends, only that of mpgpu-serve returns this. */
    GPU_LEFT
};

/* Returns the text of a status, for messages. */
const char *gpu_status_text(int status);

/* Returns the text of this thread's last failure; "" if no call has failed. */
const char *gpu_error_text(void);

/* Sets a function that receives log messages, because gpu/ does not depend on lib/. Levels are
 * as in lib/base/log.h: 1 warning, 2 information, 3 detail. NULL: messages are discarded. */
void gpu_set_logger(void (*logger)(int level, const char *text));

/* Announces that the program is ending.  From then on, opening a device or building a program fails
 * with GPU_FAILED, so that threads inside gpu/ return soon. */
void gpu_stop(void);

/* Returns true once this process has tried to load a driver's library. */
bool gpu_has_driver(void);

/* Sets the folder for built programs; NULL or "" means no cache on disk.  The string is copied.
 * Call it before other threads use gpu/; later calls may only repeat the same folder.  Readers take
 * no lock, because a child of fork could find it locked. */
void gpu_set_cache_dir(const char *dir);

/* Returns true if files of the system indicate a GPU, such as /dev/nvidia*. Loads no driver. */
bool gpu_may_exist(void);

/* Announces the programs (enum gpu_program) that a device will need: an array of `count` entries,
 * in the order of first use. If `simd` is true, the list is for devices with caps.simd, otherwise
 * for GPUs. The array is not copied. Call it before gpu_find.
 *
 * The device's first result needs the first `first` programs. If programs are built at run time,
 * helper processes build these in advance, and the others while operations run. */
void gpu_expect(bool simd, unsigned first, unsigned count, const uint16_t *programs);

/* Makes helper processes build all announced programs at once. Call it before gpu_find. */
void gpu_expect_at_once(void);

/* Sets the executable of the helper processes that build programs. The executable must call
 * gpu_help_building if its argument is GPU_BUILD_HELPER. Without a helper, programs are built one
 * after another at first use. The string is copied. Call it before gpu_find. */
#define GPU_BUILD_HELPER "--build-helper"
void gpu_set_build_helper(const char *path);

/* Builds programs for the process that has started this process as its helper, and ends this
 * process with _exit. Returns the exit status if the helper cannot work. */
int gpu_help_building(void);

/* Builds announced programs of an open device into the cache, except those begun by a helper. Call
 * it after the first request of a kernel, if the backend has build_ahead. */
struct gpu_device;
void gpu_build_expected(const struct gpu_device *dev);

/* Forbids building programs for CPU devices. If the cache lacks a program, its kernels fail with
 * GPU_NOBUILD. Call it before gpu_find. */
void gpu_build_nothing_for_cpus(void);

/* Returns true if this build of the library has built all programs for CPU devices that gpu_expect
 * names, and the cache has them. Takes five system calls and no driver call. Any thread may call
 * it, after gpu_set_cache_dir. */
bool gpu_cpu_is_built(void);

/* Counts of builds at run time. Programs loaded from the cache do not count. done: builds that this
 * process or its helpers have ended, failed ones too. wanted: programs whose build was requested.
 * waited_ns: time that this process's threads have waited for builds. */
struct gpu_builds_numbers {
    unsigned done, wanted;
    uint64_t waited_ns;
};
void gpu_builds_ask(struct gpu_builds_numbers *numbers);

/* Returns the nanoseconds that this thread has waited for builds. */
uint64_t gpu_builds_waited_here(void);

/* Sets a function to be called in each thread: notice(true) before the thread creates a kernel,
 * which may build the kernel's program, notice(false) afterwards. */
void gpu_set_build_notice(void (*notice)(bool is_building));

/* Makes CPU devices use the kernels written for GPUs, for tests on machines without a GPU. Call
 * it before a device is opened. */
void gpu_use_kernels_of_gpus(void);
bool gpu_uses_kernels_of_gpus(void);

enum { GPU_UUID = 16, GPU_SHARED_BYTES = 2 << 20 };

struct gpu_caps {
    char name[128]; /* the device's name, as the driver reports it */
    char vendor[64];
    char driver[64]; /* driver version, and platform version for OpenCL */
    int is_cpu;      /* the device is an OpenCL device that runs on the CPU */
    int simd;        /* kernels work on vectors of residues (ON_CPU, kernels/common/simd.h) */
    /* The most groups that can wait for one another in a launch (BARRIER_CLUSTER in
     * kernels/common/platform.h); 0: none. */
    unsigned cluster;
    bool doubles;       /* kernels can use 64-bit floating-point numbers */
    bool fast_doubles;  /* multiplying two doubles takes the time of one integer product (CUDA) */
    bool matrix_units;  /* kernels can use MATRIX_UNITS (kernels/common/matrix.h) */
    bool matrix_groups; /* kernels can use MATRIX_GROUPS (kernels/common/matrix_group.h; CUDA) */
    /* The bit of this device in a mask of devices, if the device runs jobs (complete operations,
     * see run_job); otherwise 0. If jobs_only is set, the device runs only jobs: it belongs to
     * another server of the group (tools/serve/group/). */
    uint32_t jobs;
    bool jobs_only;
    unsigned compute_units;
    unsigned max_group;    /* work-items in one work-group */
    uint64_t local_bytes;  /* local (shared) memory of one work-group */
    uint64_t memory_bytes; /* device memory */
    uint64_t max_alloc;    /* largest single allocation */
    /* Identifies a GPU of the CUDA backend that can share memory: the same value in every process.
     * Zeros for other devices. */
    unsigned char uuid[GPU_UUID];
};

/* A handle of device memory: a CUdeviceptr, a cl_mem, or a number of mpgpu-serve; 0 means none. */
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

/* The programs of kernels/programs.def, in the order of that file. */
enum gpu_program {
#define PROGRAM(id, file, defines) GPU_PROGRAM_##id,
#include "kernels/programs.def"
#undef PROGRAM
    GPU_PROGRAMS
};

/* All kernels of all programs, from kernels/kernels.def, which kernels/launches.sh generates. */
enum gpu_kernel {
#define KERNEL_OF(program, name, threads, simd_threads, takes, bytes) GPU_KERNEL_##program##_##name,
#include "kernels/kernels.def"
#undef KERNEL_OF
    GPU_KERNELS
};

/* The declaration of a kernel. `threads` is the number of work-items of a group, simd_threads the
 * same for devices with caps.simd. The struct has no pointers, which the loader would have to
 * relocate in every process. */
enum { GPU_KERNEL_NAME = 40, GPU_KERNEL_ARGS = 32 };
struct gpu_kernel_head {
    enum gpu_program program;
    unsigned threads, simd_threads;
    char name[GPU_KERNEL_NAME];
    char takes[GPU_KERNEL_ARGS]; /* a letter for each argument: m memory, r memory that the kernel
                                    only reads, w a 32-bit word, l a 64-bit word */
    /* bytes of the array LOCAL_LARGE if KERNEL_LARGE declares the kernel; otherwise 0 */
    unsigned large_bytes;
};
extern const struct gpu_kernel_head gpu_kernel_heads[GPU_KERNELS];

/* A program whose source is generated at run time: kernels/batch/expression.h with its includes,
 * then `body`. `body` defines the kernel from_text with `threads` work-items a group.  A device
 * caches GPU_TEXTS such programs by their text. */
enum { GPU_TEXTS = 64 };
struct gpu_text {
    unsigned threads;
    const char *body;
};

typedef struct gpu_device_impl gpu_device_impl; /* each backend defines these structs */
typedef struct gpu_queue_impl gpu_queue_impl;
typedef struct gpu_kernel_impl gpu_kernel_impl;
typedef struct gpu_event_impl gpu_event_impl;

/* What happened while a thread waited for its job in the server process. NOTHING: no request of the
 * server arrived. SOME: the thread answered requests, such as copies. ALL: the job has ended. LEFT:
 * the thread has abandoned the job. */
enum gpu_served { GPU_SERVED_NOTHING, GPU_SERVED_SOME, GPU_SERVED_ALL, GPU_SERVED_LEFT };

/* A request that was sent to the server process of a device, in a channel. channel 0: no
 * request. */
struct gpu_sent {
    uint32_t channel, count;
};

struct gpu_backend {
    const char *name; /* "cuda", "opencl" */
    bool is_served;   /* the device belongs to the process mpgpu-serve */
    /* The prefix by which the driver names its threads. NULL: its threads have the name of the
     * thread that created them. */
    const char *threads;
    /* Fills caps[0..max) and returns the number of devices, 0 without a driver.  Loads the driver
     * at first use.  Never prints. */
    int (*enumerate)(struct gpu_caps *caps, int max);
    enum gpu_status (*open)(int index, gpu_device_impl **devp);
    void (*close)(gpu_device_impl *dev);
    enum gpu_status (*alloc)(gpu_device_impl *dev, size_t bytes, gpu_mem *memp);
    void (*release)(gpu_device_impl *dev, gpu_mem mem);
    /* alloc_shared allocates memory of zeros that other processes can map; `release` releases it.
     * The memory occupies `bytes` rounded up to a multiple of GPU_SHARED_BYTES. share sets *filep
     * to a new descriptor of such memory, which the caller closes. NULL: memory cannot be shared.
     * The backend `served` has only `share`. */
    enum gpu_status (*alloc_shared)(gpu_device_impl *dev, size_t bytes, gpu_mem *memp);
    enum gpu_status (*share)(gpu_device_impl *dev, gpu_mem mem, int *filep);
    /* Page-locked host memory. */
    enum gpu_status (*host_alloc)(gpu_device_impl *dev, size_t bytes, void **hostp);
    void (*host_release)(gpu_device_impl *dev, void *host);
    /* Page-locks existing memory, whole pages. Copies then access these physical pages, even if the
     * addresses are mapped to other pages later. A copy must not cross the boundary of a locked
     * range. Returns GPU_ABSENT if the backend cannot do it. */
    enum gpu_status (*host_register)(gpu_device_impl *dev, void *host, size_t bytes);
    /* Requests the work of host_register from the device's process, without waiting for it. The
     * request *sent is under way until has_ended returns true. NULL: use host_register. */
    enum gpu_status (*begin_register)(gpu_device_impl *dev, void *host, size_t bytes,
                                      struct gpu_sent *sent);
    bool locks_for_all; /* host_register for one device page-locks for all devices of the backend */
    void (*host_unregister)(gpu_device_impl *dev, void *host);
    /* Sets *viewp to a kernel argument for page-locked host memory; the host sees what kernels
     * write there. viewp->h is the memory's address for kernels and is never released. Returns
     * GPU_ABSENT if the backend cannot do it. */
    enum gpu_status (*host_view)(gpu_device_impl *dev, void *host, gpu_mem *viewp);
    enum gpu_status (*queue_open)(gpu_device_impl *dev, gpu_queue_impl **queuep);
    void (*queue_close)(gpu_queue_impl *queue);
    /* Copies between host and device, asynchronously if the host memory is page-locked. The host
     * memory must remain valid until an event recorded after the copy has completed. */
    enum gpu_status (*write)(gpu_queue_impl *queue, gpu_mem dst, size_t offset, const void *src,
                             size_t bytes);
    enum gpu_status (*read)(gpu_queue_impl *queue, void *dst, gpu_mem src, size_t offset,
                            size_t bytes);
    enum gpu_status (*zero)(gpu_queue_impl *queue, gpu_mem dst, size_t offset, size_t bytes);
    /* Copies the first `bytes` bytes of src to the beginning of dst; both are memory of this
     * device. */
    enum gpu_status (*copy)(gpu_queue_impl *queue, gpu_mem dst, gpu_mem src, size_t bytes);
    /* Copies from memory of an open device of this backend, which may be the same device. The
     * source must not be written or released before the copy ends. NULL: devices cannot copy from
     * one another. */
    enum gpu_status (*peer_copy)(gpu_queue_impl *queue, gpu_mem dst, size_t offset,
                                 gpu_device_impl *from, gpu_mem src, size_t src_offset,
                                 size_t bytes);
    /* Returns true if `dev` can copy from memory of `from`. NULL: every device can, provided
     * that peer_copy exists. */
    bool (*has_peer)(const gpu_device_impl *dev, const gpu_device_impl *from);
    /* Returns a kernel.  Its program is built or loaded at first use and kept until close.
     * GPU_NOBUILD if `id` is out of range. */
    enum gpu_status (*kernel)(gpu_device_impl *dev, enum gpu_kernel id, gpu_kernel_impl **kernelp);
    /* Returns the kernel of a program generated at run time. The program is built at first use and
     * kept until close. Returns GPU_NOBUILD if the machine has no compiler for it. NULL: the
     * backend cannot build such programs. */
    enum gpu_status (*build)(gpu_device_impl *dev, const struct gpu_text *text,
                             gpu_kernel_impl **kernelp);
    /* Launches groups_x by groups_y work-groups. The kernel's declaration (gpu_kernel_head)
     * gives the work-items of a group. */
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
    /* Makes the device's process run the job described at `offset` of the first shared region.
     * Until the job's answer arrives, repeatedly calls serve with the argument `of` and a time.
     * serve handles requests of the job (lib/job/far_job.h) for at most `ns` nanoseconds, and may
     * leave by longjmp. After a longjmp or GPU_LEFT, the job continues until has_ended returns
     * true. NULL: the device's process runs no jobs. */
    enum gpu_status (*run_job)(gpu_device_impl *dev, uint64_t offset, struct gpu_sent *sent,
                               enum gpu_served (*serve)(void *of, int64_t ns), void *of);
    bool (*has_ended)(gpu_device_impl *dev, struct gpu_sent *sent, enum gpu_status *status);
    enum gpu_status (*await)(gpu_device_impl *dev,
                             struct gpu_sent *sent); /* waits until the request has ended */
    /* Makes the device's process compute small products. Their operands are in slots after the
     * block (lib/session/coalesce_block.h) at `offset` of the first shared region. Sets *is_watched
     * if this process can detect in shared memory that a product is complete. `sent` and `serve`
     * are as for run_job. ring_slots notifies the device's process of new products. */
    enum gpu_status (*open_slots)(gpu_device_impl *dev, uint64_t offset, bool *is_watched,
                                  struct gpu_sent *sent,
                                  enum gpu_served (*serve)(void *of, int64_t ns), void *of);
    void (*ring_slots)(gpu_device_impl *dev);
    /* Finds the region and the offset of {p, bytes} in memory shared with the device's process.
     * Returns false for other memory. NULL: no memory is shared. */
    bool (*locate)(const void *p, size_t bytes, uint64_t *region, uint64_t *offset);
    /* Returns the modulus by which the device's process checks results of jobs, or 0 if it checks
     * none. NULL: this process's modulus is used. */
    uint64_t (*modulus)(const gpu_device_impl *dev);
    /* Builds a program into the cache, without loading it. NULL: the backend builds no programs
     * at run time. */
    enum gpu_status (*build_ahead)(gpu_device_impl *dev, enum gpu_program program);
};

/* The backends that were compiled in, the preferred one first. NULL ends the list. */
extern const struct gpu_backend *const gpu_backends[];

/* Returns true if a thread with this name belongs to a driver. */
bool gpu_is_thread(const char *name);

/* Returns true if device `index` of a backend matches the option `device`. For "auto", gpu_find
 * calls this twice: for GPUs, then for CPUs (`cpus`). */
bool gpu_fits(const char *device, int index, const struct gpu_caps *caps, bool cpus);

/* Forbids CPU devices in this process. Then OpenCL is loaded only if files indicate a GPU. `why` is
 * a constant string. gpu_cpus_forbidden returns `why`, or NULL if CPUs are allowed. */
void gpu_forbid_cpus(const char *why);
const char *gpu_cpus_forbidden(void);

/* Checks the folder from which PoCL loads machine code, for a process whose environment must not
 * change. Returns NULL, or why no CPU can be used, for example that others can write to the
 * folder. */
const char *gpu_cpus_fault(void);

/* An open device. */
struct gpu_device {
    const struct gpu_backend *backend;
    gpu_device_impl *impl;
    struct gpu_caps caps;
    int index;
};

/* Finds a device. backend:  "auto" or a backend's name. device:  "auto", a number as `mpgpu-info`
 * lists them within the backend, or a part of a device's name (case does not count). rank: the
 * number of the device among all that fit, from 0, in the order of gpu_backends.  With device
 * "auto", CPUs come after all GPUs.  If at most `rank` devices fit, returns GPU_ABSENT and sets
 * devp->backend to NULL. */
enum gpu_status gpu_find(const char *backend, const char *device, unsigned rank,
                         struct gpu_device *devp);

/* Finds a device of mpgpu-serve (gpu/served/), if a server of this user runs. Returns GPU_ABSENT if
 * no server runs or at most `rank` of its devices match. Only one thread at a time may call it. The
 * process has one connection to the server, which ends with the thread that first called this
 * function. */
enum gpu_status gpu_find_served(const char *backend, const char *device, unsigned rank,
                                struct gpu_device *devp);

/* Returns true if the latest gpu_find_served failed because of the options or the environment.
 * Either no device of the server matches the options, or the server's variables that hide devices,
 * such as CUDA_VISIBLE_DEVICES, differ from this process's. */
bool gpu_served_has_others(void);

/* Disconnects from the server if none of its devices is open. Call it after opening the devices
 * that gpu_find_served has found. */
void gpu_forgo_served(void);

/* Writes a list of the user's server and its clients to `text`, a line each. Returns false if no
 * server runs. GPU_SERVED_LIST bytes have room for all devices and clients. */
enum { GPU_SERVED_LIST = 24 << 10 };
bool gpu_served_list(char *text, size_t size);

/* Host memory of the pool (the library's allocator for GMP's numbers) that this process shares
 * with the server. Only one thread at a time may call these functions.
 * - map: replaces the pages at `at` by `bytes` zero bytes from `offset` of a shared region of
 *   `most` bytes. Returns false on failure, for example without a server.
 * - unmap: discards the content; the caller maps `at` again before use.
 * - keep: makes {at, bytes} private to this process, at the same address and with the same content.
 *   Returns false if that fails.
 * - part: ends sharing of the whole region. If `tells` is set, it also notifies the server, without
 *   waiting. If the notice cannot be sent at once, or `tells` is not set, a later call notifies the
 *   server. */
bool gpu_served_map(void *at, size_t offset, size_t bytes, size_t most);
void gpu_served_unmap(void *at);
bool gpu_served_keep(void *at, size_t bytes);
void gpu_served_part(bool tells);

/* Makes this process use a private server, which gpu_served_await starts and which ends with this
 * process.  The user's server is not contacted.  Call it once, before the functions below. */
void gpu_served_be_private(void);

/* Returns true if a socket of a server of this user exists. Takes at most four system calls and
 * opens nothing. Any thread may call it, after gpu_set_cache_dir. */
bool gpu_served_may_run(void);

/* Waits until the server of this user answers; a server that is opening its devices answers late.
 * If none runs and `program` is not NULL, starts `program` (mpgpu-serve) detached from this
 * process, with `conf` ("MPGPU_CONF=...") in its environment. Returns GPU_OK, or why there is no
 * server. Takes up to 30 seconds, or ten minutes while a server opens its devices, but ends soon
 * after gpu_stop. Only one thread may call it. */
enum gpu_status gpu_served_await(const char *program, const char *conf);

/* Does one step of gpu_served_await, for a program that permits no threads. A step takes at most
 * some milliseconds. Sets *is_over when the wait has ended; until then, call it again. */
enum gpu_status gpu_served_look(const char *program, const char *conf, bool *is_over);

/* Sets the address of the C library's function clone, by which a server is started. Without this
 * call, clone is found by dlopen, which allocates memory. */
typedef int gpu_clone(int (*function)(void *), void *stack, int flags, void *argument, ...);
void gpu_use_clone(gpu_clone *function);

/* Forgets the parent's connection in a child of fork.  Call it before gpu_find_served. */
void gpu_served_renew(void);

/* Checks regularly that the server lives. Returns when the connection has ended. Call it in the
 * thread that has connected. */
void gpu_served_keep_connection(void);

/* Sets how many nanoseconds to wait for the answer to a short request before the server counts as
 * lost. Without this call, waits have no limit. A waiting thread calls `look` about every 50 ms,
 * with locks held. */
void gpu_served_set_patience(int64_t ns, void (*look)(void));

/* Returns true if the server has ended, or if this process no longer uses it. Any thread may call
 * it. */
bool gpu_served_is_lost(void);

/* gpu_open_found opens a device of gpu_find or gpu_find_served; gpu_open finds and opens a
 * device. */
enum gpu_status gpu_open_found(struct gpu_device *dev);
enum gpu_status gpu_open(const char *backend, const char *device, unsigned rank,
                         struct gpu_device *devp);
void gpu_close(struct gpu_device *dev);

/* Wrappers of the backend's functions: gpu_alloc(dev, ...) calls dev->backend->alloc(dev->impl,
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

/* Waits until all commands in the queue have completed. */
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
static inline enum gpu_status gpu_copy(const struct gpu_queue *q, gpu_mem dst, gpu_mem src,
                                       size_t bytes) {
    return q->backend->copy(q->impl, dst, src, bytes);
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
