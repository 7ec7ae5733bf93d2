/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Options: built-in defaults, then the user's file, then MPGPU_CONF; the later
 * wins.  In a set-user-ID program only the defaults count. */
#ifndef MPGPU_CONF_H
#define MPGPU_CONF_H

#include <stddef.h>
#include <stdint.h>

#define MPGPU_NEVER SIZE_MAX /* a threshold that no size reaches */
#define MPGPU_UNSET (SIZE_MAX - 1) /* no option given: the profile's threshold counts */

enum conf_open { OPEN_BACKGROUND, OPEN_WAIT };
enum conf_verify { VERIFY_OFF, VERIFY_RESIDUE, VERIFY_FULL };
enum conf_stats { STATS_OFF, STATS_TEXT, STATS_JSON };
enum conf_algorithm { ALGORITHM_AUTO, ALGORITHM_NTT };

struct mpgpu_conf {
    char backend[16];  /* auto, cuda, opencl, none */
    char device[128];  /* auto, a number, part of a name */
    int open;
    size_t mul, sqr, add; /* thresholds in limbs of the shorter operand, MPGPU_NEVER, MPGPU_UNSET */
    int algorithm;
    int verify;
    int stats;
    int log;
    int confirm;
    char cache[4096];   /* folder of built programs; "" none */
    uint64_t memory;    /* most bytes of device memory to use, 0: no limit of ours */
};

/* The options in force.  Valid (the built-in defaults) before mpgpu_conf_init. */
extern struct mpgpu_conf mpgpu_conf;

/* Read the file and MPGPU_CONF, once; any thread, any number of times.
 * Warnings name the key or the value and where it stands. */
void mpgpu_conf_init(void);

/* Parse one option string into *conf; `where` is for warnings ("MPGPU_CONF", or
 * file:line).  Returns the number of warnings given. */
int mpgpu_conf_parse(struct mpgpu_conf *conf, const char *text, const char *where);

/* Print every key with its value in force and where that came from, one per
 * line, through `line`. */
void mpgpu_conf_print(void (*line)(const char *format, ...));

#endif
