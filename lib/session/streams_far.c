/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Releases streams whose jobs run in the server and were abandoned by their callers. */
#include "lib/session/streams_far.h"

#include "lib/transfer/far.h"

/* Returns true if the caller has abandoned the job of this stream and the device's process has
 * ended the job. */
static bool has_ended(struct stream *stream) {
    struct context *s = &stream->context;
    /* another thread may be opening this stream */
    if (!hold_is_over(&stream->hold) || !context_runs_jobs(s))
        return false;
    far_leave_job(s->far);
    enum gpu_status unused;
    return s->dev.backend->has_ended(s->dev.impl, &s->sent, &unused);
}

void streams_far_reap(struct session_device *d) {
    for (int i = 0; i < STREAMS_MOST; i++) {
        struct stream *stream = &d->streams.stream[i];
        if (has_ended(stream) && hold_reuse(&stream->hold)) {
            far_wipe(stream->context.far, FAR_ROOM);
            if (d->jobs[i].alone)
                session_device_let_all_go(d);
            else
                streams_release_one(&d->streams, stream, true);
        }
    }
}
