/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The backend of devices that belong to the server mpgpu-serve. Such a device runs jobs
 * (complete operations); it has no queues or kernels here. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "gpu/error.h"
#include "gpu/served/served_channel.h"
#include "gpu/served/served_host.h"
#include "gpu/served/served_socket.h"

enum { LEAST_CPUS = 4 }; /* to spin on */

struct gpu_device_impl {
    unsigned place; /* among the server's */
};

#define REQUEST(name, ...) ((struct served_request){.op = SERVED_##name, .a = {__VA_ARGS__}})

/* ---- the device */

static struct served_welcome welcome; /* of the connection */
static bool has_others;

/* Finds a device in the server's list by its number in the option `device`. Returns the place in
 * the list; SERVED_DEVICES if there is none. */
static unsigned find_place(int index) {
    unsigned i = 0;
    while (i < welcome.devices && welcome.offer[i].index != index)
        i++;
    return i < welcome.devices ? i : SERVED_DEVICES;
}

static int served_enumerate(struct gpu_caps *caps, int max) {
    (void)caps, (void)max;
    return 0;
}

static enum gpu_status served_open(int index, gpu_device_impl **devp) {
    unsigned place = find_place(index);
    if (!served_memory() || place == SERVED_DEVICES)
        return gpu_fail(GPU_ABSENT, "no connection with mpgpu-serve");
    gpu_device_impl *dev = calloc(1, sizeof *dev);
    if (!dev)
        return gpu_fail(GPU_NOMEM, "no host memory");
    dev->place = place;
    served_users(1);
    *devp = dev;
    return GPU_OK;
}

/* Closes a device. The connection stays open for other devices of the server; gpu_forgo_served
 * closes it. */
static void served_close(gpu_device_impl *dev) {
    served_users(-1);
    free(dev);
}

/* ---- jobs */

static enum gpu_status served_run_job(gpu_device_impl *dev, uint64_t offset, struct gpu_sent *sent,
                                      enum gpu_served (*serve)(void *of, int64_t ns), void *of) {
    const struct served_request request = REQUEST(JOB, offset, dev->place);
    return served_call_serving(&request, sent, NULL, serve, of);
}

static bool served_has_ended(gpu_device_impl *dev, struct gpu_sent *sent, enum gpu_status *status) {
    (void)dev;
    return served_has_answered(sent, status);
}

static enum gpu_status served_await(gpu_device_impl *dev, struct gpu_sent *sent) {
    (void)dev;
    return served_await_answer(sent);
}

/* Requests a descriptor of shared device memory. */
static enum gpu_status served_share(gpu_device_impl *dev, gpu_mem mem, int *filep) {
    const struct served_shared *s = served_memory();
    struct served_hello hello = {.purpose = SERVED_SHARE, .object = mem.h};
    struct served_welcome answer;
    pid_t peer;
    (void)dev;
    if (!s)
        return gpu_fail(GPU_FAILED, "mpgpu-serve has ended");
    memcpy(hello.token, s->token, sizeof hello.token);
    enum gpu_status status = served_socket_ask(&hello, &answer, filep, &peer);
    return status != GPU_OK || *filep >= 0 ? status : gpu_fail(GPU_FAILED, "no descriptor");
}

static enum gpu_status served_open_slots(gpu_device_impl *dev, uint64_t offset, bool *is_watched,
                                         struct gpu_sent *sent,
                                         enum gpu_served (*serve)(void *of, int64_t ns), void *of) {
    const struct served_request request = REQUEST(SLOTS, offset, dev->place);
    uint64_t value = 0;
    enum gpu_status status = served_call_serving(&request, sent, &value, serve, of);
    *is_watched = value != 0;
    return status;
}

static void served_ring_slots(gpu_device_impl *dev) {
    served_post(&REQUEST(RING_SLOTS, dev->place));
}

static uint64_t served_modulus(const gpu_device_impl *dev) {
    const struct served_shared *s = served_memory();
    (void)dev;
    return s ? s->modulus : 0;
}

/* ---- tables of functions: one table as "cuda" and one as "opencl", because options and profiles
 * name a device by its backend */

#define SERVED_BACKEND                                                                             \
    .is_served = true, .locks_for_all = true, .enumerate = served_enumerate, .open = served_open,  \
    .close = served_close, .host_alloc = served_host_alloc, .host_release = served_host_release,   \
    .begin_register = served_host_begin_register, .host_unregister = served_host_unregister,       \
    .modulus = served_modulus, .run_job = served_run_job, .has_ended = served_has_ended,           \
    .await = served_await, .open_slots = served_open_slots, .ring_slots = served_ring_slots,       \
    .locate = served_host_locate, .share = served_share

static const struct gpu_backend tables[] = {
    {.name = "cuda", SERVED_BACKEND},
    {.name = "opencl", SERVED_BACKEND},
};

static const struct gpu_backend *table_of(const char *name) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (strcmp(name, tables[i].name) == 0)
            return &tables[i];
    return NULL;
}

/* Returns true if the device matches the options. With device `auto`, GPUs match if `cpus` is
 * false, CPUs if it is true. */
static bool is_meant(const struct served_offer *o, const char *backend, const char *device,
                     bool cpus) {
    bool by_name = strcasecmp(backend, "auto") != 0;
    return o->is_there && table_of(o->backend) &&
           (!by_name || strcasecmp(backend, o->backend) == 0) &&
           gpu_fits(device, o->index, &o->caps, cpus);
}

/* Returns device number `rank`, counted from 0, among the devices that match the options; NULL if
 * fewer match. */
static const struct served_offer *find(const char *backend, const char *device, unsigned rank) {
    for (int cpus = 0; cpus < 2; cpus++)
        for (unsigned i = 0; i < welcome.devices; i++)
            if (is_meant(&welcome.offer[i], backend, device, cpus) && rank-- == 0)
                return &welcome.offer[i];
    return NULL;
}

/* Connects to the server, unless this process is connected. Does not trust the server's message:
 * limits its count of devices, and makes strings end. */
static enum gpu_status connect_with(void) {
    enum gpu_status status = served_memory() ? GPU_OK : served_connect(&welcome);
    if (status != GPU_OK)
        return status;
    if (welcome.devices > SERVED_DEVICES)
        welcome.devices = SERVED_DEVICES;
    for (unsigned i = 0; i < SERVED_DEVICES; i++) { /* messages show offer 0 even of no devices */
        struct served_offer *o = &welcome.offer[i];
        o->backend[sizeof o->backend - 1] = '\0';
        o->caps.name[sizeof o->caps.name - 1] = '\0';
        o->caps.vendor[sizeof o->caps.vendor - 1] = '\0';
        o->caps.driver[sizeof o->caps.driver - 1] = '\0';
    }
    bool is_cpu = welcome.devices == 0 || welcome.offer[0].caps.is_cpu;
    served_set_spin(!is_cpu && sysconf(_SC_NPROCESSORS_ONLN) >= LEAST_CPUS);
    return GPU_OK;
}

enum gpu_status gpu_find_served(const char *backend, const char *device, unsigned rank,
                                struct gpu_device *devp) {
    *devp = (struct gpu_device){.backend = NULL};
    if (gpu_stopped())
        return gpu_fail(GPU_FAILED, "the program is ending");
    welcome.sees_others = 0;
    enum gpu_status status = connect_with();
    has_others = status != GPU_OK && welcome.sees_others;
    if (status != GPU_OK)
        return status;
    const struct served_offer *o = find(backend, device, rank);
    has_others = !o;
    if (!o)
        return gpu_fail(GPU_ABSENT, "mpgpu-serve has another device: %s: %s",
                        welcome.offer[0].backend, welcome.offer[0].caps.name);
    *devp =
        (struct gpu_device){.backend = table_of(o->backend), .caps = o->caps, .index = o->index};
    return GPU_OK;
}

bool gpu_served_has_others(void) {
    return has_others;
}

bool gpu_served_may_run(void) {
    char path[SERVED_PATH];
    return served_socket_path(path, false) && access(path, F_OK) == 0;
}

void gpu_forgo_served(void) {
    if (served_users(0) > 0)
        return;
    served_disconnect();
    served_host_forget();
}

bool gpu_served_list(char *text, size_t size) {
    struct served_hello hello = {.purpose = SERVED_LIST};
    struct served_welcome list;
    int file;
    pid_t peer;
    if (served_socket_ask(&hello, &list, &file, &peer) != GPU_OK)
        return false;
    if (file >= 0)
        close(file);
    list.version[sizeof list.version - 1] = '\0';
    snprintf(text, size, "process %d, version %s, %s", (int)list.process, list.version, list.text);
    return true;
}
