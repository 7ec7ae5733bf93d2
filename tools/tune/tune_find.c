/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The values of a profile, one after the other: algorithms first, then what products decide,
 * and at last the whole operations that are built from them. */
#include <stdio.h> /* before gmp.h */

#include "tools/tune/tune_measure.h"

#include "lib/base/conf.h"
#include "lib/session/session.h"
#include "lib/base/stats.h"

/* A device has to be sooner by this share, since its work is not all that a call costs: other
 * programs want it too. An algorithm by this one. */
static const double MARGIN = 0.04, CHANGE = 0.03;

enum { ATTEMPTS = 3 };

static const struct tune_range range = {32, (size_t)1 << 24, 0.3, 8};
static const struct tune_range quick = {32, (size_t)1 << 20, 0.01, 3};

/* Of algorithms; products larger than that are as the largest. */
static const struct tune_range choices = {32, (size_t)1 << 22, 0.3, 4};
static const struct tune_range quick_choices = {32, (size_t)1 << 13, 0.01, 1};

static const struct timing_budget budget = {
    .seconds = 0.02, .warm = 2, .least = 3, .most = 101, .end = 2};
static const struct timing_budget quick_budget = {
    .seconds = 0.002, .warm = 1, .least = 5, .most = 15, .end = 0.2};

/* Where the time is limited, in half of it. */
static int find_algorithms(struct tuner *t) {
    static struct tune_curve curve;
    int status = 0;
    for (int which = 0; which < PROFILE_CHOICES && status == 0; which++) {
        struct profile_choice *c = &t->profile.choice[which];
        t->choice = (enum profile_choices)which;
        status = tune_choices(t->options.quick ? &quick_choices : &choices, ALGORITHMS, CHANGE,
                              tuner_time_algorithms, t, &curve, c->step, &c->steps);
        session_use_profile(&t->profile);
    }
    return status;
}

static int has_found(const struct profile *p) {
    for (int i = 0; i < PROFILE_CHOICES; i++)
        if (p->choice[i].steps > 0)
            return 1;
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        if (p->value[i] != MPGPU_UNSET)
            return 1;
    return 0;
}

/* The search's time is over: what is not found is left to other profiles.  Nonzero if that is all.
 */
static int stop(struct tuner *t) {
    tuner_end_progress();
    if (!has_found(&t->profile)) {
        fputs("mpgpu-tune: nothing was found in that time, nothing is written\n", stderr);
        return 1;
    }
    fputs("mpgpu-tune: the time is over; not found, and left to other profiles:", stderr);
    for (int i = 0; i < PROFILE_CHOICES; i++)
        if (t->profile.choice[i].steps == 0)
            fprintf(stderr, " %s", profile_choice_names[i]);
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        if (t->profile.value[i] == MPGPU_UNSET)
            fprintf(stderr, " %s", tune_operations[i].name);
    fputc('\n', stderr);
    t->until = 0; /* what was found is measured again */
    return t->is_stopped = 0;
}

/* A size as so many tenths of the threshold that it goes by; never, where that is. */
static size_t tenths_of(const struct profile *p, enum profile_threshold which, size_t limbs) {
    struct profile tenfold = *p;
    tenfold.value[which] = 10;
    size_t of = profile_limbs(&tenfold, which);
    if (limbs == MPGPU_NEVER || of == MPGPU_NEVER)
        return MPGPU_NEVER;
    return (10 * limbs + of - 1) / of;
}

static int find_threshold(struct tuner *t, const struct tune_range *r, int which) {
    static struct tune_curve curve;
    struct tune_finding *f = &t->finding[which];
    const char *why;
    t->operation = &tune_operations[which];
    int status = tune_threshold(r, MARGIN, tuner_time_operation, t, &curve, &f->limbs, &why);
    if (status)
        return status;
    f->is_done = 1;
    f->largest = curve.point[curve.points - 1].size;
    t->profile.value[which] =
        t->operation->is_whole ? tenths_of(&t->profile, which, f->limbs) : f->limbs;
    if (t->options.verbose)
        printf("%s: the way up ended at %zu limbs: %s\n", t->operation->name, f->largest, why);
    return 0;
}

/* What other work of the machine has spoilt is looked for again, a few times; a gain that does
 * not show again in the end is left to GMP. */
static int find_steadily(struct tuner *t, const struct tune_range *r, int which) {
    struct tuner_sides sides = {.holds = 0};
    int status = 0;
    for (int i = 0; i < ATTEMPTS && status == 0 && !sides.holds; i++) {
        status = find_threshold(t, r, which);
        if (status || profile_limbs(&t->profile, which) == MPGPU_NEVER)
            return status;
        status = tuner_measure_sides(t, which, &sides);
    }
    if (t->is_stopped) {
        t->profile.value[which] = MPGPU_UNSET;
        t->finding[which].is_done = 0;
    }
    if (status == 0 && sides.faster < 1)
        t->profile.value[which] = MPGPU_NEVER;
    return status;
}

/* Where products stay with GMP, so does what is built from them: there is nothing to find. */
static int is_worth_it(const struct tuner *t, int which) {
    return !tune_operations[which].is_whole || t->profile.value[PROFILE_mul] != MPGPU_NEVER;
}

int tuner_find(struct tuner *t) {
    const struct tune_range *r = t->options.quick ? &quick : &range;
    t->budget = t->options.quick ? quick_budget : budget;
    double half = t->options.seconds / 2;
    t->until = half > 0 ? stats_clock() + half : 0;
    session_use_profile(&t->profile);
    int status = find_algorithms(t);
    if (half > 0)
        t->until += half;
    if (t->is_stopped)
        status = t->is_stopped = 0;
    for (int i = 0; i < PROFILE_THRESHOLDS && status == 0; i++)
        if (is_worth_it(t, i))
            status = find_steadily(t, r, i);
    tuner_end_progress();
    return t->is_stopped ? stop(t) : status;
}
