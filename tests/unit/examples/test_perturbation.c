/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests examples/mandelbrot: drawing by perturbation and by other engines, compared with GMP's
 * orbit of each sample; and the choice of an engine. */
#include <string.h>

#include "examples/mandelbrot/decimal.h"
#include "examples/mandelbrot/engine.h"
#include "examples/mandelbrot/picture/smooth.h"
#include "tests/support/testing.h"

enum { WIDTH = 40, HEIGHT = 24, SAMPLES = WIDTH * HEIGHT };

/* In views with dense detail some orbits depend on the last bits: up to DUST of a thousand samples
 * may differ. */
enum { DUST = 25 };

static const struct place {
    const char *x, *y, *radius;
    uint32_t iterations;
    int dust; /* how many of a thousand samples may differ with perturbation */
} places[] = {
    {"-0.75", "0", "1.25", 500, 0},
    {"-2.5", "0.5", "1", 100, 0}, /* the orbit of the view's centre escapes at once */
    {"-0.743643887037158704752191506114774", "0.131825904205311970493132056385139", "1e-10", 5000,
     DUST},
    {"-0.743643887037158704752191506114774", "0.1318259042053", "1e-13", 5000, DUST},
    {"-0.7436438870361845623645375955922520", "0.1318259042056783426290422632598982", "1e-20",
     20000, DUST},
    /* a small copy of the Mandelbrot set, in which the orbit of the view's centre is periodic
     * through 0 */
    {"-0.7436438870361845623645375955922520", "0.1318259042056783426290422632598982", "2e-22",
     20000, DUST},
    {"-0.101019621823472804874169715494358325937532984548599520",
     "0.956331124798150320770529840519499587689558851802533846", "1e-44", 10000, 0},
    /* -2 is the leftmost point of the Mandelbrot set; the views around it become smaller and
     * smaller */
    {"-2", "0", "1e-30", 400, 0},
    {"-2", "0", "1e-280", 4000, 0},
    {"-2", "0", "1e-310", 4000, 0}, /* beyond double's exponents */
    {"-2", "0", "1e-400", 4000, 0},
};

static void view_of(struct view *view, const struct place *place) {
    mpq_t radius;
    mpq_init(radius);
    view_init(view);
    ck_assert(decimal_parse(view->x, place->x) == DECIMAL_GOOD);
    ck_assert(decimal_parse(view->y, place->y) == DECIMAL_GOOD);
    ck_assert(decimal_parse(radius, place->radius) == DECIMAL_GOOD);
    view->width = WIDTH;
    view->height = HEIGHT;
    view->iterations = place->iterations;
    view_frame(view, radius);
    mpq_clear(radius);
}

struct drawn {
    uint32_t iterations[SAMPLES], norms[SAMPLES];
};

static void draw(struct drawn *drawn, enum engine engine, const struct view *view) {
    struct samples samples = {drawn->iterations, drawn->norms};
    memset(drawn, 0xff, sizeof *drawn);
    ck_assert(engine_draw(engine, view, &samples, false) == STATUS_DONE);
}

/* Returns true if the smooth iteration counts of sample i in two drawings differ by more than a
 * sixteenth. */
static bool is_other(const struct drawn *a, const struct drawn *b, int i) {
    uint64_t x = smooth_iterations((struct escape){a->iterations[i], a->norms[i]});
    uint64_t y = smooth_iterations((struct escape){b->iterations[i], b->norms[i]});
    return (x > y ? x - y : y - x) > 1 << (SMOOTH_FRACTION - 4);
}

static void compare(enum engine engine, const struct place *place) {
    static struct drawn drawn, right;
    struct view view;
    int different = 0, colours = 0, dust = engine == ENGINE_GMP ? place->dust : 0;
    view_of(&view, place);
    draw(&right, ENGINE_GMP_PLAIN, &view);
    draw(&drawn, engine, &view);
    for (int i = 0; i < SAMPLES; i++) {
        different += is_other(&drawn, &right, i);
        colours += right.iterations[i] != right.iterations[0];
    }
    ck_assert_msg(different * 1000 <= dust * SAMPLES, "%s, radius %s: %d of %d differ",
                  engine_name(engine), place->radius, different, SAMPLES);
    ck_assert_msg(colours > SAMPLES / 8, "radius %s: nothing to be seen", place->radius);
    view_clear(&view);
}

START_TEST(perturbation_is_right) {
    compare(ENGINE_GMP, &places[_i]);
}
END_TEST

START_TEST(engines_are_right) {
    for (enum engine engine = ENGINE_DOUBLE; engine <= ENGINE_FP256; engine++)
        for (int i = 0; i < 2; i++)
            compare(engine, &places[i]);
    for (enum engine engine = ENGINE_FP128; engine <= ENGINE_FP256; engine++)
        compare(engine, &places[2]);
    compare(ENGINE_FP192, &places[7]);
}
END_TEST

START_TEST(depth_chooses) {
    static const struct {
        const char *radius;
        enum engine engine;
    } cases[] = {{"1", ENGINE_DOUBLE},    {"1e-9", ENGINE_DOUBLE}, {"1e-11", ENGINE_FP128},
                 {"1e-22", ENGINE_FP128}, {"1e-24", ENGINE_FP192}, {"1e-41", ENGINE_FP192},
                 {"1e-43", ENGINE_FP256}, {"1e-60", ENGINE_FP256}, {"1e-63", ENGINE_GMP},
                 {"1e-400", ENGINE_GMP}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct view view;
        view_of(&view, &(struct place){"-2", "0", cases[i].radius, 100, 0});
        enum engine engine = engine_choose(&view);
        ck_assert_msg(engine == cases[i].engine, "radius %s: %s", cases[i].radius,
                      engine_name(engine));
        for (enum engine e = ENGINE_AUTO; e < engine; e++)
            if (e != ENGINE_AUTO && e + 1 < engine)
                ck_assert(!engine_resolves(e, &view));
        ck_assert(engine_resolves(engine, &view));
        view_clear(&view);
    }
}
END_TEST

int main(void) {
    return testing_main("mandelbrot", 120,
                        TESTS(LOOP(perturbation_is_right, sizeof places / sizeof *places),
                              ONCE(engines_are_right), ONCE(depth_chooses)));
}
