/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Both sides of each value found, measured again. */
#include <stdio.h> /* before gmp.h */

#include "tools/tune/tune_measure.h"

#include "lib/base/conf.h"

static const double HOLDS = 1.15; /* so far off still holds */

static void judge(struct tuner_sides *s) {
    s->holds = s->slower <= HOLDS && s->faster * HOLDS >= 1;
}

static void print_sides(struct tuner *t, const char *name, size_t limbs,
                        const struct tuner_sides *s) {
    char value[32];
    tuner_end_progress();
    t->unsteady += !s->holds;
    snprintf(value, sizeof value, "%zu limbs", limbs);
    printf("%-10s %-14s %9.2f at %-9zu %9.2f at %-9zu %s\n", name, value, s->slower, s->below,
           s->faster, s->above, s->holds ? "holds" : "UNSTEADY");
}

/* How many times faster b is than a; negative times are of what cannot be done. */
static double faster(double a, double b) {
    return b < 0 ? 0 : a < 0 ? 1 : a / b;
}

static struct tuner_sides sides_of(size_t limbs) {
    return (struct tuner_sides){.below = limbs - limbs / 3, .above = limbs + limbs / 2};
}

int tuner_measure_sides(struct tuner *t, int which, struct tuner_sides *s) {
    const struct tune_operation *operation = &tune_operations[which];
    double gmp = 0, device = 1;
    *s = sides_of(profile_limbs(&t->profile, which));
    int status = tuner_time(t, operation, s->below, &gmp, &device);
    s->slower = faster(gmp, device);
    if (status == 0)
        status = tuner_time(t, operation, s->above, &gmp, &device);
    s->faster = faster(gmp, device);
    judge(s);
    return status;
}

static int verify_threshold(struct tuner *t, int which) {
    struct tuner_sides s;
    int status = tuner_measure_sides(t, which, &s);
    if (status == 0)
        print_sides(t, tune_operations[which].name, profile_limbs(&t->profile, which), &s);
    return status;
}

/* A step, not the first, of what t->choice says. */
static int verify_step(struct tuner *t, const struct profile_step *step) {
    struct tuner_sides s = sides_of(step->limbs);
    struct tune_point below = {.size = s.below}, above = {.size = s.above};
    char algorithm[16], name[64];
    int before = step[-1].algorithm, after = step->algorithm;
    int status = tuner_time_algorithms(t, &below);
    status = status ? status : tuner_time_algorithms(t, &above);
    s.slower = faster(below.seconds[before], below.seconds[after]);
    s.faster = faster(above.seconds[before], above.seconds[after]);
    judge(&s);
    tuner_algorithm_name(after, algorithm, sizeof algorithm);
    snprintf(name, sizeof name, "%s%s", t->choice == PROFILE_MODULAR_PRODUCTS ? "mulmod " : "",
             algorithm);
    if (status == 0)
        print_sides(t, name, step->limbs, &s);
    return status;
}

static void print_never(const struct tuner *t, int which) {
    printf("%-10s %-14s up to %zu limbs\n", tune_operations[which].name, "never",
           t->finding[which].largest);
}

int tuner_verify(struct tuner *t) {
    int status = 0;
    t->budget.least = 2 * t->budget.least + 1;
    printf("%-10s %-14s %22s %22s\n", "", "from", "below: times faster", "above: times faster");
    for (int k = 0; k < PROFILE_CHOICES; k++) {
        t->choice = (enum profile_choices)k;
        for (int i = 1; i < t->profile.choice[k].steps && status == 0; i++)
            status = verify_step(t, &t->profile.choice[k].step[i]);
    }
    for (int i = 0; i < PROFILE_THRESHOLDS && status == 0; i++) {
        if (t->finding[i].is_done && profile_limbs(&t->profile, i) == MPGPU_NEVER)
            print_never(t, i);
        else if (t->finding[i].is_done)
            status = verify_threshold(t, i);
    }
    if (t->unsteady)
        fprintf(stderr, "mpgpu-tune: %d of these do not hold: has the machine other work?\n",
                t->unsteady);
    return status;
}
