/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers of launches in series: the self-tests of the kernels themselves. */
#include "lib/selftest/selftest_series.h"

#include <string.h>

#include "lib/device/answers.h"
#include "lib/device/series.h"
#include "lib/selftest/known_answer.h"

/* What is known of the kernels, and of their launches in series, change places. */
static void swap_known(struct context *s) {
    uint64_t known[GPU_KNOWN];
    memcpy(known, s->known, sizeof known);
    memcpy(s->known, s->known_in_series, sizeof known);
    memcpy(s->known_in_series, known, sizeof known);
}

/* Where groups have left, what a test found does not count. */
static enum gpu_status finish(struct context *s, enum gpu_status status) {
    enum gpu_status ended = series_end(s);
    status = status == GPU_OK ? ended : status;
    if (status == GPU_OK || status == GPU_FAILED)
        ended = answers_fetch(s, ANSWERS_MOST);
    if (ended == GPU_OK)
        ended = gpu_finish(&s->queue);
    return ended != GPU_OK || (status == GPU_OK && series_was_left(s)) ? GPU_FAILED : status;
}

/* No group has left yet. */
static enum gpu_status clear(struct context *s) {
    gpu_mem answers;
    enum gpu_status status = answers_get(s, &answers);
    if (status == GPU_OK && s->answers.view.h)
        s->answers.host[ANSWER_LEFT] = 0;
    else if (status == GPU_OK)
        status = gpu_zero(&s->queue, answers, ANSWER_LEFT * sizeof(uint64_t), sizeof(uint64_t));
    return status;
}

bool selftest_in_series(struct context *s,
                        enum gpu_status (*test)(struct context *s, const void *argument),
                        const void *argument) {
    enum gpu_status status = clear(s);
    swap_known(s);
    series_begin(s);
    if (status == GPU_OK)
        status = test(s, argument);
    status = finish(s, status);
    swap_known(s);
    known_answer_without(s, status, &s->dev.caps.series, "launches in series");
    return status == GPU_OK;
}
