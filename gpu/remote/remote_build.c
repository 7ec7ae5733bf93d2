/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Programs built in another process.  It opens the device for that, and keeps it until this one
 * ends: who has built one program will soon want another. */
#include "config.h"

#include "gpu/remote/remote_build.h"

#include <stdbool.h>
#include <string.h>

#include "gpu/cache.h"
#include "gpu/error.h"
#include "gpu/remote/remote_channel.h"
#include "gpu/remote/remote_host.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool is_here;
static int opened;          /* the device, by the process of this number: */
static unsigned generation; /* 0, none yet */

void remote_build_here(void) {
    is_here = true;
}

/* A device that can't be opened twice, as one in exclusive use, is no failure. */
static enum gpu_status open_there(int index) {
    const struct remote_request request = {.op = REMOTE_OPEN, .a = {(uint64_t)index}};
    if (generation && generation == remote_generation() && opened == index)
        return GPU_OK;
    enum gpu_status status = remote_call(&request, true, NULL);
    generation = status == GPU_OK ? remote_generation() : 0;
    opened = index;
    return status == GPU_OK || gpu_stopped() ? status : GPU_ABSENT;
}

enum gpu_status remote_text(const struct gpu_text *text, uint64_t *id) {
    void *piece;
    size_t bytes = strlen(text->body) + 1;
    enum gpu_status status = remote_host_alloc(NULL, bytes, &piece);
    if (status != GPU_OK)
        return status;
    memcpy(piece, text->body, bytes);
    const struct remote_request request = {
        .op = REMOTE_TEXT_KERNEL, .a = {(uint64_t)remote_offset(piece, bytes), text->threads}};
    status = remote_call(&request, false, id);
    remote_host_release(NULL, piece);
    return status;
}

static enum gpu_status build_there(enum gpu_kernel kernel, const struct gpu_text *text) {
    const struct remote_request request = {.op = REMOTE_KERNEL, .a = {kernel}};
    uint64_t unused;
    enum gpu_status status = text ? remote_text(text, &unused) : remote_call(&request, false, NULL);
    return status == GPU_FAILED && !gpu_stopped() ? GPU_NOBUILD : status;
}

static enum gpu_status build(int index, enum gpu_kernel kernel, const struct gpu_text *text) {
    char folder[REMOTE_FOLDER];
    if (is_here || !cache_get_dir(folder, sizeof folder))
        return GPU_ABSENT;
    pthread_mutex_lock(&mutex);
    enum gpu_status status = open_there(index);
    if (status == GPU_OK)
        status = build_there(kernel, text);
    pthread_mutex_unlock(&mutex);
    return status;
}

enum gpu_status remote_build(int index, enum gpu_kernel kernel) {
    return build(index, kernel, NULL);
}

enum gpu_status remote_build_text(int index, const struct gpu_text *text) {
    return build(index, GPU_KERNELS, text);
}
