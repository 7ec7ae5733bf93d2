/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Closes devices while they are idle, and opens them again. Closing releases all resources of their
 * contexts. */
#include "lib/session/session.h"

#include "lib/base/log.h"
#include "lib/session/opener.h"
#include "lib/session/session_device.h"

enum { CLOSE_SECONDS = 1 };

/* Closes the context of a stream. Retains its profile and its device, with which it is opened
 * again. */
static void close_stream(struct stream *stream) {
    if (stream->state != STREAM_FREE)
        return;
    const struct context was = stream->context;
    opener_close(&stream->context);
    stream->context.profile = was.profile;
    stream->context.dev = (struct gpu_device){
        .backend = was.dev.backend, .caps = was.dev.caps, .index = was.dev.index};
}

static void close_device(struct session_device *d) {
    coalesce_launcher_close(&d->coalesce.launcher);
    for (int i = STREAMS_MOST - 1; i >= 0; i--) {
        close_stream(&d->streams.stream[i]);
        if (i > 0 && d->streams.stream[i].state == STREAM_FREE)
            d->streams.stream[i].state = STREAM_CLOSED;
    }
}

static bool are_ready(void) {
    bool are_ready = true;
    for (unsigned i = 0; i < session_devices_begun(); i++)
        are_ready = are_ready && session_device_is_open(session_device(i));
    return are_ready;
}

/* Closes nothing if the library has stopped using some device, because that device may still use
 * its resources. */
bool session_close_devices(void) {
    if (!session_devices_acquire_all(CLOSE_SECONDS))
        return false;
    const bool are_all_ready = are_ready();
    for (unsigned i = 0; i < session_devices_begun() && are_all_ready; i++)
        close_device(session_device(i));
    session_devices_release_all();
    return are_all_ready;
}

static bool open_again(struct session_device *d, const struct gpu_device *dev) {
    char text[sizeof d->about];
    struct context *s = session_device_first(d);
    s->dev = *dev;
    lease_begin(s->lease, false);
    enum gpu_status status = opener_open_found(s, true, text, sizeof text);
    lease_end(s->lease);
    if (status != GPU_OK)
        mpgpu_log(LOG_WARNING, "%s", text);
    return status == GPU_OK && coalesce_launcher_open_again(&d->coalesce.launcher);
}

bool session_open_again(const struct gpu_device *dev) {
    bool are_open = true;
    for (unsigned i = 0; i < session_devices_begun() && are_open; i++)
        are_open = open_again(session_device(i), &dev[i]);
    return are_open;
}

unsigned session_launches(void) {
    unsigned launches = 0;
    for (unsigned i = 0; i < session_devices_begun(); i++)
        launches += atomic_load(&session_device(i)->coalesce.launcher.launches);
    return launches;
}
