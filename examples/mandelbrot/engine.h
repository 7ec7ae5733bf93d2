/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The ways to compute the samples of a view. */
#ifndef EXAMPLE_ENGINE_H
#define EXAMPLE_ENGINE_H

#include <stdbool.h>

#include "examples/mandelbrot/complain.h"
#include "examples/mandelbrot/view.h"

enum engine {
    ENGINE_AUTO,
    ENGINE_DOUBLE,
    ENGINE_FP128,
    ENGINE_FP192,
    ENGINE_FP256,
    ENGINE_GMP,       /* perturbation */
    ENGINE_GMP_PLAIN, /* GMP for each sample */
    ENGINES
};

const char *engine_name(enum engine engine);

/* By its name; ENGINES if there is none. */
enum engine engine_find(const char *name);

/* The first engine that has bits enough for the view's steps, and some more. */
enum engine engine_choose(const struct view *view);

/* Whether the engine can tell the view's samples apart. */
bool engine_resolves(enum engine engine, const struct view *view);

/* Fills the samples of the view: on the device where it has the engine's code and there is one,
 * else on all cores.  The result is the same.  Complains where it can't be done.  `verbose` tells
 * which it was. */
enum status engine_draw(enum engine engine, const struct view *view, const struct samples *samples,
                        bool verbose);

#endif
