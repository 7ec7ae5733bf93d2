/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The page-locked memory to which kernels write values for the host. It is allocated once per
 * context. */
#include "lib/device/answers.h"

#include "kernels/check/key.h"
#include "lib/base/random.h"
#include "lib/memory/wipe.h"

#define ROOM_BYTES (ANSWERS_MOST * sizeof(uint64_t))
#define HOST_BYTES ((ANSWERS_MOST + ANSWERS_CHECK) * sizeof(uint64_t))

static enum gpu_status host_room(struct context *s) {
    void *room;
    if (s->answers.host)
        return GPU_OK;
    enum gpu_status status = s->dev.backend->host_alloc(s->dev.impl, HOST_BYTES, &room);
    if (status != GPU_OK)
        return status;
    s->answers.host = room;
    if (s->dev.backend->host_view(s->dev.impl, room, &s->answers.view) != GPU_OK)
        s->answers.view.h = 0;
    return GPU_OK;
}

enum gpu_status answers_get(struct context *s, gpu_mem *mem) {
    enum gpu_status status = host_room(s);
    if (status != GPU_OK || !s->answers.view.h)
        return status == GPU_OK ? context_buffer(s, SLOT_RESIDUES, ROOM_BYTES, mem) : status;
    *mem = s->answers.view;
    return GPU_OK;
}

_Static_assert(ANSWER_KEY == KEY_ENTRY, "where kernels look for it");

struct answers_key answers_new_key(struct context *s) {
    struct answers_key key = {.value = random_word()};
    while (key.value == KEY_NONE || key.value == KEY_IN_OUT)
        key.value = random_word();
    key.argument = s->answers.in_series ? KEY_IN_OUT : key.value;
    if (s->answers.in_series)
        s->answers.host[ANSWER_KEY] = key.value;
    return key;
}

void answers_in_series(struct context *s, bool begins) {
    s->answers.in_series = begins && s->answers.view.h && s->dev.backend->series;
}

enum gpu_status answers_fetch(struct context *s, size_t count) {
    if (s->answers.view.h)
        return GPU_OK;
    return gpu_read(&s->queue, s->answers.host, s->slot[SLOT_RESIDUES].mem, 0,
                    count * sizeof(uint64_t));
}

void answers_wipe(struct context *s) {
    if (s->answers.host)
        wipe(s->answers.host, HOST_BYTES);
}

void answers_close(struct context *s) {
    if (s->answers.host)
        s->dev.backend->host_release(s->dev.impl, s->answers.host);
    s->answers.host = NULL;
    s->answers.view.h = 0;
}
