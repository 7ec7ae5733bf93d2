/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A GMP program for test_cpu.sh in an environment that breaks OpenCL drivers.
 * Usage: surroundings WAY
 *   WAY  ignore: ignores the signal SIGCHLD; reap: waits for all children, in a handler and a
 *        thread
 *        memory MIB, data MIB: limits the address space, or the data, to that many MiB
 *        idle: also prints whether the program has other threads or a mapped driver
 *        large: also computes products above any default threshold, and waits for the device */
#define _GNU_SOURCE 1 /* RTLD_DEFAULT */
#include "config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/products.h"

static atomic_int reaped, stop;

static void reap(int signal) {
    int saved = errno;
    (void)signal;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        reaped++;
    errno = saved;
}

static void *reap_for_ever(void *unused) {
    while (!stop) {
        reap(0);
        usleep(300);
    }
    return unused;
}

/* Prints how many threads the process has, and whether a driver of OpenCL or CUDA is mapped. */
static void look(void) {
    char line[4096];
    int threads = 0, drivers = 0;
    DIR *tasks = opendir("/proc/self/task");
    FILE *maps = fopen("/proc/self/maps", "r");
    if (!tasks || !maps)
        fail("no /proc");
    for (struct dirent *entry; (entry = readdir(tasks));)
        threads += *entry->d_name != '.';
    while (fgets(line, sizeof line, maps))
        drivers += strstr(line, "OpenCL") || strstr(line, "libpocl") || strstr(line, "libcuda");
    printf("%d thread, drivers mapped: %s\n", threads, drivers ? "yes" : "no");
    closedir(tasks);
    fclose(maps);
}

static void limit(int resource, const char *mib) {
    rlim_t bytes = (rlim_t)atol(mib) << 20;
    if (setrlimit(resource, &(struct rlimit){bytes, bytes}) != 0)
        fail("no limit");
}

static void multiply_large(void) {
    int (*wait)(void);
    *(void **)&wait = dlsym(RTLD_DEFAULT, "mpgpu_wait");
    for (int i = 0; i < 3; i++) {
        multiply(20000000);
        if (wait)
            wait();
    }
}

int main(int argc, char **argv) {
    pthread_t thread;
    const char *way = argc > 1 ? argv[1] : "";
    int reaps = strcmp(way, "reap") == 0;
    if (strcmp(way, "ignore") == 0)
        signal(SIGCHLD, SIG_IGN);
    if (reaps)
        sigaction(SIGCHLD, &(struct sigaction){.sa_handler = reap, .sa_flags = SA_RESTART}, NULL);
    if (reaps && pthread_create(&thread, NULL, reap_for_ever, NULL) != 0)
        fail("no thread");
    if (argc > 2)
        limit(strcmp(way, "data") == 0 ? RLIMIT_DATA : RLIMIT_AS, argv[2]);
    for (unsigned long bits = 200000; bits < 400000; bits += 50000)
        multiply(bits);
    if (strcmp(way, "large") == 0)
        multiply_large();
    stop = 1;
    if (reaps)
        pthread_join(thread, NULL);
    printf("products right, children reaped: %d\n", reaped);
    if (strcmp(way, "idle") == 0)
        look();
    return 0;
}
