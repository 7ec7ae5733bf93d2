/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Chooses among the engines: different ways to compute the samples (points) of a picture of the
 * Mandelbrot set. */
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
    ENGINE_GMP_PLAIN, /* GMP computes the orbit of every sample */
    ENGINES
};

const char *engine_name(enum engine engine);

/* Finds an engine by its name; returns ENGINES if no engine has this name. */
enum engine engine_find(const char *name);

/* Returns the fastest engine whose numbers can distinguish the view's samples, with some bits to
 * spare. */
enum engine engine_choose(const struct view *view);

/* Returns whether the engine's precision can distinguish the view's samples. */
bool engine_resolves(enum engine engine, const struct view *view);

/* Fills the samples of the view: on the device if there is one and it supports the engine,
 * otherwise on all cores. Device and cores compute the same samples. Prints a message on failure.
 * If `verbose`, prints whether the device or the host computed the samples. */
enum status engine_draw(enum engine engine, const struct view *view, const struct samples *samples,
                        bool verbose);

#endif
