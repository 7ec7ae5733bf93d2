/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Kernels of programs that are generated at run time, for all backends. */
#include "gpu/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/build/builds.h"
#include "gpu/error.h"

static struct gpu_text_made *find(struct gpu_texts *texts, const char *body) {
    for (unsigned i = 0; i < texts->count; i++)
        if (strcmp(texts->made[i].body, body) == 0)
            return &texts->made[i];
    return NULL;
}

/* Builds a kernel from its source text. Remembers a failure only if the text does not compile;
 * after other failures, a later call tries again. */
static enum gpu_status make_text(struct gpu_texts *texts, gpu_device_impl *dev,
                                 gpu_texts_make *make, const struct gpu_text *text,
                                 gpu_kernel_impl **kernelp) {
    if (texts->count == GPU_TEXTS)
        return gpu_fail(GPU_NOBUILD, "more than %d programs written at run time", GPU_TEXTS);
    struct gpu_text_made made = {strdup(text->body), NULL};
    if (!made.body)
        return gpu_fail(GPU_NOMEM, "no host memory");
    struct builds_clock begun = builds_clock();
    enum gpu_status status = make(dev, text, &made.kernel);
    builds_wait_ended(begun);
    if (status == GPU_OK || status == GPU_NOBUILD)
        texts->made[texts->count++] = made;
    else
        free(made.body);
    *kernelp = made.kernel;
    return status;
}

enum gpu_status gpu_texts_get(struct gpu_texts *texts, pthread_mutex_t *mutex, gpu_device_impl *dev,
                              gpu_texts_make *make, const struct gpu_text *text,
                              gpu_kernel_impl **kernelp) {
    enum gpu_status status = GPU_OK;
    pthread_mutex_lock(mutex);
    const struct gpu_text_made *made = find(texts, text->body);
    *kernelp = made ? made->kernel : NULL;
    if (!made)
        status = make_text(texts, dev, make, text, kernelp);
    else if (!*kernelp)
        status = gpu_fail(GPU_NOBUILD, "a program written at run time that does not build");
    pthread_mutex_unlock(mutex);
    return status;
}

void gpu_texts_close(struct gpu_texts *texts, void (*release)(gpu_kernel_impl *kernel)) {
    for (unsigned i = 0; i < texts->count; i++) {
        if (release && texts->made[i].kernel)
            release(texts->made[i].kernel);
        free(texts->made[i].body);
    }
    texts->count = 0;
}
