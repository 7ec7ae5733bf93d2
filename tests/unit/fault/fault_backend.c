/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The backend that injects faults: its plan of faults and its counters. Its devices, queues,
 * launches and events are those of a real backend. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/process/shutdown.h"
#include "lib/selftest/selftest.h"
#include "tests/unit/fault/fault_impl.h"

#if WITH_CUDA
extern const struct gpu_backend cuda_backend;
#endif
#if WITH_OPENCL
extern const struct gpu_backend opencl_backend;
#endif

const struct gpu_backend *const fault_real_backends[] = {
#if WITH_CUDA
    &cuda_backend,
#endif
#if WITH_OPENCL
    &opencl_backend,
#endif
    NULL};

struct fault_plan fault_plan;
bool fault_is_known;
struct fault_count fault_count;
static atomic_int answers; /* set by fault_answer: calls no longer hang */
static int is_cpu;         /* whether the real device is a CPU */
/* true once the first context's self-test has begun after the device was opened */
static atomic_bool has_begun;

const char *_Atomic fault_failed = "none";

void fault_restart(void) {
    fault_failed = "none";
    fault_plan = (struct fault_plan){.real = fault_plan.real, .devices = 1};
    atomic_store(&answers, 0);
    fault_count.calls = fault_count.reads = fault_count.launches = 0;
    fault_count.faults = fault_count.strays = 0;
    fault_count.kernels = fault_count.unwaited = 0;
}

void fault_forget(void) {
    fault_count.devices = fault_count.queues = fault_count.buffers = 0;
    fault_count.blocks = fault_count.events = fault_count.pins = 0;
    fault_forget_blocks();
}

const char *fault_text(const struct fault_plan *p) {
    static char text[256];
    snprintf(text, sizeof text,
             "call %ld (%s) every %ld status %d refused %ld read %ld launch %ld bit %lu most %zu "
             "devices %d",
             p->call, fault_failed, p->every, p->status, p->refused, p->read, p->launch, p->bit,
             p->most, p->devices);
    return text;
}

void fault_answer(void) {
    atomic_store(&answers, 1);
}

static int hang(void) {
    while (!atomic_load(&answers))
        usleep(1000);
    return GPU_OK;
}

enum gpu_status fault_due(const char *name) {
    long later = ++fault_count.calls - fault_plan.call;
    if (fault_plan.call == 0 || later < 0 ||
        (fault_plan.every ? later % fault_plan.every != 0 : later != 0))
        return GPU_OK;
    fault_count.faults++;
    fault_failed = name;
    return fault_plan.status == FAULT_HANGS ? hang() : fault_plan.status;
}

enum gpu_status fault_made(int status, atomic_long *alive) {
    *alive += status == GPU_OK;
    return status;
}

static int fault_enumerate(struct gpu_caps *caps, int max) {
    struct gpu_caps real;
    if (fault_plan.real->enumerate(&real, 1) < 1)
        return 0;
    is_cpu = real.is_cpu;
    for (int i = 0; i < fault_plan.devices && i < max; i++)
        caps[i] = real;
    return fault_plan.devices;
}

static enum gpu_status fault_open(int index, gpu_device_impl **devp) {
    static gpu_device_impl *device;
    enum gpu_status status = fault_due(__func__);
    if (status == GPU_OK && index >= fault_plan.devices)
        status = GPU_ABSENT;
    if (status == GPU_OK && !device)
        status = fault_plan.real->open(0, &device);
    if (status == GPU_OK)
        *devp = device;
    atomic_store(&has_begun, false);
    return fault_made(status, &fault_count.devices);
}

static void fault_close(gpu_device_impl *dev) {
    (void)dev;
    fault_count.devices--;
}

static enum gpu_status fault_queue_open(gpu_device_impl *dev, gpu_queue_impl **queuep) {
    enum gpu_status status = fault_due(__func__);
    if (status == GPU_OK && fault_plan.queues > 0 && fault_count.queues >= fault_plan.queues) {
        fault_count.faults++;
        status = GPU_NOMEM;
    }
    if (status == GPU_OK)
        status = fault_plan.real->queue_open(dev, queuep);
    return fault_made(status, &fault_count.queues);
}

static void fault_queue_close(gpu_queue_impl *queue) {
    fault_count.queues--;
    fault_plan.real->queue_close(queue);
}

/* The kernel that this thread will launch next, and the kernel's program. last_kernel is
 * GPU_KERNELS if the kernel was built from text at run time. */
static _Thread_local enum gpu_program last_program;
static _Thread_local enum gpu_kernel last_kernel;

/* The index of a kernel argument that holds constants. For launches that check themselves, the test
 * changes a constant before the launch. Their check would not find a word that is changed after the
 * launch. */
enum { TABLES_ARGUMENT = 9 }; /* of kernels/small/small_ntt.cl */

static int checks_itself(void) {
    return last_program >= GPU_PROGRAM_small_ntt_8 && last_program <= GPU_PROGRAM_small_ntt_14;
}

static enum gpu_status fault_kernel(gpu_device_impl *dev, enum gpu_kernel id,
                                    gpu_kernel_impl **kernelp) {
    enum gpu_status status = fault_due(__func__);
    last_program = gpu_kernel_heads[id].program;
    last_kernel = id;
    if (++fault_count.kernels == fault_plan.kernel)
        shutdown_begin();
    if (fault_count.kernels == fault_plan.refused && status == GPU_OK) {
        fault_count.faults++;
        status = GPU_NOBUILD;
    }
    return status ? status : fault_plan.real->kernel(dev, id, kernelp);
}

/* Builds a kernel from text with the real backend. The library calls this function before each
 * launch of such a kernel. */
static enum gpu_status fault_build(gpu_device_impl *dev, const struct gpu_text *text,
                                   gpu_kernel_impl **kernelp) {
    enum gpu_status status = fault_due(__func__);
    last_program = GPU_PROGRAMS;
    last_kernel = GPU_KERNELS;
    return status ? status : fault_plan.real->build(dev, text, kernelp);
}

static uint64_t number_of(const struct gpu_arg *args, unsigned nargs, unsigned i) {
    return i < nargs && args[i].kind == GPU_ARG_U64 ? args[i].v.u64 : 0;
}

/* Indices of two arguments of the kernel `choose` (kernels/sums/window.cl), which writes a flag.
 * Argument CHOOSE_DEMAND is above 0 if the flag belongs to a check. Argument CHOOSE_FLAG_AT is the
 * flag's position. */
enum { CHOOSE_DEMAND = 11, CHOOSE_FLAG_AT = 13 };

static int writes_flag(const struct gpu_arg *args) {
    return last_kernel == GPU_KERNEL_window_choose && args[2].v.u64 == 0;
}

static int writes_demand(const struct gpu_arg *args) {
    return (writes_flag(args) && args[CHOOSE_DEMAND].v.u32 > 0) ||
           last_kernel == GPU_KERNEL_mersenne_mersenne_less;
}

static int checks_text(void) {
    return last_kernel == GPU_KERNEL_radix_text_text_residue ||
           last_kernel == GPU_KERNEL_radix_text_text_sum;
}

/* Counts the launch if it does not belong to a check. Returns true if it is the launch that must go
 * wrong. */
static int goes_wrong(const struct gpu_arg *args) {
    return last_program != GPU_PROGRAM_residue && last_program != GPU_PROGRAM_wraparound &&
           last_program != GPU_PROGRAM_digit_wraparound &&
           last_program != GPU_PROGRAM_batch_check && last_program != GPU_PROGRAM_batch_residue &&
           last_program != GPU_PROGRAM_equation && !checks_text() && !writes_demand(args) &&
           ++fault_count.launches == fault_plan.launch;
}

/* Returns the byte position of the word to change in the kernel's first buffer: the first word, or
 * with `in_number` a word of the number that the kernel writes. Argument 1 is this number's offset;
 * argument 2, or 4 if that is 0, is its length. */
static size_t wrong_at(const struct gpu_arg *args, unsigned nargs) {
    if (!fault_plan.in_number)
        return 0;
    if (writes_flag(args))
        return args[CHOOSE_FLAG_AT].v.u64 * sizeof(uint32_t);
    uint64_t at = number_of(args, nargs, 1), rn = number_of(args, nargs, 2),
             words = rn ? rn : number_of(args, nargs, 4);
    return (at + (words ? fault_plan.bit / 32 % words : 0)) * sizeof(uint32_t);
}

/* The queue of this thread's last launch, the last event that was recorded in that queue, and the
 * number of launches before this event. */
static _Thread_local struct {
    gpu_queue_impl *queue;
    gpu_event_impl *event;
    long launches;
} last;

const char *fault_spoiled = "";

static void note_launch(gpu_queue_impl *queue) {
    if (queue != last.queue)
        fault_count.unwaited = 0;
    last.queue = queue;
    fault_count.unwaited++;
}

/* Launches the kernel and waits for its end. A mutex ensures that only one kernel runs at a
 * time. */
static enum gpu_status launch_alone(gpu_queue_impl *queue, gpu_kernel_impl *kernel,
                                    unsigned groups_x, unsigned groups_y,
                                    const struct gpu_arg *args, unsigned nargs) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    enum gpu_status status =
        fault_plan.real->launch(queue, kernel, groups_x, groups_y, args, nargs);
    status = status ? status : fault_finish(queue);
    pthread_mutex_unlock(&mutex);
    return status;
}

static enum gpu_status fault_launch(gpu_queue_impl *queue, gpu_kernel_impl *kernel,
                                    unsigned groups_x, unsigned groups_y,
                                    const struct gpu_arg *args, unsigned nargs) {
    enum gpu_status status = fault_due(__func__);
    int wrong = status == GPU_OK && goes_wrong(args);
    int before = wrong && checks_itself();
    if (wrong)
        fault_spoiled =
            last_kernel < GPU_KERNELS ? gpu_kernel_heads[last_kernel].name : "built from text";
    gpu_mem mem = args[before ? TABLES_ARGUMENT : 0].v.mem;
    if (before)
        status = fault_spoil(queue, mem, 0);
    if (status == GPU_OK)
        status = (fault_plan.alone && is_cpu ? launch_alone : fault_plan.real->launch)(
            queue, kernel, groups_x, groups_y, args, nargs);
    note_launch(queue);
    if (status == GPU_OK && wrong)
        status = fault_spoil(queue, mem, before ? 0 : wrong_at(args, nargs));
    /* the constant was changed and changed back; count that as one fault, not two */
    fault_count.faults -= before;
    return status;
}

static enum gpu_status fault_event_record(gpu_queue_impl *queue, gpu_event_impl **eventp) {
    enum gpu_status status = fault_due(__func__);
    if (status == GPU_OK)
        status = fault_plan.real->event_record(queue, eventp);
    if (status == GPU_OK && queue == last.queue) {
        last.event = *eventp;
        last.launches = fault_count.unwaited;
    }
    return fault_made(status, &fault_count.events);
}

static enum gpu_status fault_event_wait(gpu_event_impl *event) {
    enum gpu_status status = fault_due(__func__);
    if (status == GPU_OK)
        status = fault_plan.real->event_wait(event);
    if (status == GPU_OK && event == last.event) {
        fault_count.unwaited -= last.launches;
        last.launches = 0;
    }
    return status;
}

static enum gpu_status fault_queue_wait(gpu_queue_impl *queue, gpu_event_impl *event) {
    enum gpu_status status = fault_due(__func__);
    return status ? status : fault_plan.real->queue_wait(queue, event);
}

static void fault_event_release(gpu_event_impl *event) {
    fault_count.events--;
    fault_plan.real->event_release(event);
}

/* The self-tests that each backend's device has passed by the end of its first opening. The kernels
 * for CPUs and the kernels for GPUs have separate entries. The processes of all tests share this
 * memory. */
enum { PASSED_MOST = 8 };
static struct passed {
    const struct gpu_backend *real; /* NULL: free */
    bool is_of_gpus;
    uint64_t words[CONTEXT_KNOWN];
} * all_passed;

static void __attribute__((constructor)) share(void) {
    all_passed = mmap(NULL, PASSED_MOST * sizeof *all_passed, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all_passed == MAP_FAILED)
        abort();
}

/* Returns the entry of the current device, or the first free one. No lock is needed: tests run
 * one after the other.
 */
static struct passed *find_passed(void) {
    struct passed *p = all_passed;
    while (p->real && (p->real != fault_plan.real || p->is_of_gpus != gpu_uses_kernels_of_gpus()))
        if (++p == all_passed + PASSED_MOST)
            abort();
    return p;
}

bool fault_has_passed(void) {
    return find_passed()->real;
}

enum gpu_status __real_selftest_all(struct context *s);
enum gpu_status __wrap_selftest_all(struct context *s);

/* Replaces selftest_all, by which each context of a device begins. */
enum gpu_status __wrap_selftest_all(struct context *s) {
    const bool knows = !atomic_exchange(&has_begun, true) && fault_is_known;
    struct passed *p = find_passed();
    for (int i = 0; knows && i < CONTEXT_KNOWN; i++)
        s->known[i] |= p->words[i];
    const enum gpu_status status = __real_selftest_all(s);
    if (status == GPU_OK && !p->real) {
        memcpy(p->words, s->known, sizeof p->words);
        p->is_of_gpus = gpu_uses_kernels_of_gpus();
        p->real = fault_plan.real;
    }
    return status;
}

const struct gpu_backend fault_backend = {
    .name = "fault",
    .enumerate = fault_enumerate,
    .open = fault_open,
    .close = fault_close,
    .alloc = fault_alloc,
    .release = fault_release,
    .host_alloc = fault_host_alloc,
    .host_release = fault_host_release,
    .host_register = fault_host_register,
    .host_unregister = fault_host_unregister,
    .host_view = fault_host_view,
    .queue_open = fault_queue_open,
    .queue_close = fault_queue_close,
    .write = fault_write,
    .read = fault_read,
    .zero = fault_zero,
    .copy = fault_copy,
    .kernel = fault_kernel,
    .build = fault_build,
    .launch = fault_launch,
    .event_record = fault_event_record,
    .event_wait = fault_event_wait,
    .queue_wait = fault_queue_wait,
    .event_release = fault_event_release,
};
