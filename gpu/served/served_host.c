/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Host memory shared with the server.  The server has page-locked the first bytes of region 0
 * before the program connects; other blocks are page-locked when they are allocated. */
#include "config.h"

#include "gpu/served/served_host.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/error.h"
#include "gpu/host/pages.h"
#include "gpu/served/served_channel.h"
#include "gpu/served/served_socket.h"

/* ---- blocks in memory that two processes map */

enum { SERVED_BLOCKS = 256, SERVED_PAGE = 4096 };

/* Blocks sorted by offset; all 0 at first. The caller must hold a lock. */
struct served_blocks {
    int count;
    struct {
        size_t begin, end;
    } block[SERVED_BLOCKS];
};

/* Finds a gap of at least `bytes` bytes, and sets *begin to its offset. Returns the index of the
 * new block in the sorted array, or -1 if there is no gap. */
static int find_block(const struct served_blocks *b, size_t bytes, size_t room, size_t *begin) {
    *begin = 0;
    for (int i = 0; i < b->count && b->count < SERVED_BLOCKS; i++) {
        if (b->block[i].begin - *begin >= bytes)
            return i;
        *begin = b->block[i].end;
    }
    return b->count < SERVED_BLOCKS && room - *begin >= bytes ? b->count : -1;
}

/* Allocates a block of at least `bytes` bytes in the first gap that is large enough, below the
 * offset `room`. Returns false if there is no such gap. */
static bool served_blocks_add(struct served_blocks *b, size_t bytes, size_t room, size_t *begin) {
    size_t whole = (bytes + SERVED_PAGE - 1) / SERVED_PAGE * SERVED_PAGE;
    int i = whole >= bytes ? find_block(b, whole, room, begin) : -1;
    if (i < 0)
        return false;
    memmove(&b->block[i + 1], &b->block[i], (size_t)(b->count - i) * sizeof *b->block);
    b->block[i].begin = *begin;
    b->block[i].end = *begin + whole;
    b->count++;
    return true;
}

/* Frees the block at `begin` and returns its size in bytes; 0 if no block begins there. */
static size_t served_blocks_remove(struct served_blocks *b, size_t begin) {
    int i = 0;
    while (i < b->count && b->block[i].begin != begin)
        i++;
    if (i == b->count)
        return 0;
    size_t bytes = b->block[i].end - b->block[i].begin;
    memmove(&b->block[i], &b->block[i + 1], (size_t)(b->count - i - 1) * sizeof *b->block);
    b->count--;
    return bytes;
}

enum { MOST_PARTS = 4096 };

/* Allocated blocks of region 0: in the part that is page-locked in advance, and in the rest. */
static LARGE_ZERO struct served_blocks locked, others;
/* Parts of the pool that are shared with the server. `file` is the descriptor of the shared
 * region. */
static LARGE_ZERO struct part {
    char *begin;
    size_t bytes, offset;
} part[MOST_PARTS];
static int parts;
static int file = -1;
static ino_t inode;
static size_t pool_bytes;
static uint64_t number;
static uint64_t parted; /* regions that the server must be told to drop, a bit each */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static enum gpu_status call(struct served_request request, uint64_t *value) {
    return served_call(&request, value);
}

#define REQUEST(name, ...) ((struct served_request){.op = SERVED_##name, .a = {__VA_ARGS__}})

/* ---- region 0 */

static bool add_block(size_t bytes, size_t *begin) {
    if (served_blocks_add(&locked, bytes, SERVED_LOCKED_BYTES, begin))
        return true;
    bool done = served_blocks_add(&others, bytes, SERVED_HOST_BYTES - SERVED_LOCKED_BYTES, begin);
    *begin += SERVED_LOCKED_BYTES;
    return done;
}

static size_t remove_block(size_t begin) {
    return begin < SERVED_LOCKED_BYTES ? served_blocks_remove(&locked, begin)
                                       : served_blocks_remove(&others, begin - SERVED_LOCKED_BYTES);
}

static size_t whole_pages(size_t bytes) {
    return (bytes + SERVED_PAGE - 1) / SERVED_PAGE * SERVED_PAGE;
}

/* Allocates shared memory and asks the server to page-lock it.  If page-locking fails, returns the
 * memory anyway: transfers are only slower. */
enum gpu_status served_host_alloc(gpu_device_impl *dev, size_t bytes, void **hostp) {
    size_t begin;
    struct served_shared *s = served_memory();
    (void)dev;
    *hostp = NULL;
    if (!s)
        return gpu_fail(GPU_FAILED, "mpgpu-serve has ended");
    pthread_mutex_lock(&mutex);
    bool done = add_block(bytes, &begin);
    pthread_mutex_unlock(&mutex);
    if (!done)
        return gpu_fail(GPU_NOMEM, "no host memory for %zu bytes", bytes);
    if (begin >= SERVED_LOCKED_BYTES)
        call(REQUEST(LOCK, 0, begin, whole_pages(bytes)), NULL);
    *hostp = served_host(s) + begin;
    return GPU_OK;
}

/* Frees a block of region 0. If the block was not page-locked in advance, unlocks it first and
 * returns its pages to the system. */
void served_host_release(gpu_device_impl *dev, void *host) {
    struct served_shared *s = served_memory();
    (void)dev;
    if (!s || !host)
        return;
    size_t begin = (size_t)((char *)host - served_host(s));
    if (begin >= SERVED_LOCKED_BYTES)
        call(REQUEST(UNLOCK, 0, begin), NULL);
    pthread_mutex_lock(&mutex);
    size_t bytes = remove_block(begin);
    if (begin >= SERVED_LOCKED_BYTES && bytes > 0)
        pages_advise(host, bytes, MADV_REMOVE);
    pthread_mutex_unlock(&mutex);
}

/* ---- the shared region of the pool */

static const struct part *find(const char *host, size_t bytes) {
    for (int i = 0; i < parts; i++) {
        size_t at = (size_t)(host - part[i].begin);
        if (at < part[i].bytes && bytes <= part[i].bytes - at)
            return &part[i];
    }
    return NULL;
}

bool served_host_locate(const void *host, size_t bytes, uint64_t *region, uint64_t *offset) {
    struct served_shared *s = served_memory();
    size_t at = s ? (size_t)((const char *)host - served_host(s)) : SERVED_HOST_BYTES;
    *region = 0;
    *offset = at;
    if (at < SERVED_HOST_BYTES && bytes <= SERVED_HOST_BYTES - at)
        return true;
    pthread_mutex_lock(&mutex);
    const struct part *p = find(host, bytes);
    *region = p ? number : 0;
    *offset = p ? p->offset + (uint64_t)((const char *)host - p->begin) : 0;
    pthread_mutex_unlock(&mutex);
    return p != NULL;
}

enum gpu_status served_host_begin_register(gpu_device_impl *dev, void *host, size_t bytes,
                                           struct gpu_sent *sent) {
    uint64_t region, offset;
    (void)dev;
    if (!served_host_locate(host, bytes, &region, &offset) || region == 0)
        return gpu_fail(GPU_ABSENT, "the server does not see memory of the program's own");
    return served_begin_call(&REQUEST(LOCK, region, offset, bytes), sent);
}

void served_host_unregister(gpu_device_impl *dev, void *host) {
    uint64_t region, offset;
    (void)dev;
    if (!served_host_locate(host, 1, &region, &offset) || region == 0)
        return;
    call(REQUEST(UNLOCK, region, offset), NULL);
}

/* Requests another shared region. Returns its descriptor, which the caller closes, or -1. After a
 * failure never asks again: callers hold a lock, so other threads would wait for the answer,
 * too. */
static int ask_region(size_t bytes) {
    static bool is_refused;
    struct served_shared *s = served_memory();
    struct served_hello hello = {.purpose = SERVED_REGION, .bytes = bytes};
    static struct served_welcome answer;
    int new = -1;
    pid_t peer;
    if (!s || is_refused)
        return -1;
    memcpy(hello.token, s->token, sizeof hello.token);
    is_refused = served_socket_ask(&hello, &answer, &new, &peer) != GPU_OK;
    number = answer.region;
    return new;
}

/* Opens the pool's region.  Its descriptor stays open, above the numbers that programs use, because
 * gpu_served_keep needs it after fork, even if the server has ended. */
static bool open_pool(size_t bytes) {
    struct stat now;
    int new = file < 0 ? ask_region(bytes) : -1;
    if (new < 0)
        return file >= 0;
    file = served_file_move(new);
    if (file >= 0 && fstat(file, &now) == 0) {
        inode = now.st_ino;
        pool_bytes = bytes;
    }
    return file >= 0;
}

/* Returns true if `file` is still the pool's region.  A program may have closed the descriptor and
 * opened another file with the same number. */
static bool is_ours(void) {
    struct stat now;
    return file >= 0 && fstat(file, &now) == 0 && now.st_ino == inode &&
           now.st_size == (off_t)pool_bytes && S_ISREG(now.st_mode);
}

static bool map(void *at, size_t offset, size_t bytes, int sharing) {
    return mmap(at, bytes, PROT_READ | PROT_WRITE, sharing | MAP_FIXED, file, (off_t)offset) !=
           MAP_FAILED;
}

bool gpu_served_map(void *at, size_t offset, size_t bytes, size_t most) {
    if (!served_memory())
        return false;
    pthread_mutex_lock(&mutex);
    bool done =
        parts < MOST_PARTS && open_pool(most) && is_ours() && map(at, offset, bytes, MAP_SHARED);
    if (done)
        /* a child of clone() that inherits the mapping would write to it, too */
        madvise(at, bytes, MADV_DONTFORK);
    if (done)
        part[parts++] = (struct part){at, bytes, offset};
    pthread_mutex_unlock(&mutex);
    return done;
}

static bool forget(const char *at, struct part *was) {
    for (int i = 0; i < parts; i++) {
        if (part[i].begin == at) {
            *was = part[i];
            part[i] = part[--parts];
            return true;
        }
    }
    return false;
}

void gpu_served_unmap(void *at) {
    struct part was;
    pthread_mutex_lock(&mutex);
    if (forget(at, &was))
        madvise(at, was.bytes, MADV_REMOVE);
    pthread_mutex_unlock(&mutex);
}

/* Makes pages private in place. Other threads may write during the remapping. No write is lost:
 * each reaches the page before or after the remapping. */
bool gpu_served_keep(void *at, size_t bytes) {
    pthread_mutex_lock(&mutex);
    const struct part *p = find(at, bytes);
    bool done =
        p && is_ours() && map(at, p->offset + (size_t)((char *)at - p->begin), bytes, MAP_PRIVATE);
    pthread_mutex_unlock(&mutex);
    return done;
}

/* Requests that the server drop the regions in `parted`. The server retains a region while a job
 * uses it. */
static void drop_parted(void) {
    for (uint64_t i = 0; i < SERVED_REGIONS; i++)
        if (parted >> i & 1 && served_try_post(&REQUEST(DROP, i)))
            parted &= ~(UINT64_C(1) << i);
}

/* Ends sharing of the pool's current region. If the pool is shared again, the server creates a
 * new region. */
void gpu_served_part(bool tells) {
    pthread_mutex_lock(&mutex);
    if (file >= 0 && number < SERVED_REGIONS)
        parted |= UINT64_C(1) << number;
    if (is_ours())
        close(file);
    file = -1;
    parts = 0;
    pthread_mutex_unlock(&mutex);
    if (tells)
        drop_parted();
}

void served_host_renew(void) {
    pthread_mutex_init(&mutex, NULL);
    locked.count = others.count = 0;
    parts = 0;
    parted = 0;
    if (is_ours())
        close(file);
    file = -1;
}

void served_host_forget(void) {
    pthread_mutex_lock(&mutex);
    parted = 0;
    locked.count = others.count = 0;
    pthread_mutex_unlock(&mutex);
}
