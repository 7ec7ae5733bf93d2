/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Devices of other members: what their backend's files share. */
#ifndef MPGPU_GROUP_IMPL_H
#define MPGPU_GROUP_IMPL_H

#include "tools/serve/group/group.h"
#include "tools/serve/group/group_wire.h"

struct group_place {
    uint32_t rank;
    unsigned device;
};

struct gpu_device_impl {
    struct group_place place;
    uint64_t token[2];     /* of the client that this is there */
    pthread_mutex_t mutex; /* of the links */
    pthread_mutex_t maps;  /* of the mappings; before a link's own */
    struct group_link *link[SERVED_CHANNELS];
    /* For each region of the client's: MAPPED, REFUSED, or not asked for yet. */
    unsigned char mapping[SERVED_REGIONS];
    atomic_bool has_kernel[GPU_KERNELS];
};

enum { UNASKED, MAPPED, REFUSED };

struct gpu_queue_impl {
    gpu_device_impl *dev;
    struct group_link *link;
    uint64_t there;
};

struct gpu_event_impl {
    struct group_link *link;
    unsigned number;
};

#define REQUEST(name, ...) (&(struct served_request){.op = SERVED_##name, .a = {__VA_ARGS__}})

/* The number of the calling thread's channel. */
unsigned group_impl_channel(void);

/* The connection of the calling thread's channel, or NULL and gpu_error_text(). */
struct group_link *group_impl_link(gpu_device_impl *dev);

/* A request with bytes behind it; and with its answer (*value may be NULL). */
enum gpu_status group_impl_post(struct group_link *l, const struct served_request *request,
                                const void *data, size_t bytes);
enum gpu_status group_impl_call(struct group_link *l, const struct served_request *request,
                                const void *data, size_t bytes, uint64_t *value);

/* Has the member mapped the client's memory there?  The number of its region, and the offset. */
bool group_host_is_mapped(gpu_device_impl *dev, const void *p, size_t bytes, uint64_t *there,
                          uint64_t *offset);

/* Of struct gpu_backend, as it describes them.  host_release: a region of the client's that begins
 * there comes to an end. */
enum gpu_status group_host_register(gpu_device_impl *dev, void *host, size_t bytes);
void group_host_unregister(gpu_device_impl *dev, void *host);
void group_host_release(gpu_device_impl *dev, void *host);
enum gpu_status group_queue_open(gpu_device_impl *dev, gpu_queue_impl **queuep);
void group_queue_close(gpu_queue_impl *queue);
enum gpu_status group_write(gpu_queue_impl *queue, gpu_mem dst, size_t offset, const void *src,
                            size_t bytes);
enum gpu_status group_read(gpu_queue_impl *queue, void *dst, gpu_mem src, size_t offset,
                           size_t bytes);
enum gpu_status group_zero(gpu_queue_impl *queue, gpu_mem dst, size_t offset, size_t bytes);
enum gpu_status group_launch(gpu_queue_impl *queue, gpu_kernel_impl *kernel, unsigned groups_x,
                             unsigned groups_y, const struct gpu_arg *args, unsigned nargs);
enum gpu_status group_series(gpu_queue_impl *queue, bool begins);
enum gpu_status group_event_record(gpu_queue_impl *queue, gpu_event_impl **eventp);
enum gpu_status group_event_wait(gpu_event_impl *event);
enum gpu_status group_queue_wait(gpu_queue_impl *queue, gpu_event_impl *event);
void group_event_release(gpu_event_impl *event);

#endif
