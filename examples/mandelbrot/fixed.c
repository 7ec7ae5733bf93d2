#include "config.h"
#include "examples/mandelbrot/fixed.h"
#include "examples/mandelbrot/crew.h"
#include "examples/mandelbrot/progress.h"
#include <stddef.h>
struct job { const struct view *view; struct escape *samples; };
static void draw_row(void *context, uint32_t row) {
    struct job *j = context; const struct view *v = j->view;
    double left = mpq_get_d(v->left), top = mpq_get_d(v->top), step = mpq_get_d(v->step);
    for (uint32_t i = 0; i < v->width; i++) {
        double cx = left + i * step, cy = top - row * step, x = 0, y = 0; uint32_t n = 0; double norm = 0;
        for (; n < v->iterations; n++) { double xx = x * x, yy = y * y; norm = xx + yy; if (norm >= 4096) break; y = 2 * x * y + cy; x = xx - yy + cx; }
        if (n == v->iterations) norm = 0;
        norm *= 65536;
        j->samples[(size_t)row * v->width + i] = (struct escape){n, norm < UINT32_MAX ? (uint32_t)norm : UINT32_MAX};
    }
}
enum status fixed_draw(enum engine engine, const struct view *view, struct escape *samples, bool verbose) {
    (void)engine; (void)verbose;
    struct job job = {view, samples};
    progress_begin("double"); crew_run(0, view->height, draw_row, &job); progress_end();
    return STATUS_DONE;
}
