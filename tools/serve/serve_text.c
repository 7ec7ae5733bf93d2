/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Programs that clients have written at run time. */
#include "config.h"

#include "tools/serve/serve_text.h"

#include <stdlib.h>
#include <string.h>

#include "tools/serve/serve.h"

enum { MOST_BYTES = 1 << 20, MOST_THREADS = 1024 };

/* The letter of one argument, which ends before `end`. */
static char letter(const char *begin, const char *end) {
    size_t bytes = (size_t)(end - begin);
    if (memchr(begin, '*', bytes))
        return 'm';
    if (memmem(begin, bytes, "u64 ", 4))
        return 'l';
    return memmem(begin, bytes, "u32 ", 4) ? 'w' : '\0';
}

bool serve_text_takes(const char *body, char *takes) {
    const char *at = strstr(body, "from_text(");
    const char *close = at ? strchr(at, ')') : NULL;
    int count = 0;
    memset(takes, 0, GPU_KERNEL_ARGS);
    if (!close)
        return false;
    for (at += strlen("from_text("); at < close && count < GPU_KERNEL_ARGS - 1; count++) {
        const char *comma = memchr(at, ',', (size_t)(close - at));
        const char *end = comma ? comma : close;
        takes[count] = letter(at, end);
        if (!takes[count])
            return false;
        at = end + 1;
    }
    return at > close;
}

/* The place of a kernel, where the backend gives the same one for the same text. */
static enum gpu_status put(struct serve_device *d, gpu_kernel_impl *kernel, const char *takes,
                           uint64_t *id) {
    unsigned i = 0;
    while (i < GPU_TEXTS && d->text[i].kernel && d->text[i].kernel != kernel)
        i++;
    if (i == GPU_TEXTS)
        return GPU_NOBUILD;
    memcpy(d->text[i].takes, takes, GPU_KERNEL_ARGS);
    d->text[i].kernel = kernel;
    *id = GPU_KERNELS + i;
    return GPU_OK;
}

static enum gpu_status build(struct serve_device *d, const char *body, unsigned threads,
                             uint64_t *id) {
    const struct gpu_backend *backend = d->dev.backend;
    const struct gpu_text text = {threads, body};
    char takes[GPU_KERNEL_ARGS];
    gpu_kernel_impl *kernel;
    if (!backend->build || !serve_text_takes(body, takes))
        return GPU_NOBUILD;
    enum gpu_status status = backend->build(d->dev.impl, &text, &kernel);
    pthread_mutex_lock(&d->mutex);
    if (status == GPU_OK)
        status = put(d, kernel, takes, id);
    pthread_mutex_unlock(&d->mutex);
    return status;
}

enum gpu_status serve_text_build(struct serve_device *d, const char *body, uint64_t bytes,
                                 uint64_t threads, uint64_t *id) {
    if (bytes == 0 || bytes > MOST_BYTES || threads == 0 || threads > MOST_THREADS)
        return GPU_NOBUILD;
    char *own = malloc(bytes);
    if (!own)
        return GPU_NOMEM;
    memcpy(own, body, bytes);
    own[bytes - 1] = '\0';
    enum gpu_status status = build(d, own, (unsigned)threads, id);
    free(own);
    return status;
}

const char *serve_text_get(struct serve_device *d, uint64_t id, gpu_kernel_impl **kernel) {
    const char *takes = NULL;
    if (id < GPU_KERNELS || id - GPU_KERNELS >= GPU_TEXTS)
        return NULL;
    pthread_mutex_lock(&d->mutex);
    const struct serve_text *text = &d->text[id - GPU_KERNELS];
    *kernel = text->kernel;
    if (text->kernel)
        takes = text->takes;
    pthread_mutex_unlock(&d->mutex);
    return takes;
}
