/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The part of the twin backend (twin_backend.h) that copies between simulated devices (twins), and
 * that spoils words of results. */
#include "config.h"

#include <stdlib.h>

#include "tests/support/twin_impl.h"

/* the program (group of kernels) of the kernel that this thread launches next */
static _Thread_local enum gpu_program last_program;

void twin_note_kernel(enum gpu_kernel id) {
    last_program = gpu_kernel_heads[id].program;
}

static bool is_wrong(int index) {
    return atomic_fetch_add(&twins[index].writes, 1) + 1 == atomic_load(&twins[index].wrong);
}

/* Changes a bit in the first word of the number that the kernel has written. */
enum gpu_status twin_spoil_launch(struct twin_queue *q, const struct gpu_arg *args,
                                  unsigned nargs) {
    const struct gpu_backend *real = twin_real();
    struct gpu_queue all = {.backend = real, .impl = q->real};
    uint32_t word;
    if (last_program == GPU_PROGRAM_residue || args[0].kind != GPU_ARG_MEM || !is_wrong(q->index))
        return GPU_OK;
    size_t at = nargs > 1 && args[1].kind == GPU_ARG_U64 ? args[1].v.u64 * sizeof word : 0;
    enum gpu_status status = real->read(q->real, &word, args[0].v.mem, at, sizeof word);
    if (status == GPU_OK)
        status = gpu_finish(&all);
    word ^= 1u << 17;
    if (status == GPU_OK)
        status = real->write(q->real, args[0].v.mem, at, &word, sizeof word);
    return status == GPU_OK ? gpu_finish(&all) : status;
}

/* Reads from a simulated device's memory into host memory, and waits until the data has arrived. */
static enum gpu_status fetch(struct twin_device *from, void *host, gpu_mem src, size_t offset,
                             size_t bytes) {
    const struct gpu_backend *real = twin_real();
    struct gpu_queue q = {.backend = real};
    enum gpu_status status = real->queue_open(from->real, &q.impl);
    if (status != GPU_OK)
        return status;
    status = real->read(q.impl, host, src, offset, bytes);
    if (status == GPU_OK)
        status = gpu_finish(&q);
    real->queue_close(q.impl);
    return status;
}

enum gpu_status twin_peer_copy(gpu_queue_impl *q, gpu_mem dst, size_t offset, gpu_device_impl *from,
                               gpu_mem src, size_t src_offset, size_t bytes) {
    struct gpu_queue all = {.backend = twin_real(), .impl = twin_queue(q)->real};
    int index = twin_queue(q)->index;
    enum gpu_status status = twin_due(index);
    twin_look(dst, index);
    twin_look(src, twin_device(from)->index);
    long copy = atomic_fetch_add(&twins[index].peer_copies, 1) + 1;
    char *host = malloc(bytes);
    if (status == GPU_OK)
        status = fetch(twin_device(from), host, src, src_offset, bytes);
    if (status == GPU_OK && (is_wrong(index) || copy == atomic_load(&twins[index].wrong_copy)))
        host[bytes / 2] ^= 1;
    if (status == GPU_OK)
        status = all.backend->write(all.impl, dst, offset, host, bytes);
    if (status == GPU_OK)
        status = gpu_finish(&all);
    free(host);
    return status;
}
