/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The parts of mpgpu-tune, on the session's device. */
#ifndef MPGPU_TUNE_H
#define MPGPU_TUNE_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/base/conf.h"
#include "lib/base/profile.h"
#include "tools/tune/tune_search.h"
#include "tools/work.h"

struct tune_options {
    bool quick, dry_run, verbose;
    double seconds;     /* for the search; 0: no limit */
    const char *output; /* NULL: the user's file for the device */
};

/* A threshold that was looked for. */
struct tune_finding {
    bool is_done;
    size_t limbs;   /* or MPGPU_NEVER */
    size_t largest; /* size that was measured */
};

struct tuner {
    struct tune_options options;
    struct timing_budget budget;
    struct profile profile; /* as far as it has been found */
    struct tune_finding finding[PROFILE_THRESHOLDS];
    double until;     /* end of the search on the library's clock; 0: none */
    bool is_stopped;  /* the search has ended so */
    bool has_doubles; /* the device: fft may serve */
    int unsteady;     /* values that did not hold when they were measured again */
    /* being measured */
    const struct work_operation *operation;
    enum profile_choices choice;
};

/* ---- one operation at one size.  A way is an algorithm, or TUNE_GMP.  The profile's thresholds
 * apply to products inside a composite operation, and inside GMP's own function if this libgmp's
 * inner calls can be intercepted.  This is the same in programs. */

enum { TUNE_GMP = -1 };

/* work_open, after the functions of GMP that compat/ calls have been found. */
bool tune_open(struct work *w, const struct work_operation *operation, size_t n);

/* Compares the device's results with GMP's, on new operands.  can[i] becomes false if way[i] was
 * not computed on the device.  Returns false if a result is wrong. */
bool tune_check(struct work *w, const struct profile *p, const int *way, int ways, bool *can);

/* seconds[i]: by way[i], alternately, -1 if !can[i].  Returns false if there is no memory. */
bool tune_time(struct work *w, const struct profile *p, const struct timing_budget *budget,
               const int *way, int ways, const bool *can, double *seconds);

/* ---- measurements: these functions return 0, or after a message the program's exit status */

/* Timers for searches; the context is the tuner.  The first times GMP and the device at
 * t->operation, the second every algorithm at products as t->choice says; option i is algorithm i.
 */
int tuner_time_operation(void *context, struct tune_point *point);
int tuner_time_algorithms(void *context, struct tune_point *point);

/* Measures GMP's own times by size into t->profile.cost, smaller sizes first.  Returns 1 also if
 * the search's time is over, with what was measured until then. */
int tuner_find_costs(struct tuner *t);

/* Clears a terminal's line of progress, before other output. */
void tuner_end_progress(void);

/* Finds all values.  Those not found before t->until stay unset, with a message. */
int tuner_find(struct tuner *t);

/* Measures both sides of each threshold and step of t->profile again, and prints a table. */
int tuner_verify(struct tuner *t);

/* Sizes below a threshold and above it, how many times faster the device is there, and whether that
 * confirms the threshold. */
struct tuner_sides {
    size_t below, above;
    double slower, faster;
    bool holds;
};
int tuner_measure_sides(struct tuner *t, int which, struct tuner_sides *s);

/* ---- a profile's file */

/* Finds the file for a device's profile: `output`, or the file that programs read if `output` is
 * NULL.  Returns false if there is none. */
bool tune_file_path(const char *output, const char *backend, const struct gpu_caps *caps,
                    char *path, size_t size);

/* Prints the values, after comments with the date, the machine and the version of GMP. */
void tune_file_print(FILE *file, const struct profile *p, const struct gpu_caps *caps);

/* Tries to create a file, which it removes, and first its folder if `makes_folder`.  Returns false
 * and sets errno on failure. */
bool tune_file_can_write(const char *path, bool makes_folder);

/* Writes the file under another name, renames it and reads it again.  Returns false and sets errno
 * on failure; errno is 0 if the file differs from the written values. */
bool tune_file_write(const char *path, const struct profile *p, const struct gpu_caps *caps);

#endif
