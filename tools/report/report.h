/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The profile of a program that has ended, from the files that its processes wrote
 * (lib/base/sites/sites.h).  For tools/report/ and mpgpu-run. */
#ifndef MPGPU_REPORT_H
#define MPGPU_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/base/sites/sites.h"

/* Calls of one function from one place.  `row.name` is not used. */
struct report_row {
    char function[SITES_NAME], program[SITES_NAME];
    char place[4 * SITES_TEXT];  /* of the call, for people */
    enum profile_threshold kind; /* what the deciding size counts */
    uint64_t sizes, least, most; /* deciding sizes: sum, extremes */
    struct stats_row row;
};

struct report_process {
    int64_t number, parent;
    char program[SITES_NAME], reason[SITES_TEXT];
    bool is_over;
    uint64_t elapsed, lost; /* ns; calls that are in no row */
    uint64_t
        busy; /* ns in calls; the largest number if a call has not ended, or was left by longjmp */
    struct stats_row sum;
};

struct report {
    struct report_process *process;
    struct report_row *row;
    size_t processes, rows;
    struct stats_row sum;
    uint64_t lost;
    const char *command; /* the program and its arguments */
    double seconds;      /* from its start to its end */
    char end[64];        /* how it ended, or "" */
};

/* Reads the files of a folder, the rows in descending order of their time.  One line names a file
 * that is damaged.  Returns false without memory. */
bool report_read(const char *folder, struct report *report);
void report_free(struct report *report);

/* Adds the rows of one function and place, whatever their sizes. */
void report_join_sizes(struct report *report);

/* Returns the ns of a row's calls, on the device or by GMP. */
uint64_t report_time(const struct stats_row *row);

/* Names the place at an address of a file.  `function`: of 64 bytes at least.  Returns false if the
 * file has no symbol there. */
bool symbols_function(const char *path, uint64_t address, char *function, size_t size);

/* Sets `line` to "FILE:LINE" by addr2line if the file has debug information; otherwise to "". */
void symbols_line(const char *path, uint64_t address, char *line, size_t size);

/* Prints the profile on standard error. */
void report_text(const struct report *report);

/* Writes the profile as an HTML page.  Returns false with errno if that fails. */
bool report_page(const struct report *report, FILE *file);

/* A table of times by operation and size (tools/report/estimate.c); NULL after a line that names
 * the fault.  `name`: of a device whose table is built in, or of a file. */
struct times;
struct times *times_open(const char *name);
void times_free(struct times *times);

/* Prints on standard error what the program would take on the table's device. */
void estimate_text(const struct report *report, const struct times *times);

#endif
