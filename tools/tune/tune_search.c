/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Searches for thresholds. */
#include "tools/tune/tune_search.h"

#include <stdbool.h>
#include <string.h>

#include "lib/base/conf.h"

/* if one option takes this many times as long as the other, no sizes in between are measured */
static const double CLEAR = 1.5;
/* A change of options must reduce the badness (lost part of the time), summed over all sizes, by at
 * least this. */
static const double WORTH = 0.2;
/* the badness (lost part of the time) of an option that is not supported */
static const double IMPOSSIBLE = 1e6;

/* Measures a size, unless it is in the curve already.  Sets *at, if not NULL, to the size's index
 * in the curve. */
static int add_point(struct tune_curve *c, size_t size, tune_timer *timer, void *context, int *at) {
    int i = 0;
    struct tune_point point = {.size = size};
    while (i < c->points && c->point[i].size < size)
        i++;
    if (at)
        *at = i;
    if (c->points == TUNE_MOST_POINTS || (i < c->points && c->point[i].size == size))
        return 0;
    if (timer(context, &point))
        return 1;
    memmove(&c->point[i + 1], &c->point[i], (size_t)(c->points - i) * sizeof point);
    c->point[i] = point;
    c->points++;
    return 0;
}

/* Returns the time of option 1 divided by the time of option 0. */
static double ratio(const struct tune_point *p) {
    return p->seconds[1] < 0 ? IMPOSSIBLE : p->seconds[1] / p->seconds[0];
}

static bool is_long(const struct tune_curve *c, const struct tune_point *p, double most) {
    for (int i = 0; i < c->options; i++)
        if (p->seconds[i] > most)
            return true;
    return false;
}

/* Measures powers of two until option 1 is CLEAR times as fast as option 0 at two successive
 * sizes. */
static int climb(const struct tune_range *r, tune_timer *timer, void *context, struct tune_curve *c,
                 const char **reason) {
    int won = 0, at;
    *reason = "the largest size";
    for (size_t size = r->first; size <= r->last && won < 2; size *= 2) {
        if (add_point(c, size, timer, context, &at))
            return 1;
        won = ratio(&c->point[at]) * CLEAR <= 1 ? won + 1 : 0;
        if (won == 2)
            *reason = "clearly faster";
        else if (is_long(c, &c->point[at], r->most_seconds)) {
            *reason = "a call takes too long for more";
            break;
        }
    }
    return 0;
}

/* Returns the next larger size.  `steps` such steps double a size. */
static size_t next_size(size_t size, int steps) {
    size_t power = 1;
    while (2 * power <= size)
        power *= 2;
    size_t step = power / (size_t)steps;
    return size + (step ? step : 1);
}

/* Returns the part of the time that is lost by using `used` instead of `other`, both in seconds. */
static double badness(double used, double other) {
    if (used < 0)
        return IMPOSSIBLE;
    return other < 0 || used <= other ? 0 : 1 - other / used;
}

/* Returns the badness (lost part of the time) if option 0 is used for the first `small` points and
 * option 1 for the others. */
static double badness_of(const struct tune_curve *c, int small, double margin) {
    double sum = 0;
    for (int i = 0; i < c->points; i++) {
        double zero = c->point[i].seconds[0], one = c->point[i].seconds[1] * (1 + margin);
        sum += i < small ? badness(zero, one) : badness(one, zero);
    }
    return sum;
}

/* Returns the best threshold: the index of the first point that uses option 1.  Returns c->points
 * if option 1 should never be used. */
static int best_point(const struct tune_curve *c, double margin) {
    int best = c->points;
    double least = badness_of(c, best, margin) - WORTH;
    for (int small = c->points - 1; small >= 0; small--) {
        double sum = badness_of(c, small, margin);
        if (sum < least) {
            least = sum;
            best = small;
        }
    }
    return best;
}

/* Measures more sizes around point `best`, which is the first point where option 1 is used.  Skips
 * sizes at which one option is clearly faster. */
static int look_closer(const struct tune_range *r, int best, tune_timer *timer, void *context,
                       struct tune_curve *c) {
    int low = best > 2 ? best - 2 : 0, high = best + 1 < c->points ? best + 1 : best;
    while (low < high && ratio(&c->point[low + 1]) >= CLEAR)
        low++;
    while (high > low && ratio(&c->point[high - 1]) * CLEAR <= 1)
        high--;
    size_t from = c->point[low].size, to = c->point[high].size;
    for (size_t size = next_size(from, r->steps); size < to; size = next_size(size, r->steps))
        if (add_point(c, size, timer, context, NULL))
            return 1;
    return 0;
}

int tune_threshold(const struct tune_range *range, double margin, tune_timer *timer, void *context,
                   struct tune_curve *curve, size_t *threshold, const char **reason) {
    *curve = (struct tune_curve){.options = 2};
    *threshold = MPGPU_NEVER;
    if (climb(range, timer, context, curve, reason))
        return 1;
    int best = best_point(curve, margin);
    if (best < curve->points && look_closer(range, best, timer, context, curve))
        return 1;
    best = best_point(curve, margin);
    *threshold = best < curve->points ? curve->point[best].size : MPGPU_NEVER;
    return 0;
}

/* ---- several options */

static double best_of(const struct tune_curve *c, const struct tune_point *p) {
    double best = -1;
    for (int i = 0; i < c->options; i++)
        if (p->seconds[i] >= 0 && (best < 0 || p->seconds[i] < best))
            best = p->seconds[i];
    return best;
}

static int possible_options(const struct tune_curve *c, const struct tune_point *p) {
    int count = 0;
    for (int i = 0; i < c->options; i++)
        count += p->seconds[i] >= 0;
    return count;
}

/* The search for the best steps by dynamic programming. cost[i][a]: the least time lost from point
 * 0 to point i, if point i uses option a. came[i][a]: the option of point i - 1 in that
 * solution. */
struct path {
    double cost[TUNE_MOST_POINTS][TUNE_MOST_OPTIONS];
    int came[TUNE_MOST_POINTS][TUNE_MOST_OPTIONS];
};

static int cheapest(const double *cost, int options) {
    int best = 0;
    for (int a = 1; a < options; a++)
        if (cost[a] < cost[best])
            best = a;
    return best;
}

/* Returns the part of the time that an option loses; 0 if it is below the margin. */
static double loss(double used, double best, double margin) {
    double bad = badness(used, best);
    return bad < margin ? 0 : bad;
}

static void walk(const struct tune_curve *c, double margin, struct path *path) {
    for (int i = 0; i < c->points; i++) {
        const double *before = i ? path->cost[i - 1] : NULL;
        int change = before ? cheapest(before, c->options) : 0;
        double best = best_of(c, &c->point[i]);
        for (int a = 0; a < c->options; a++) {
            bool stay = !before || before[a] <= before[change] + WORTH;
            path->came[i][a] = stay ? a : change;
            path->cost[i][a] =
                loss(c->point[i].seconds[a], best, margin) + (!before ? 0
                                                              : stay  ? before[a]
                                                                      : before[change] + WORTH);
        }
    }
}

/* Follows the best path from the last point backwards.  Then collects the changes of option along
 * it, by size. */
static int steps_of(const struct tune_curve *c, const struct path *path,
                    struct profile_step *step) {
    int chosen[TUNE_MOST_POINTS], steps = 0, last = c->points - 1;
    chosen[last] = cheapest(path->cost[last], c->options);
    for (int i = last; i > 0; i--)
        chosen[i - 1] = path->came[i][chosen[i]];
    for (int i = 0; i <= last && steps < PROFILE_MOST_STEPS; i++)
        if (i == 0 || chosen[i] != chosen[i - 1])
            step[steps++] = (struct profile_step){i ? c->point[i].size : 1, chosen[i]};
    return steps;
}

int tune_choices(const struct tune_range *range, int options, double margin, tune_timer *timer,
                 void *context, struct tune_curve *curve, struct profile_step *step, int *steps) {
    static struct path path; /* static, because it is too large for the stack */
    int at;
    *curve = (struct tune_curve){.options = options};
    *steps = 0;
    for (size_t size = range->first; size <= range->last; size = next_size(size, range->steps)) {
        if (add_point(curve, size, timer, context, &at))
            return 1;
        if (possible_options(curve, &curve->point[at]) < 2 ||
            best_of(curve, &curve->point[at]) > range->most_seconds)
            break;
    }
    walk(curve, margin, &path);
    *steps = steps_of(curve, &path, step);
    return 0;
}
