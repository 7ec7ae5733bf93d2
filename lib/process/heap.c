/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The heap is one range of addresses. Blocks are allocated from its beginning, in size classes:
 * four for each power of two. Each class has a list of free blocks without a lock: a thread takes
 * the whole list, keeps the first block, and returns the others. */
#include "lib/process/heap.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "lib/base/objects.h"

/* LEAST_SHIFT: the binary logarithm of the smallest class's size. COMMIT: how many bytes become
 * accessible at once. RELEASED: the least size of a free block whose pages the system may take
 * back. LIMITED_PART: under a limit of the address space, 1/LIMITED_PART of it may be reserved. */
enum {
    LEAST_SHIFT = 6,
    CLASSES = 4 * (48 - LEAST_SHIFT),
    COMMIT = 1 << 20,
    RELEASED = 1 << 20,
    LIMITED_PART = 16
};
static const size_t most_range = (size_t)1 << 36, least_range = (size_t)1 << 22, page = 4096;

/* The words before each block. `class`: the block's size class. `shift`: how many bytes the block
 * was moved up for its alignment; 0 for most blocks. */
struct head {
    uint32_t class;
    uint32_t unused;
    size_t shift;
};
_Static_assert(sizeof(struct head) == 16, "keeps blocks aligned");

struct free_block {
    struct free_block *next;
};

static char *_Atomic base; /* the beginning of the range; NULL: not reserved yet */
static _Atomic size_t range, used, accessible;
static struct free_block *_Atomic list[CLASSES];

/* ---- whether the program's allocator is complete */

/* Returns the object (program or library) whose definition of the function the dynamic linker
 * uses. */
static const void *object_defining(const char *function) {
    void *address = objects_next(NULL, function);
    return address ? objects_info(address).object : NULL;
}

static bool is_complete(void) {
    const void *first = object_defining("malloc");
    return object_defining("free") == first && object_defining("posix_memalign") == first &&
           object_defining("aligned_alloc") == first;
}

bool heap_is_needed(void) {
    enum { UNKNOWN, NO, YES };
    static atomic_int known;
    int is = atomic_load_explicit(&known, memory_order_relaxed);
    if (is == UNKNOWN) {
        is = is_complete() ? NO : YES;
        atomic_store(&known, is);
    }
    return is == YES;
}

/* ---- classes */

/* Returns the smallest class whose blocks have at least `bytes` bytes, including the head. */
static unsigned class_for(size_t bytes) {
    if (bytes <= (size_t)1 << LEAST_SHIFT)
        return 0;
    unsigned shift = 63 - (unsigned)__builtin_clzll(bytes - 1);
    return 4 * (shift - LEAST_SHIFT) + ((unsigned)((bytes - 1) >> (shift - 2)) & 3) + 1;
}

static size_t size_of(unsigned class) {
    if (class == 0)
        return (size_t)1 << LEAST_SHIFT;
    return (size_t)((class - 1) % 4 + 5) << ((class - 1) / 4 + LEAST_SHIFT - 2);
}

static struct head *head_of(const void *p) {
    return (struct head *)p - 1;
}

/* ---- lists of free blocks */

static void push_free_blocks(unsigned class, struct free_block *first, struct free_block *last) {
    last->next = atomic_load(&list[class]);
    while (!atomic_compare_exchange_weak(&list[class], &last->next, first))
        ;
}

/* Takes a free block of the class, or returns NULL. First takes the whole list, so that no other
 * thread can take and free the first block in between (the ABA problem). */
static struct free_block *pop_free_block(unsigned class) {
    struct free_block *first = NULL, *last;
    if (atomic_load_explicit(&list[class], memory_order_relaxed))
        first = atomic_exchange(&list[class], NULL);
    if (first && first->next) {
        struct free_block *none = NULL, *rest = first->next;
        if (!atomic_compare_exchange_strong(&list[class], &none, rest)) {
            for (last = rest; last->next; last = last->next)
                ;
            push_free_blocks(class, rest, last);
        }
    }
    return first;
}

/* ---- the range */

/* Returns the most bytes of addresses to reserve. These are fewer if the program's address space is
 * limited. */
static size_t most_to_reserve(void) {
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur / LIMITED_PART >= most_range)
        return most_range;
    return space.rlim_cur / LIMITED_PART;
}

/* Reserves the range of addresses. If the system refuses, tries smaller ranges. */
static char *reserve_heap_range(void) {
    for (size_t most = most_to_reserve(), bytes = most_range; bytes >= least_range; bytes /= 2) {
        if (bytes > most)
            continue;
        char *none = NULL, *new = mmap(NULL, bytes, PROT_NONE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (new == MAP_FAILED)
            continue;
        size_t unset = 0;
        if (!atomic_compare_exchange_strong(&range, &unset, bytes) && unset != bytes) {
            munmap(new, bytes);
            continue;
        }
        if (atomic_compare_exchange_strong(&base, &none, new))
            return new;
        munmap(new, bytes);
        return none;
    }
    return atomic_load(&base);
}

/* Makes the first `end` bytes of the range accessible. */
static bool make_accessible(char *begin, size_t end) {
    size_t had = atomic_load(&accessible);
    if (end <= had)
        return true;
    size_t wanted = (end + COMMIT - 1) / COMMIT * COMMIT;
    if (mprotect(begin, wanted, PROT_READ | PROT_WRITE) != 0)
        return false;
    while (had < wanted && !atomic_compare_exchange_weak(&accessible, &had, wanted))
        ;
    return true;
}

/* Extends the heap by `bytes` bytes, which no block has used before, and returns their address. */
static void *extend_heap(size_t bytes) {
    char *begin = atomic_load(&base) ? atomic_load(&base) : reserve_heap_range();
    size_t at = atomic_load(&used);
    if (!begin)
        return NULL;
    do {
        if (bytes > atomic_load(&range) - at || !make_accessible(begin, at + bytes))
            return NULL;
    } while (!atomic_compare_exchange_weak(&used, &at, at + bytes));
    return begin + at;
}

/* ---- blocks */

/* Returns a block of at least `bytes` bytes after its head. */
static void *allocate_heap_block(size_t bytes) {
    const int saved = errno;
    if (bytes > most_range) {
        errno = ENOMEM;
        return NULL;
    }
    unsigned class = class_for(bytes + sizeof(struct head));
    void *p = pop_free_block(class);
    if (!p) {
        struct head *head = extend_heap(size_of(class));
        p = head ? head + 1 : NULL;
    }
    errno = p ? saved : ENOMEM;
    if (p)
        *head_of(p) = (struct head){.class = class};
    return p;
}

void *heap_alloc(size_t bytes) {
    return allocate_heap_block(bytes);
}

void *heap_alloc_aligned(size_t alignment, size_t bytes) {
    if (alignment <= sizeof(struct head))
        return allocate_heap_block(bytes);
    if (alignment > most_range)
        return allocate_heap_block(alignment);
    char *begin = allocate_heap_block(bytes > most_range ? bytes : bytes + alignment);
    if (!begin)
        return NULL;
    size_t shift = -(uintptr_t)begin & (alignment - 1);
    if (shift > 0)
        *head_of(begin + shift) = (struct head){.class = head_of(begin)->class, .shift = shift};
    return begin + shift;
}

/* Returns the bytes from p to the end of its block. */
static size_t room_of(const void *p) {
    return size_of(head_of(p)->class) - sizeof(struct head) - head_of(p)->shift;
}

void *heap_resize(void *p, size_t bytes) {
    size_t room = room_of(p);
    if (bytes <= room && bytes >= room / 2)
        return p;
    void *moved = allocate_heap_block(bytes);
    if (!moved)
        return NULL;
    memcpy(moved, p, bytes < room ? bytes : room);
    heap_free(p);
    return moved;
}

/* Allows the system to take back the pages of a large free block, except its first one. */
static void release_pages(char *p, unsigned class) {
    const int saved = errno;
    char *end = p - sizeof(struct head) + size_of(class);
    char *first =
        p + sizeof(struct free_block) + (-(uintptr_t)(p + sizeof(struct free_block)) & (page - 1));
    end -= (uintptr_t)end & (page - 1);
    if (end > first)
        madvise(first, (size_t)(end - first), MADV_FREE);
    errno = saved;
}

void heap_free(void *p) {
    if (!p)
        return;
    unsigned class = head_of(p)->class;
    struct free_block *begin = (void *)((char *)p - head_of(p)->shift);
    if (size_of(class) >= RELEASED)
        release_pages((char *)begin, class);
    push_free_blocks(class, begin, begin);
}

bool heap_owns(const void *p) {
    const char *begin = atomic_load_explicit(&base, memory_order_relaxed);
    return begin && (uintptr_t)p - (uintptr_t)begin < atomic_load(&range);
}
