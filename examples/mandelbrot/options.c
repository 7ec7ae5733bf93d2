/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Parses the arguments of mandelbrot. */
#include "config.h"

#include "examples/mandelbrot/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "examples/mandelbrot/device.h"
#include "examples/mandelbrot/frame.h"
#include "examples/mandelbrot/parse.h"

enum {
    OPTION_X = 256,
    OPTION_Y,
    OPTION_CENTRE,
    OPTION_RADIUS,
    OPTION_SIZE,
    OPTION_ITERATIONS,
    OPTION_SAMPLES,
    OPTION_CYCLE,
    OPTION_POSITION,
    OPTION_VERSION
};

static const struct option long_options[] = {
    {"x", required_argument, NULL, OPTION_X},
    {"y", required_argument, NULL, OPTION_Y},
    {"centre", required_argument, NULL, OPTION_CENTRE},
    {"radius", required_argument, NULL, OPTION_RADIUS},
    {"size", required_argument, NULL, OPTION_SIZE},
    {"iterations", required_argument, NULL, OPTION_ITERATIONS},
    {"samples", required_argument, NULL, OPTION_SAMPLES},
    {"palette", required_argument, NULL, 'p'},
    {"cycle", required_argument, NULL, OPTION_CYCLE},
    {"position", required_argument, NULL, OPTION_POSITION},
    {"engine", required_argument, NULL, 'e'},
    {"backend", required_argument, NULL, 'b'},
    {"device", required_argument, NULL, 'd'},
    {"output", required_argument, NULL, 'o'},
    {"verbose", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0}};

static const char help[] =
    "Usage: mandelbrot [OPTION]...\n"
    "Draw a part of the Mandelbrot set to a PNG file.\n\n"
    "      --centre X,Y        the middle, two decimals of any length (-0.75,0)\n"
    "      --x X, --y Y        the same, one by one\n"
    "      --radius R          half of the shorter side, as 1.25 (the default) or 1e-30\n"
    "      --size WxH          pixels (640x400)\n"
    "      --iterations N      the most for a point (more by default where R is less)\n"
    "      --samples N         N by N points for a pixel, from 1 (the default) to 8\n"
    "  -p, --palette NAME      of those below\n"
    "      --cycle N           the palette begins anew after N iterations (by logarithm)\n"
    "      --position P        where the palette begins, in per cent (0)\n"
    "  -e, --engine NAME       auto (by the depth), double, fp128, fp192, fp256,\n"
    "                          gmp (perturbation), gmp-plain (slow)\n"
    "  -b, --backend NAME      cuda, opencl, auto; none: the host's code\n"
    "  -d, --device NAME       a number, or a part of its name\n"
    "  -o, --output FILE       (mandelbrot.png); - is standard output\n"
    "  -v, --verbose           say which engine and device it is\n"
    "      --help, --version\n\n";

static enum status set_palette(struct options *o, const char *name) {
    o->palette = palette_find(name);
    return o->palette ? STATUS_DONE : complain("--palette %s: there are %s", name, palette_names());
}

static enum status set_engine(struct options *o, const char *name) {
    o->engine = engine_find(name);
    return o->engine < ENGINES ? STATUS_DONE : complain("--engine %s: there is none", name);
}

static enum status set_size(struct options *o, const char *text) {
    o->size_text = text;
    return parse_size(&o->width, &o->height, text);
}

static enum status set_coordinate(mpq_t value, struct given *given, const char *option,
                                  const char *text) {
    *given = (struct given){option, text};
    return parse_decimal(value, option, text);
}

static enum status set_centre(struct options *o, const char *text) {
    o->x_given = o->y_given = (struct given){"--centre", text};
    return parse_centre(&o->view, text);
}

static enum status set_radius(struct options *o, const char *text) {
    o->radius_text = text;
    return parse_decimal(o->view.step, "--radius", text);
}

/* Handles the other options: samples, colours, engine, output, --verbose. */
static enum status set_rest(struct options *o, int option, const char *value) {
    switch (option) {
    case OPTION_SAMPLES:
        return parse_number(&o->samples, "--samples", value, 1, 8);
    case OPTION_CYCLE:
        return parse_number(&o->cycle, "--cycle", value, 1, UINT32_MAX);
    case OPTION_POSITION:
        return parse_number(&o->position, "--position", value, 0, 100);
    case 'p':
        return set_palette(o, value);
    case 'e':
        return set_engine(o, value);
    case 'o':
        o->output = value;
        return *value ? STATUS_DONE : complain("--output '': not a file's name");
    case 'v':
        o->verbose = true;
        return STATUS_DONE;
    }
    return STATUS_DONE;
}

/* Handles --backend and --device; ignores other options. */
static enum status set_device(struct options *o, int option, const char *value) {
    (void)o;
    return option == 'b'   ? device_set_backend(value)
           : option == 'd' ? device_set_device(value)
                           : STATUS_DONE;
}

static enum status set_picture(struct options *o, int option, const char *value) {
    switch (option) {
    case OPTION_X:
        return set_coordinate(o->view.x, &o->x_given, "--x", value);
    case OPTION_Y:
        return set_coordinate(o->view.y, &o->y_given, "--y", value);
    case OPTION_CENTRE:
        return set_centre(o, value);
    case OPTION_RADIUS:
        return set_radius(o, value);
    case OPTION_SIZE:
        return set_size(o, value);
    case OPTION_ITERATIONS:
        return parse_number(&o->view.iterations, "--iterations", value, 1, UINT32_MAX);
    }
    return set_rest(o, option, value);
}

/* Sets the defaults: a view of the whole Mandelbrot set. view.step contains the radius until
 * frame() computes the step. */
static void set_defaults(struct options *o) {
    *o = (struct options){.width = 640,
                          .height = 400,
                          .samples = 1,
                          .palette = palette_find("dusk"),
                          .output = "mandelbrot.png",
                          .size_text = "640x400",
                          .radius_text = "1.25"};
    view_init(&o->view);
    mpq_set_si(o->view.x, -3, 4);
    mpq_set_ui(o->view.step, 5, 4);
}

static void print_help(void) {
    fputs(help, stdout);
    printf("Palettes: %s.\n", palette_names());
}

/* Prints a message about an option that getopt rejects. `found` is getopt's result. getopt sets
 * optopt to 0 for an unknown long option, and to the option's value for a known one. */
static enum status refuse(int found, const char *argument) {
    const char *why = found == ':' ? "no value" : "no such option";
    if (optopt == 'v' || optopt == 'h' || optopt == OPTION_VERSION)
        why = "takes no value";
    else if (optopt && (found == '?' || strncmp(argument, "--", 2) != 0))
        return complain("-%c: %s (mandelbrot --help lists the options)", optopt, why);
    return complain("%s: %s (mandelbrot --help lists the options)", argument, why);
}

/* Parses all arguments and calls `set` for each option. */
static enum reading read_options(struct options *o, int argc, char **argv,
                                 enum status (*set)(struct options *o, int option,
                                                    const char *value)) {
    int option;
    optind = 0; /* makes getopt begin again at the first argument */
    while ((option = getopt_long(argc, argv, ":p:e:b:d:o:vh", long_options, NULL)) != -1) {
        if (option == 'h') {
            print_help();
            return READING_NOTHING_TO_DRAW;
        }
        if (option == OPTION_VERSION) {
            printf("mandelbrot (mpgpu-gmp) %s\n", PACKAGE_VERSION);
            return READING_NOTHING_TO_DRAW;
        }
        if (option == ':' || option == '?') {
            refuse(option, argv[optind - 1]);
            return READING_FAILED;
        }
        if (set(o, option, optarg) != STATUS_DONE)
            return READING_FAILED;
    }
    if (optind < argc)
        complain("%s: an argument too many", argv[optind]);
    return optind < argc ? READING_FAILED : READING_DONE;
}

/* Handles --backend and --device first, and then the picture's options. Parsing numbers calls GMP,
 * and the first intercepted call makes the library read MPGPU_CONF. */
static enum reading read_all(struct options *o, int argc, char **argv) {
    enum reading reading = read_options(o, argc, argv, set_device);
    if (reading == READING_DONE && device_choose() != STATUS_DONE)
        reading = READING_FAILED;
    if (reading == READING_DONE)
        reading = read_options(o, argc, argv, set_picture);
    if (reading == READING_DONE && frame(o) != STATUS_DONE)
        reading = READING_FAILED;
    return reading;
}

enum reading options_read(struct options *o, int argc, char **argv) {
    set_defaults(o);
    enum reading reading = read_all(o, argc, argv);
    if (reading != READING_DONE)
        options_clear(o);
    return reading;
}

void options_clear(struct options *o) {
    view_clear(&o->view);
}
