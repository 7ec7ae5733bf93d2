/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The interfaces between the parts of mpgpu-tune.  They measure the device of the session. */
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
    double seconds;     /* time limit of the search; 0: none */
    const char *output; /* NULL: the profile file that programs of this user read */
};

/* The result of a search for one threshold. */
struct tune_finding {
    bool is_done;
    size_t limbs;   /* or MPGPU_NEVER */
    size_t largest; /* the largest size that was measured */
};

struct tuner {
    struct tune_options options;
    struct timing_budget budget;
    struct profile profile; /* the values found so far */
    struct tune_finding finding[PROFILE_THRESHOLDS];
    double until;     /* the end of the search, on stats_clock; 0: no limit */
    bool is_stopped;  /* the time limit has stopped the search */
    bool has_doubles; /* the device has doubles, so the algorithm fft can be used */
    /* the number of thresholds and steps that a second measurement did not confirm */
    int unsteady;
    /* being measured */
    const struct work_operation *operation;
    enum profile_choices choice;
};

/* ---- one operation at one size.  A "way" to compute it is an algorithm, or TUNE_GMP.  The
 * profile's thresholds apply to products inside a composite operation, and to intercepted products
 * inside GMP's functions. */

enum { TUNE_GMP = -1 };

/* Calls work_open, after finding GMP's own functions, which the functions of compat/ call. */
bool tune_open(struct work *w, const struct work_operation *operation, size_t n);

/* Compares the results of each way (algorithm) with GMP's, on new operands.  Clears can[i] if
 * way[i] was not computed on the device.  Clears *is_right if a result is wrong.  Returns false
 * without memory. */
bool tune_check(struct work *w, const struct profile *p, const int *way, int ways, bool *can,
                bool *is_right);

/* Times all ways (algorithms, or GMP) alternately.  Sets seconds[i] for way[i]; -1 if can[i] is
 * false.  Returns false without memory. */
bool tune_time(struct work *w, const struct profile *p, const struct timing_budget *budget,
               const int *way, int ways, const bool *can, double *seconds);

/* ---- measurements: functions return 0, or print a message and return the program's exit status */

/* Functions that measure a size for a search; the context is the tuner. tuner_time_operation times
 * t->operation with GMP (option 0) and on the device (option 1). tuner_time_algorithms times
 * products of the kind t->choice; option i is algorithm i. */
int tuner_time_operation(void *context, struct tune_point *point);
int tuner_time_algorithms(void *context, struct tune_point *point);

/* Measures GMP's own times by size into t->profile.cost, smaller sizes first.  Also returns 1 if
 * the time limit stopped it; the profile then has the times measured until then. */
int tuner_find_costs(struct tuner *t);

/* Clears the line of progress on a terminal.  Call it before other output. */
void tuner_end_progress(void);

/* Finds all values of the profile.  If time runs out (t->until), the values not yet found stay
 * unset, and a message names them. */
int tuner_find(struct tuner *t);

/* Measures each threshold and step of t->profile again, a third below and a half above it.  Prints
 * a table. */
int tuner_verify(struct tuner *t);

/* A second measurement of a threshold, at one size below and one above it. slower, faster: how many
 * times as fast as GMP the device is at these sizes. holds: the threshold is confirmed. */
struct tuner_sides {
    size_t below, above;
    double slower, faster;
    bool holds;
};
int tuner_measure_sides(struct tuner *t, int which, struct tuner_sides *s);

/* ---- a profile's file */

/* Writes the path of a device's profile to `path`: `output`, or, if that is NULL, the file that
 * programs read.  Returns false if there is none. */
bool tune_file_path(const char *output, const char *backend, const struct gpu_caps *caps,
                    char *path, size_t size);

/* Prints the values of a profile, after comments with the date, the machine and the version of
 * GMP. */
void tune_file_print(FILE *file, const struct profile *p, const struct gpu_caps *caps);

/* Checks that the file can be written: creates a file next to it and removes that.  Creates its
 * folder first if `makes_folder`.  Returns false and sets errno on failure. */
bool tune_file_can_write(const char *path, bool makes_folder);

/* Writes the profile under another name, renames the file and reads it again.  On failure, returns
 * false and sets errno, to 0 if the file differs from the profile. */
bool tune_file_write(const char *path, const struct profile *p, const struct gpu_caps *caps);

#endif
