/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Pages in a memfd, mapped twice. */
#include "config.h"

#include "tests/support/pinning.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/gpu.h"

enum { MOST = 64 };

/* One that has ended is kept for the next of the same memory: a real one copies nothing, and
 * takes no time to speak of. */
static struct {
    char *host, *pages;
    size_t bytes;
    int is_on;
} pins[MOST];

static char *map(void *at, size_t bytes, int flags, int fd) {
    return mmap(at, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
}

static void make(int i, void *host, size_t bytes) {
    int fd = memfd_create("pinned", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0)
        abort();
    pins[i].pages = map(NULL, bytes, MAP_SHARED, fd);
    memcpy(pins[i].pages, host, bytes);
    if (map(host, bytes, MAP_SHARED | MAP_FIXED, fd) != host)
        abort();
    close(fd);
    pins[i].host = host;
    pins[i].bytes = bytes;
}

enum gpu_status pinning_register(void *host, size_t bytes) {
    int i = 0;
    while (i < MOST && pins[i].host && pins[i].host != host)
        i++;
    if (i == MOST || pins[i].is_on)
        abort();
    if (!pins[i].host)
        make(i, host, bytes);
    pins[i].is_on = 1;
    return GPU_OK;
}

void pinning_unregister(void *host) {
    for (int i = 0; i < MOST; i++)
        if (pins[i].host == host)
            pins[i].is_on = 0;
}

void pinning_renew(void) {
    for (int i = 0; i < MOST; i++) {
        if (!pins[i].host || pins[i].is_on)
            continue;
        munmap(pins[i].pages, pins[i].bytes); /* the address keeps what is its own */
        make(i, pins[i].host, pins[i].bytes);
    }
}

void *pinning_pages(const void *host, size_t bytes) {
    const char *x = host;
    for (int i = 0; i < MOST; i++)
        if (pins[i].is_on && x >= pins[i].host && x + bytes <= pins[i].host + pins[i].bytes)
            return pins[i].pages + (x - pins[i].host);
    return NULL;
}

int pinning_count(void) {
    int count = 0;
    for (int i = 0; i < MOST; i++)
        count += pins[i].is_on;
    return count;
}
