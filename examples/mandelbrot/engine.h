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

/* Finds an engine by its name; returns ENGINES if there is none. */
enum engine engine_find(const char *name);

/* Returns the first engine with enough bits for the view's steps, and some spare bits. */
enum engine engine_choose(const struct view *view);

/* Returns whether the engine's precision can distinguish the view's samples. */
bool engine_resolves(enum engine engine, const struct view *view);

/* Fills the samples of the view: on the device if there is one and it has the engine's code,
 * otherwise on all cores.  The result is the same.  Prints a message if it fails.  If `verbose`,
 * prints which of the two computed it. */
enum status engine_draw(enum engine engine, const struct view *view, const struct samples *samples,
                        bool verbose);

#endif
