/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program with a simulated clock, for test_contact.sh. Prints how many threads,
 * descriptors and mapped files the process has gained during some products, and if it has children.
 * Usage: contacts STEP PRODUCTS BITS [SECONDS]
 *   STEP      nanoseconds by which the main thread's clock advances whenever it is read
 *   PRODUCTS  number of squares of numbers of BITS bits
 *   SECONDS   how long the program waits, after the products, for a new thread (default: 0) */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/products.h"

static long step;
static _Thread_local int is_main;

/* Replaces libc's clock_gettime in the whole process, including the preloaded library: the main
 * thread's monotonic clock advances by `step` at each call. */
__attribute__((visibility("default"))) int clock_gettime(clockid_t id, struct timespec *now) {
    static long elapsed;
    if (!is_main || id != CLOCK_MONOTONIC)
        return (int)syscall(SYS_clock_gettime, id, now);
    elapsed += step;
    *now = (struct timespec){1000 + elapsed / 1000000000, elapsed % 1000000000};
    return 0;
}

static int count(const char *folder) {
    int n = 0;
    DIR *d = opendir(folder);
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

/* Counts mapped files; loading a driver adds more than one. */
static int count_mapped(void) {
    int n = 0;
    char line[4096], last[4096] = "";
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f)) {
        const char *name = strchr(line, '/');
        n += name && strcmp(name, last) != 0;
        if (name)
            strcpy(last, name);
    }
    if (f)
        fclose(f);
    return n;
}

struct possessions {
    int threads, files, mapped;
};

static struct possessions look(void) {
    return (struct possessions){count("/proc/self/task"), count("/proc/self/fd"), count_mapped()};
}

int main(int argc, char **argv) {
    if (argc < 4)
        return 2;
    is_main = 1;
    step = atol(argv[1]);
    multiply(100); /* makes GMP allocate beforehand what it needs at its first call */
    struct possessions before = look(), now;
    for (long k = atol(argv[2]); k > 0; k--)
        multiply(strtoul(argv[3], NULL, 10));
    now = look();
    for (long k = argc > 4 ? 100 * atol(argv[4]) : 0; k > 0 && now.threads == before.threads; k--) {
        usleep(10000);
        now = look();
    }
    printf("threads %d, files %d, mapped %d, children %d\n", now.threads - before.threads,
           now.files - before.files, now.mapped - before.mapped,
           waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD);
    return 0;
}
