/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mandelbrot: draws a part of the Mandelbrot set as a PNG file. */
#include "config.h"

#include <stdlib.h>

#include "examples/mandelbrot/engine.h"
#include "examples/mandelbrot/options.h"
#include "examples/mandelbrot/picture/output.h"
#include "examples/mandelbrot/picture/png_file.h"
#include "examples/mandelbrot/picture/tint.h"
#include "examples/mandelbrot/progress.h"

struct picture {
    const struct options *options;
    const struct samples *samples;
    struct tint tint;
};

static void picture_row(void *context, uint32_t i, struct colour *pixels) {
    const struct picture *p = context;
    const struct options *o = p->options;
    tint_row(&p->tint, pixels, p->samples, i, o->width, o->samples);
    progress_at(i, o->height);
}

static enum status write_picture(const struct options *o, const struct samples *samples,
                                 FILE *file) {
    static struct picture picture;
    picture = (struct picture){.options = o, .samples = samples};
    picture.tint.cycle = o->cycle;
    picture.tint.position = (o->position << 16) / 100;
    tint_measure(&picture.tint, o->palette, samples, (size_t)o->view.width * o->view.height,
                 o->view.iterations);
    progress_begin("writing");
    enum status status =
        png_file_write(file, o->output, o->width, o->height, picture_row, &picture);
    progress_end();
    return status;
}

/* Computes the samples and writes the picture to the open file. */
static enum status draw(const struct options *o, FILE *file) {
    const struct view *view = &o->view;
    size_t count = (size_t)view->width * view->height;
    uint32_t *both = calloc(2 * count, sizeof *both);
    struct samples samples = {both, both + count};
    if (!both)
        return complain("--size %s: not enough memory", o->size_text);
    enum status status = engine_draw(o->engine, view, &samples, o->verbose);
    if (status == STATUS_DONE)
        status = write_picture(o, &samples, file);
    free(both);
    return status;
}

enum { BAD_ARGUMENTS = 2 };

int main(int argc, char **argv) {
    static struct options options;
    struct output output;
    enum reading reading = options_read(&options, argc, argv);
    if (reading != READING_DONE)
        return reading == READING_FAILED ? BAD_ARGUMENTS
               : fflush(stdout)          ? EXIT_FAILURE
                                         : EXIT_SUCCESS;
    enum status status = output_open(&output, options.output);
    if (status == STATUS_DONE) {
        status = draw(&options, output.file);
        if (status == STATUS_DONE)
            status = output_commit(&output);
        else
            output_abandon(&output);
    }
    options_clear(&options);
    return status == STATUS_DONE ? EXIT_SUCCESS : EXIT_FAILURE;
}
