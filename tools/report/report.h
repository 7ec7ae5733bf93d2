/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The profile of a program that has ended.  It is read from the files that its processes wrote
 * (lib/base/sites/sites.h).  Used by tools/report/ and mpgpu-run. */
#ifndef MPGPU_REPORT_H
#define MPGPU_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/base/sites/sites.h"

/* The calls of one function from one place.  `row.name` is not used. */
struct report_row {
    char function[SITES_NAME], program[SITES_NAME];
    char place[4 * SITES_TEXT];  /* a readable description of the calling place */
    enum profile_threshold kind; /* the unit of the size that was compared with a threshold */
    /* sizes: the sum of the sizes that were compared with a threshold; least, most: the smallest
     * and the largest of the sizes */
    uint64_t sizes, least, most;
    struct stats_row row;
};

struct report_process {
    int64_t number, parent;
    char program[SITES_NAME], reason[SITES_TEXT];
    bool is_over;
    /* elapsed: nanoseconds that the process has run; lost: the number of calls that are in no
     * row */
    uint64_t elapsed, lost;
    /* nanoseconds during which at least one thread was in a call; UINT64_MAX if a call has not
     * ended or was left by longjmp */
    uint64_t busy;
    struct stats_row sum;
};

struct report {
    struct report_process *process;
    struct report_row *row;
    size_t processes, rows;
    struct stats_row sum;
    uint64_t lost;
    const char *command; /* the program and its arguments */
    double seconds;      /* from the program's start to its end */
    char end[64];        /* how the program ended, or "" */
};

/* Reads the profile files in a folder.  Sorts the rows by time, longest first.  Prints a line about
 * each damaged file.  Returns false without memory, or if the folder cannot be read. */
bool report_read(const char *folder, struct report *report);

/* Adds up rows of the same function and place, whatever their sizes. */
void report_join_sizes(struct report *report);

/* Returns the nanoseconds that the calls of a row took, on the device and by GMP together. */
uint64_t report_time(const struct stats_row *row);

/* Writes the name of the function at an address in an ELF file.  `function` must have at least 64
 * bytes.  Returns false if the file has no symbol there. */
bool symbols_function(const char *path, uint64_t address, char *function, size_t size);

/* Sets `line` to "FILE:LINE" by addr2line if the file has debug information; otherwise to "". */
void symbols_line(const char *path, uint64_t address, char *line, size_t size);

/* Prints the profile on standard error. */
void report_text(const struct report *report);

/* Writes the profile as an HTML page.  Returns false with errno if that fails. */
bool report_page(const struct report *report, FILE *file);

/* Opens a table of times by operation and size. `name` is a file, or a device whose table is built
 * in.  On failure, prints a line about the fault and returns NULL. */
struct times;
struct times *times_open(const char *name);
void times_free(struct times *times);

/* Prints on standard error how long the program would take on the device whose times `times`
 * has. */
void estimate_text(const struct report *report, const struct times *times);

#endif
