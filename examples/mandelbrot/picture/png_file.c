/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Writes pictures as PNG files. */
#include "config.h"

#include "examples/mandelbrot/picture/png_file.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct colour) == 3, "a row of colours is a row of a PNG");

struct writer {
    FILE *file;
    const char *name;
    png_structp png;
    png_infop info;
    struct colour *pixels; /* a row */
};

static void on_error(png_structp png, png_const_charp text) {
    const struct writer *w = png_get_error_ptr(png);
    complain("%s: %s", w->name, text);
    longjmp(png_jmpbuf(png), 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void write_bytes(png_structp png, png_bytep bytes, size_t count) {
    const struct writer *w = png_get_io_ptr(png);
    if (fwrite(bytes, 1, count, w->file) != count)
        png_error(png, strerror(errno));
}

static void flush_bytes(png_structp png) {
    const struct writer *w = png_get_io_ptr(png);
    if (fflush(w->file) != 0)
        png_error(png, strerror(errno));
}

static enum status open_writer(struct writer *w, uint32_t width) {
    w->pixels = calloc(width, sizeof *w->pixels);
    w->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, w, on_error, on_warning);
    w->info = w->png ? png_create_info_struct(w->png) : NULL;
    return w->pixels && w->info ? STATUS_DONE : complain("%s: not enough memory", w->name);
}

static void write_head(struct writer *w, uint32_t width, uint32_t height) {
    png_set_write_fn(w->png, w, write_bytes, flush_bytes);
    png_set_IHDR(w->png, w->info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(w->png, w->info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_set_compression_level(w->png, 9);
    png_write_info(w->png, w->info);
}

/* Writes the whole picture; libpng's errors return here by longjmp. */
static enum status write_all(struct writer *w, uint32_t width, uint32_t height,
                             void (*row)(void *context, uint32_t i, struct colour *pixels),
                             void *context) {
    if (setjmp(png_jmpbuf(w->png)) != 0)
        return STATUS_FAILED;
    write_head(w, width, height);
    for (uint32_t i = 0; i < height; i++) {
        row(context, i, w->pixels);
        png_write_row(w->png, (png_const_bytep)w->pixels);
    }
    png_write_end(w->png, NULL);
    return STATUS_DONE;
}

enum status png_file_write(FILE *file, const char *name, uint32_t width, uint32_t height,
                           void (*row)(void *context, uint32_t i, struct colour *pixels),
                           void *context) {
    struct writer w = {.file = file, .name = name};
    enum status status = open_writer(&w, width);
    if (status == STATUS_DONE)
        status = write_all(&w, width, height, row, context);
    png_destroy_write_struct(&w.png, &w.info);
    free(w.pixels);
    return status;
}
