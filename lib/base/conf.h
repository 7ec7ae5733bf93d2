/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Options: built-in defaults, then the user's file, then MPGPU_CONF; a later one wins. In a
 * set-user-ID program only the defaults count, with backend:none. */
#ifndef MPGPU_CONF_H
#define MPGPU_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/items.h"

#define MPGPU_NEVER SIZE_MAX       /* a threshold that no size reaches */
#define MPGPU_UNSET (SIZE_MAX - 1) /* no option given: the profile's threshold applies */

#define MPGPU_POOL_AUTO UINT64_MAX /* a quarter of the memory that the process may use */

enum conf_open { OPEN_BACKGROUND, OPEN_NOW, OPEN_WAIT };
enum conf_verify { VERIFY_OFF, VERIFY_DEVICE, VERIFY_RESIDUE, VERIFY_FULL };
enum conf_dispatch { DISPATCH_AUTO, DISPATCH_FIXED };
enum conf_server { SERVER_AUTO, SERVER_OFF, SERVER_ONLY, SERVER_PRIVATE };
enum conf_stats { STATS_OFF, STATS_TEXT, STATS_JSON };
enum conf_algorithm {
    ALGORITHM_AUTO,
    ALGORITHM_NTT,
    ALGORITHM_SSA,
    ALGORITHM_BLOCK,
    ALGORITHM_FFT,
    ALGORITHMS
};

/* The keys, in the order of lib/base/conf.def. */
enum conf_key_index {
#define KEY(name, kind, initial, words, help) CONF_KEY_##name,
#include "lib/base/conf.def"
#undef KEY
    CONF_KEYS
};

struct mpgpu_conf {
    char backend[16]; /* auto, cuda, opencl or none */
    char device[128]; /* `auto`, `all`, or numbers or parts of names with a + between them */
    int open;
    /* Thresholds in limbs; lib/base/profile.def says of what. May be MPGPU_NEVER or MPGPU_UNSET. */
    size_t mul, sqr, mulmod, add, batch;
    size_t shard;    /* limbs of a result at or above which devices share the product
                        (lib/operate/shards/) */
    double watchdog; /* seconds that a device may take beyond the expected time of its work before
                        it is given up; 0: no limit */
    int algorithm;
    int verify;
    int stats;
    char stats_file[4096];  /* file to which the statistics are appended as JSON; "": none */
    char stats_sites[4096]; /* folder where each process writes the statistics of its calls by call
                             * site; "": none */
    int log;
    int confirm;
    int clear;          /* clear memory that held operands or results (lib/memory/wipe.h) */
    char cache[4096];   /* folder of compiled device programs; "": none */
    char profile[4096]; /* folder of profiles, or one profile; "": only built-in profiles */
    /* Operations that a device runs at the same time (lib/session/streams.h); 0: the library
     * chooses the number by device. */
    int streams;
    int dispatch;    /* whether calls above a threshold go to the device or GMP
                        (lib/dispatch/dispatch.h) */
    uint64_t memory; /* most bytes of device memory to use; 0: the device's own limit */
    uint64_t pool;   /* most bytes of the pool of host memory (lib/memory/pool.h); 0: no pool; or
                        MPGPU_POOL_AUTO */
    /* Which server process (mpgpu-serve) to use: `auto` the user's, `off` none, `only` the user's
     * if it already runs, `private` one for this process alone. */
    int server;
    struct item_source source[CONF_KEYS];
};

/* The options in force. Before conf_init it has the built-in defaults. */
extern struct mpgpu_conf mpgpu_conf;

/* Options that a server takes from its client's job instead of its own options. */
struct conf_job {
    int algorithm, clear;
    uint64_t memory; /* most bytes that the job may allocate; 0: no limit */
};

/* Makes *options apply to the calling thread until it calls conf_set_job(NULL). Returns false if
 * memory is missing. */
bool conf_set_job(const struct conf_job *options);

/* Returns the options that conf_set_job has set for the calling thread; otherwise those of
 * mpgpu_conf. */
struct conf_job conf_job(void);

/* Reads the user's file of options and MPGPU_CONF. Only the first call has an effect; any thread
 * may call it. A warning names the key or value, and its place. */
void conf_init(void);

/* Copies the value of MPGPU_CONF for a later conf_init. PHP frees its environment when it ends;
 * conf_init could then not find the variable. */
void conf_keep(const char *text);

/* Returns true if the options ask for no device. */
bool conf_is_backend_none(void);

/* Returns true if the options name a backend or a device. */
bool conf_names_device(void);

/* Returns true if the options ask for statistics: on standard error, in a file, or by call site. */
bool conf_has_stats(void);

/* Parses one option string, "key:value,key:value", into *conf. `where` names the source in warnings
 * and in conf_print; it must stay valid. Returns the count of rejected items. */
int conf_parse(struct mpgpu_conf *conf, const char *text, const char *where);

/* Parses a file of one key:value per line, with `#` comments. `path` must stay valid. Ignores an
 * absent file without a warning. Warns of a file that own_file_read refuses, and ignores it
 * (lib/base/own_file.h). */
int conf_parse_file(struct mpgpu_conf *conf, const char *path);

/* Prints every key with its value and the value's source, one per line: "key:value (source)". Calls
 * `line` (mpgpu_say or another function) for each. */
void conf_print(void (*line)(const char *format, ...));

#endif
