/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds prime factors that RSA moduli have in common: computes one product of all moduli and its
 * remainders, instead of a gcd for each pair. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "examples/batch-gcd/util.h"
#include "examples/batch-gcd/factors.h"
#include "examples/batch-gcd/options.h"
#include "examples/batch-gcd/repeats.h"
#include "examples/batch-gcd/report.h"
#include "examples/batch-gcd/set_add.h"

/* Prints which numbers the `added` new moduli have in the set.  Returns 1 on a write error. */
static int report_added(FILE *out, const char *path, size_t before, size_t added) {
    fprintf(out, "added %zu moduli to %s", added, path);
    if (added > 0)
        fprintf(out, ", numbers %zu to %zu", before + 1, before + added);
    fputs("\n", out);
    return fflush(out) != 0 || ferror(out);
}

static int make_set(const struct options *o, const struct moduli *m, FILE *out) {
    size_t count;
    mpz_t *n = repeats_without(m, NULL, 0, &count);
    set_make(o->make, n, count);
    free(n);
    return report_added(out, o->make, 0, count);
}

/* Reports common factors, then adds the new moduli to the set.  If the report fails, nothing has
 * been added, and the program can be run again. */
static int find(const struct options *o, const struct moduli *m, FILE *out) {
    struct set set;
    struct report r = {.m = m};
    if (o->against) {
        set = set_open(o->against, o->adds);
        r.set = &set;
    }
    struct found *f = factors_find(m, r.set, o->by_gmp, &r.count);
    util_time("report");
    mpz_t *fresh = repeats_without(m, f, r.count, &r.fresh);
    r.found = f;
    int failed = (o->is_json ? report_json : report_text)(out, &r);
    if (o->adds && !failed) {
        size_t before = set.count;
        set_add(&set, fresh, r.fresh);
        failed = o->is_json ? 0 : report_added(out, o->against, before, r.fresh);
    }
    int error = errno; /* of a failed write */
    if (o->against)
        set_close(&set);
    free(fresh);
    factors_free(f, r.count);
    errno = error;
    return failed;
}

/* Returns 0; 1 if a file cannot be written; -1 after a message. */
static int run(const struct options *o, FILE *out) {
    if (o->generates)
        return generate(out, &o->generate) ? 1 : 0;
    util_progress("reading");
    struct moduli m = moduli_read(o->file, o->is_hexadecimal);
    int status = -1;
    if (m.count == 0 && m.bad_count > 0)
        fprintf(stderr, "batch-gcd: %s: no line is a number above 1\n", o->file);
    else
        status = (o->make ? make_set : find)(o, &m, out);
    int error = errno; /* of a failed write */
    moduli_free(&m);
    util_time("end");
    errno = error;
    return status;
}

/* Returns true if the output file OUT is the file `path`, which writing would destroy. */
static bool is_output(const struct options *o, const char *path) {
    struct stat out, other;
    return path && stat(o->output, &out) == 0 && stat(path, &other) == 0 && S_ISREG(out.st_mode) &&
           out.st_dev == other.st_dev && out.st_ino == other.st_ino;
}

static void check_output(const struct options *o) {
    if (is_output(o, o->against) || (o->make && strcmp(o->output, o->make) == 0))
        util_die(o->output, "is the set, and not overwritten");
    if (is_output(o, o->file))
        util_die(o->output, "has the moduli, and is not overwritten");
}

/* Opens each of the descriptors 0 to 2 that is closed, so that reads and writes of it fail.
 * Otherwise the set's file might get such a descriptor, and a report or a message would be
 * written into the set. */
static void occupy_standard(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(1);
}

int main(int argc, char **argv) {
    struct options o = {0};
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    util_threads = cpus < 1 ? 1 : cpus > 256 ? 256 : (unsigned)cpus;
    occupy_standard();
    int status = options_parse(&o, argc, argv);
    if (status == 3)
        return fputs(options_usage, stdout) == EOF || fflush(stdout) == EOF;
    if (status)
        return status;
    if (o.by_gmp || o.generates)
        /* before the library's first call, which reads MPGPU_CONF */
        setenv("MPGPU_CONF", "backend:none", 1);
    if (o.output)
        check_output(&o);
    FILE *out = o.output ? fopen(o.output, "w") : stdout;
    if (!out)
        util_die(o.output, strerror(errno));
    status = run(&o, out);
    int error = errno;
    if (o.output && fclose(out) != 0 && status != 1) {
        error = errno;
        status = 1;
    }
    if (status == 1)
        util_die(o.output ? o.output : "standard output", strerror(error));
    return status ? 1 : 0;
}
