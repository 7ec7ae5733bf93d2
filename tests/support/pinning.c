/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Page-locked mock memory: pages of a memfd that are mapped twice. */
#include "config.h"

#include "tests/support/pinning.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "lib/process/access_guard.h"

enum { MOST = 64, PAGE = 4096 };

/* A registration of host memory by page-locking.  When it has ended, its pages are kept for the
 * next registration of the same memory, so that only changed pages are copied. (A real device
 * copies nothing.) */
static struct pin {
    char *host, *pages;
    size_t bytes;
    int fd, is_on;
} pins[MOST];

static char *map(void *at, size_t bytes, int flags, int fd) {
    return mmap(at, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
}

/* Copies the memory at p's host address to p's pages, and maps these pages there again. Other pages
 * may be mapped there before: the pool may have returned the memory to the system, or the library
 * has replaced the pages to protect the program from a hanging device
 * (lib/process/access_guard.h). */
static void lead(struct pin *p) {
    for (size_t i = 0; i < p->bytes; i += PAGE) {
        size_t bytes = p->bytes - i < PAGE ? p->bytes - i : PAGE;
        if (memcmp(p->pages + i, p->host + i, bytes) != 0)
            memcpy(p->pages + i, p->host + i, bytes);
    }
    if (map(p->host, p->bytes, MAP_SHARED | MAP_FIXED, p->fd) != p->host)
        abort();
}

static void make(struct pin *p, void *host, size_t bytes) {
    *p = (struct pin){.host = host, .bytes = bytes, .fd = memfd_create("pinned", MFD_CLOEXEC)};
    if (p->fd < 0 || ftruncate(p->fd, (off_t)bytes) != 0)
        abort();
    p->pages = map(NULL, bytes, MAP_SHARED, p->fd);
}

enum gpu_status pinning_register(void *host, size_t bytes) {
    int i = 0;
    while (i < MOST && pins[i].host && pins[i].host != host)
        i++;
    if (i == MOST || pins[i].is_on)
        abort();
    if (!pins[i].host)
        make(&pins[i], host, bytes);
    lead(&pins[i]);
    pins[i].is_on = 1;
    return GPU_OK;
}

/* Ends a registration. If the library has replaced pages because a device hangs
 * (access_guard_any_is_closed), maps the registered pages again at once. Later, the program could
 * write to the memory while lead() copies it. */
void pinning_unregister(void *host) {
    for (int i = 0; i < MOST; i++)
        if (pins[i].host == host) {
            pins[i].is_on = 0;
            if (access_guard_any_is_closed())
                lead(&pins[i]);
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
