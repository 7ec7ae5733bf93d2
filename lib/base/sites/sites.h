/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The profile of a process: the counters of the statistics, separately for each call site and size.
 * They are in a file that the process maps and changes with every call, so no call is lost if the
 * process crashes. The option `stats_sites` names the folder; mpgpu-run reads the file
 * (tools/report/). */
#ifndef MPGPU_SITES_H
#define MPGPU_SITES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/profile.h"
#include "lib/base/sites/call_site.h"
#include "lib/base/stats_row.h"

enum { SITES_MOST = 1024, SITES_MODULES = 128, SITES_NAME = 64, SITES_TEXT = 256 };
enum sites_state { SITES_FREE, SITES_CLAIMED, SITES_READY };

/* The text "mpgpu" and the number of this file layout. */
#define SITES_MAGIC UINT64_C(0x3230757067706d)

/* A program or library that contains call sites. */
struct sites_module {
    _Atomic uint32_t state;
    /* The loaded module has the addresses `from` to `to`. An address less `bias` is the address in
     * the module's file. */
    uint64_t from, to, bias;
    char path[SITES_TEXT];
};

/* The calls of one function from one call site whose sizes have the same number of bits. */
struct sites_row {
    _Atomic uint32_t state;
    uint32_t kind; /* enum profile_threshold: the threshold that the sizes were compared with */
    char function[SITES_NAME];
    struct call_site at;
    _Atomic uint64_t sizes, least, most; /* sizes compared with the threshold: sum, least, most */
    struct stats_row row;                /* without the name */
};

struct sites_file {
    uint64_t magic, bytes; /* magic: SITES_MAGIC; bytes: size of the whole file */
    int64_t process, parent;
    char program[SITES_NAME];
    char reason[SITES_TEXT];  /* why no call was intercepted; "" if calls were */
    _Atomic uint32_t is_over; /* set if the process has ended by itself, and was not killed */
    _Atomic uint32_t inside;  /* threads in calls */
    _Atomic uint64_t since; /* when the first of the calls in progress began; ns, monotonic clock */
    _Atomic uint64_t busy;  /* total ns, before `since`, during which at least one thread was in a
                             * call */
    /* time in ns at which counting began (stats_row.h); in a child of fork, the time of its first
     * call */
    uint64_t began;
    _Atomic uint64_t elapsed; /* ns from `began` to the last call, or to the process's end */
    _Atomic uint64_t lost;    /* calls without a row, because the table was full */
    struct sites_module module[SITES_MODULES];
    struct sites_row row[SITES_MOST];
};

/* Finds what call sites need (call_site_init), if the options ask for statistics by call site. Call
 * it once. */
void sites_init(void);

/* Returns true if the options ask for statistics by call site. */
bool sites_are_wanted(void);

/* Records that a call begins, at `seconds` of stats_clock. */
void sites_enter(double seconds);

/* Records that a call of `function` ends, for which sites_enter was called. Returns the row for the
 * calling thread's call site, valid until the process forks. `size` is the size that was compared
 * with the threshold `kind`. Returns NULL without a file, or without room for a row. */
struct stats_row *sites_leave(const char *function, enum profile_threshold kind, size_t size,
                              double seconds);

/* Records that the process ends.  `reason` says why no call was intercepted; NULL if calls were. */
void sites_end(const char *reason);

#endif
