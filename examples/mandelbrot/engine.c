/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Chooses among the engines: different ways to compute the samples (points) of a picture of the
 * Mandelbrot set. */
#include "config.h"

#include "examples/mandelbrot/engine.h"

#include <stdio.h>
#include <string.h>

#include "examples/mandelbrot/fixed.h"
#include "examples/mandelbrot/perturbation.h"
#include "examples/mandelbrot/plain.h"

/* An engine's numbers must have at least this many bits from the highest bit of a view's step (the
 * distance of samples) down to the numbers' last bit.  These bits absorb rounding errors.
 * FORCED_BITS: if the user has chosen the engine.  AUTO_BITS: if engine_choose chooses it. */
enum { FORCED_BITS = 6, AUTO_BITS = 16 };

static const struct {
    const char *name;
    int fraction; /* fraction bits of the engine's numbers; 0: arbitrary precision */
} engines[ENGINES] = {{"auto", 0},    {"double", 52}, {"fp128", 96},   {"fp192", 160},
                      {"fp256", 224}, {"gmp", 0},     {"gmp-plain", 0}};

const char *engine_name(enum engine engine) {
    return engines[engine].name;
}

enum engine engine_find(const char *name) {
    enum engine engine = ENGINE_AUTO;
    while (engine < ENGINES && strcmp(engines[engine].name, name) != 0)
        engine++;
    return engine;
}

static bool has_bits(enum engine engine, const struct view *view, int more) {
    return view_step_log2(view) >= more - engines[engine].fraction;
}

enum engine engine_choose(const struct view *view) {
    for (enum engine engine = ENGINE_DOUBLE; engine <= ENGINE_FP256; engine++)
        if (has_bits(engine, view, AUTO_BITS))
            return engine;
    return ENGINE_GMP;
}

bool engine_resolves(enum engine engine, const struct view *view) {
    if (engine == ENGINE_AUTO || engine == ENGINE_GMP)
        return view_step_log2(view) >= perturbation_least_log2();
    return engine == ENGINE_GMP_PLAIN || has_bits(engine, view, FORCED_BITS);
}

enum status engine_draw(enum engine engine, const struct view *view, const struct samples *samples,
                        bool verbose) {
    if (engine != ENGINE_GMP && engine != ENGINE_GMP_PLAIN)
        return fixed_draw(engine, view, samples, verbose);
    enum status status =
        engine == ENGINE_GMP ? perturbation_draw(view, samples) : plain_draw(view, samples);
    if (verbose && status == STATUS_DONE)
        fprintf(stderr, "mandelbrot: %s by the host\n", engine_name(engine));
    return status;
}
