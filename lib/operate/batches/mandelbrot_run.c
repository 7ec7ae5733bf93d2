/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Views of the Mandelbrot set by the device's thread, for a thread of the program. */
#include "lib/operate/batches/mandelbrot_run.h"

#include "lib/base/stats.h"
#include "lib/device/room.h"
#include "lib/memory/touch.h"
#include "lib/session/session.h"
#include "lib/session/start/rent.h"

struct request {
    struct mandelbrot_view view;
    uint32_t *iterations, *magnitudes;
};

static enum gpu_status draw(struct context *s, void *argument) {
    const struct request *r = argument;
    return mandelbrot_device(s, &r->view, r->iterations, r->magnitudes);
}

static enum gpu_status draw_there(struct context *s, void *argument) {
    const double start = stats_now();
    enum gpu_status status = room_persist(s, draw, argument);
    stats_here()->kernels += stats_now() - start;
    stats_here()->ways[STATS_BATCH] += status == GPU_OK;
    return status;
}

/* The longest work that a view can be, as bytes that the slowest device moves in the same time: a
 * device that takes longer is given up (session_run). */
static size_t most_steps(const struct mandelbrot_view *v) {
    return (size_t)v->width * v->rows * v->most;
}

enum outcome mandelbrot_run(const struct mandelbrot_view *v, uint32_t *iterations,
                            uint32_t *magnitudes) {
    struct request r = {*v, iterations, magnitudes};
    const size_t bytes = (size_t)v->width * v->rows * sizeof *iterations;
    const struct touch touches[] = {{iterations, bytes, true}, {magnitudes, bytes, true}};
    rent_waive();
    if (!touch_all(touches, 2))
        return OUTCOME_MEMORY;
    return session_run(draw_there, &r, sizeof r, most_steps(v));
}
