/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program with a malloc and free of its own, like GNU Common Lisp's. They are not
 * thread-safe, have no aligned memory, do not work before main, and free only their own blocks. The
 * library must not change the program's dlerror. Built with COMPLETE, the functions are thread-safe
 * and have aligned memory.
 *
 * Usage: allocator [collect | successors]
 * With `collect`, the program's memory functions for GMP leave GMP's calls by longjmp, to collect
 * garbage: all numbers move, and the call is repeated. GNU Common Lisp does this, too. The program
 * checks that nobody calls malloc during GMP's calls; built with COMPLETE, that nobody calls it
 * there in a thread that accepts signals. With `successors`, threads multiply one after another. */
#define _GNU_SOURCE 1 /* RTLD_DEFAULT */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>

#include "tests/support/products.h"

#define EXPORT __attribute__((visibility("default"))) /* exported functions replace libc's */

static struct {
    _Alignas(64) char bytes[1 << 30];
    size_t used;
} arena;

/* Unit of the allocator; each block's size is stored in the 64 bytes before the block. */
enum { UNIT = 64 };

static int main_has_begun, is_in_gmp;
/* number of calls of malloc and its relatives that have not returned yet */
static volatile int depth;

static void die(const char *what) {
    fputs(what, stderr);
    abort();
}

#ifdef COMPLETE
/* Reserves bytes of the arena atomically, which works with threads and in a child of fork. */
static size_t take(size_t bytes) {
    return __atomic_fetch_add(&arena.used, bytes, __ATOMIC_SEQ_CST);
}
#else
static size_t take(size_t bytes) {
    const size_t at = arena.used;
    arena.used += bytes;
    return at;
}
#endif

/* Notes that a call of malloc or its relatives has begun. During a GMP call, a signal handler could
 * leave malloc by longjmp, so with COMPLETE the thread must block signals; else no call may come.
 */
static void enter(void) {
#ifdef COMPLETE
    sigset_t blocked;
    if (is_in_gmp &&
        (pthread_sigmask(SIG_BLOCK, NULL, &blocked) != 0 || !sigismember(&blocked, SIGINT)))
        die("malloc was called during a GMP call, and accepts signals\n");
#else
    if (depth++ > 0)
        die("malloc was entered before an earlier call has returned\n");
    if (is_in_gmp)
        die("malloc was called during a GMP call\n");
#endif
}

/* Notes that a call of malloc or its relatives ends. */
static void *leave(void *block) {
#ifndef COMPLETE
    depth--;
#endif
    return block;
}

/* Allocates a block and stores its size. `alignment` is a power of two. */
static void *allocate(size_t bytes, size_t alignment) {
    const size_t all = UNIT + (bytes + UNIT - 1) / UNIT * UNIT + (alignment > UNIT ? alignment : 0);
    if (all < bytes || all > sizeof arena.bytes)
        return NULL;
    const size_t at = take(all);
    if (at > sizeof arena.bytes - all)
        return NULL;
    char *block = arena.bytes + at + UNIT;
    if (alignment > UNIT)
        block += -(uintptr_t)block & (alignment - 1);
    memcpy(block - sizeof bytes, &bytes, sizeof bytes);
    return block;
}

static size_t size_of(const void *block) {
    size_t bytes;
    memcpy(&bytes, (const char *)block - sizeof bytes, sizeof bytes);
    return bytes;
}

EXPORT void *malloc(size_t bytes) {
    enter();
    if (!main_has_begun)
        die("malloc before main\n");
    return leave(allocate(bytes, UNIT));
}

static int is_own(const void *p) {
    const char *block = p;
    return block >= arena.bytes && block < arena.bytes + sizeof arena.bytes;
}

static void check(const void *p) {
    if (p && !is_own(p))
        die("free: not made by this malloc\n");
}

EXPORT void free(void *p) {
    enter();
    check(p);
    leave(NULL);
}

EXPORT void *calloc(size_t n, size_t size) {
    return size && n > SIZE_MAX / size ? NULL : malloc(n * size); /* the arena is never reused,
                                                                     so its bytes are 0 */
}

EXPORT void *realloc(void *p, size_t bytes) {
    enter();
    check(p);
    leave(NULL);
    const size_t old = p ? size_of(p) : 0;
    void *moved = malloc(bytes);
    return moved && p ? memcpy(moved, p, old < bytes ? old : bytes) : moved;
}

#ifdef COMPLETE
EXPORT void *aligned_alloc(size_t alignment, size_t bytes) {
    enter();
    return allocate(bytes, alignment);
}

EXPORT int posix_memalign(void **block, size_t alignment, size_t bytes) {
    enter();
    *block = allocate(bytes, alignment);
    return *block ? 0 : ENOMEM;
}
#endif

static void expect(int right, const char *what) {
    if (!right)
        die(what);
}

/* Checks that a long result is in memory of the program's malloc. */
static void multiply_in_arena(void) {
    mpz_t u, r;
    mpz_inits(u, r, NULL);
    number(u, 2000000);
    mpz_mul(r, u, u);
    expect(is_product(r, u, u), "a long product\n");
#ifndef COMPLETE
    check(r->_mp_d);
#endif
    mpz_clears(u, r, NULL);
}

/* ---- threads */

static void *multiply_some(void *unused) {
    for (int i = 0; i < 3; i++)
        multiply(60000);
    return unused;
}

/* Multiplies in several threads, each of which begins after the end of the previous one. The
 * library cannot keep a thread of its own in this process, and the thread that has connected the
 * library with a server ends. The threads have small stacks. */
static int multiply_in_successors(void) {
    enum { STACK = 40960 };
    pthread_t thread;
    pthread_attr_t attributes;
    expect(pthread_attr_init(&attributes) == 0 &&
               pthread_attr_setstacksize(&attributes, STACK) == 0,
           "a small stack\n");
    for (int i = 0; i < 4; i++)
        expect(pthread_create(&thread, &attributes, multiply_some, NULL) == 0 &&
                   pthread_join(thread, NULL) == 0,
               "a thread\n");
    multiply_some(NULL);
    puts("right");
    return 0;
}

/* ---- a garbage collector that moves the numbers */

enum { NUMBERS = 5 };
static mpz_t n[NUMBERS];
static jmp_buf collect;
/* if set, the next allocation during a GMP call leaves this call by longjmp */
static int may_collect;
static unsigned long collections;

static void *collected_allocate(size_t bytes) {
    if (is_in_gmp && may_collect)
        longjmp(collect, 1);
    void *block = allocate(bytes, UNIT);
    return block ? block : (die("the arena is full\n"), NULL);
}

static void collected_free(void *p, size_t bytes) {
    check(p);
    memset(p, 0xdd, bytes);
}

/* Also overwrites the old block.  A GMP call that was left may already have set the number's new
 * size, so `old` may be more than the block has. */
static void *collected_reallocate(void *p, size_t old, size_t bytes) {
    void *moved = memcpy(collected_allocate(bytes), p, old < bytes ? old : bytes);
    if (is_own(p)) /* a new number has a limb of GMP's */
        memset(p, 0xdd, size_of(p));
    return moved;
}

/* Moves all numbers, after a GMP call was left. Overwrites the old limbs. */
static void move_numbers(void) {
    sigset_t blocked;
    is_in_gmp = may_collect = 0;
    collections++;
    expect(sigprocmask(SIG_BLOCK, NULL, &blocked) == 0 && sigisemptyset(&blocked),
           "a GMP call that was left keeps signals blocked\n");
    for (int i = 0; i < NUMBERS; i++) {
        const size_t bytes = (size_t)n[i]->_mp_alloc * sizeof(mp_limb_t);
        n[i]->_mp_d = collected_reallocate(n[i]->_mp_d, bytes, bytes);
    }
}

/* Does a GMP call; the first time that it allocates, collects garbage and repeats the call. */
#define GMP(call)                                                                                  \
    do {                                                                                           \
        may_collect = 1;                                                                           \
        if (setjmp(collect) != 0)                                                                  \
            move_numbers();                                                                        \
        is_in_gmp = 1;                                                                             \
        call;                                                                                      \
        is_in_gmp = 0;                                                                             \
    } while (0)

/* Prints residues of the results n[2] and n[3]. Then clears these two numbers, so that the next
 * call allocates its results anew. */
static void show(const char *what) {
    printf("%s %lu %lu\n", what, mpz_fdiv_ui(n[2], 4294967291), mpz_fdiv_ui(n[3], 4294967291));
    for (int i = 2; i < 4; i++) {
        mpz_clear(n[i]);
        mpz_init(n[i]);
    }
}

static void compute(unsigned long bits) {
    static char digits[1 << 20], *text;
    GMP(mpz_ui_pow_ui(n[0], 3, bits));
    GMP(mpz_setbit(n[0], 2 * bits));
    GMP(mpz_ui_pow_ui(n[1], 7, bits / 3));
    GMP(mpz_mul(n[2], n[0], n[1]));
    show("mul");
    GMP(mpz_mul(n[2], n[0], n[0]));
    show("sqr");
    GMP(mpz_tdiv_qr(n[2], n[3], n[0], n[1]));
    show("tdiv_qr");
    GMP(mpz_sqrtrem(n[2], n[3], n[0]));
    show("sqrtrem");
    GMP(mpz_gcdext(n[2], n[3], NULL, n[0], n[1]));
    show("gcdext");
    GMP(mpz_powm_ui(n[2], n[1], 1001, n[0]));
    show("powm_ui");
    GMP(mpz_pow_ui(n[2], n[1], 5));
    show("pow_ui");
    GMP(mpz_fac_ui(n[2], bits / 8));
    show("fac_ui");
    GMP(mpz_get_str(digits, 10, n[1]));
    GMP(mpz_set_str(n[2], digits, 10));
    GMP(text = mpz_get_str(NULL, 10, n[1]));
    expect(strcmp(text, digits) == 0, "a text that GMP allocates\n");
    collected_free(text, strlen(text) + 1);
    show("text");
}

#ifndef COMPLETE
/* Returns the count of the process's threads. */
static int threads(void) {
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    expect(tasks != NULL, "/proc/self/task\n");
    for (const struct dirent *entry; (entry = readdir(tasks));)
        count += *entry->d_name != '.';
    closedir(tasks);
    return count;
}
#endif

static int compute_all(void) {
    is_in_gmp = 1;
    mp_set_memory_functions(collected_allocate, collected_reallocate, collected_free);
    for (int i = 0; i < NUMBERS; i++)
        mpz_init(n[i]);
    is_in_gmp = 0;
    for (unsigned long bits = 1200; bits < 60000; bits *= 6)
        compute(bits);
    expect(collections > 0, "no garbage was collected\n");
#ifndef COMPLETE
    expect(threads() == 1, "there is another thread\n");
#endif
    puts("right");
    return 0;
}

int main(int argc, char **argv) {
    main_has_begun = 1;
    if (argc > 1 && strcmp(argv[1], "collect") == 0)
        return compute_all();
    if (argc > 1 && strcmp(argv[1], "successors") == 0)
        return multiply_in_successors();
    expect(!dlerror(), "an error before main\n");
    multiply(100000);
    expect(!dlerror(), "an error of the first product\n");
    expect(!dlsym(RTLD_DEFAULT, "no_such_symbol"), "no_such_symbol\n");
    for (unsigned long bits = 100; bits < 2000000; bits *= 3)
        multiply(bits);
    multiply_in_arena();
    const char *error = dlerror();
    expect(error && strstr(error, "no_such_symbol"), "the program's own error is lost\n");
    puts("right");
    return 0;
}
