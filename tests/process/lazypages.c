/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program whose handler of SIGSEGV or SIGBUS makes pages accessible at their first
 * access, as write barriers of garbage collectors do. The handler accepts only the program's own
 * thread. Prints which results were right.
 * Usage: lazypages HOW LIMBS
 *   HOW  lazy    pages stay accessible after the first access
 *        few     only the last eight pages stay accessible
 *        jump    the handler leaves the call by longjmp, and the call is repeated
 *        file    the pages belong to a file, which is too short at first
 *        memory  the program's memory functions return such pages, protected again before each
 *        call */
#define _GNU_SOURCE 1 /* memfd_create, RTLD_DEFAULT */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/products.h"

enum { PAGE = 4096, WINDOW = 8, ARENA = 256 << 20 };

static pthread_t program;
static sigjmp_buf again;
static int few, jump, file;
static char *arena; /* the protected pages: first the operands, which are only read, then all memory
                       to which calls write */
static size_t arena_bytes, operand_bytes, arena_used;
static char *opened[WINDOW];
static volatile unsigned faults;

static void open_page(char *page) {
    char **oldest = &opened[faults++ % WINDOW];
    if (few && *oldest)
        mprotect(*oldest, PAGE, PROT_NONE);
    *oldest = page;
    mprotect(page, PAGE, page < arena + operand_bytes ? PROT_READ : PROT_READ | PROT_WRITE);
}

static void handle(int signal, siginfo_t *info, void *context) {
    char *at = info->si_addr;
    (void)context;
    if (!pthread_equal(pthread_self(), program) || at < arena || at >= arena + arena_bytes ||
        signal != (file ? SIGBUS : SIGSEGV))
        _exit(98);
    if (file && ftruncate(file, (off_t)arena_bytes) != 0)
        _exit(97);
    if (!file)
        open_page((char *)((uintptr_t)at / PAGE * PAGE));
    if (jump)
        siglongjmp(again, 1);
}

static void protect(void) {
    if (file ? ftruncate(file, 0) : mprotect(arena, arena_bytes, PROT_NONE))
        fail("pages can't be taken away");
    memset(opened, 0, sizeof opened);
    faults = 0;
}

static void begin(size_t bytes) {
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    program = pthread_self();
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    arena_bytes = (bytes + PAGE - 1) / PAGE * PAGE;
    arena = mmap(NULL, arena_bytes, PROT_READ | PROT_WRITE,
                 file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, file ? file : -1, 0);
    if (arena == MAP_FAILED)
        fail("no memory");
}

/* ---- operands and results in the arena of protected pages */

/* Operands and result of the calls: u has n limbs, v has m. Neither operand begins at a page
 * boundary. */
static mp_limb_t *u, *v, *r;
static mp_size_t n, m;
static mp_size_t used; /* number of limbs of the result */

typedef int batch_function(mp_limb_t *rp, const mp_limb_t *up, const mp_limb_t *vp, size_t limbs,
                           size_t count);
static batch_function *batch;

static void mul_n(void) {
    mpn_mul_n(r, u, v, m);
    used = 2 * m;
}

static void mul(void) {
    mpn_mul(r, u, n, v, m);
    used = n + m;
}

static void sqr(void) {
    mpn_sqr(r, u, n);
    used = 2 * n;
}

static void divide(void) {
    mpn_tdiv_qr(r, r + n, 0, u, n, v, m);
    used = n - m + 1;
}

/* Converts half of u to digits. A copy is converted, because GMP may overwrite the number. */
static void digits(void) {
    mp_limb_t *xp = r + 3 * n / 2;
    memcpy(xp, u, (size_t)(n / 2) * sizeof *xp);
    used = (mp_size_t)(mpn_get_str((unsigned char *)r, 10, xp, n / 2) / sizeof *r);
}

/* Computes many products of short numbers that have the same total length. */
static void many(void) {
    const mp_size_t length = 10, count = m / length;
    if (batch)
        batch(r, u, v, (size_t)length, (size_t)count);
    else
        for (mp_size_t i = 0; i < count; i++)
            mpn_mul_n(r + 2 * length * i, u + length * i, v + length * i, length);
    used = 2 * length * count;
}

static mp_limb_t *hidden(mp_limb_t *next, mp_size_t limbs) {
    for (mp_size_t i = 0; i < limbs; i++)
        next[i] = (mp_limb_t)(i + 1) * 0x9e3779b97f4a7c15u;
    return next;
}

/* Calls the function on operands in protected pages and on copies in ordinary memory; compares
 * the results. */
static void compare(const char *name, void (*call)(void)) {
    mp_limb_t *const there[] = {u, v, r};
    mp_limb_t *right = malloc((size_t)(3 * n + m) * sizeof *right);
    memcpy(right, u, (size_t)n * sizeof *right);
    memcpy(right + n, v, (size_t)m * sizeof *right);
    u = right, v = right + n, r = malloc((size_t)(2 * n + m) * sizeof *r);
    call();
    memcpy(right, r, (size_t)used * sizeof *right);
    free(r);
    u = there[0], v = there[1], r = there[2];
    if (!file)
        protect();
    else if (ftruncate(file, (off_t)operand_bytes) != 0)
        fail("no file");
    sigsetjmp(again, 1);
    call();
    printf("%s: %s\n", name, memcmp(right, r, (size_t)used * sizeof *r) ? "WRONG" : "right");
    if (faults == 0 && !file)
        fail("no fault");
    mprotect(arena, arena_bytes, PROT_READ | PROT_WRITE);
    free(right);
}

static void with_limbs(mp_size_t limbs) {
    void *address = dlsym(RTLD_DEFAULT, "mpgpu_batch_mul_n");
    memcpy(&batch, &address, sizeof batch);
    n = limbs, m = limbs - limbs / 4;
    operand_bytes = ((size_t)(n + m) * sizeof *u + 3 * PAGE) / PAGE * PAGE;
    begin(operand_bytes + (size_t)(2 * n + m + 1) * sizeof *r);
    u = hidden((mp_limb_t *)arena + 5, n);
    v = hidden(u + n, m);
    r = (mp_limb_t *)(arena + operand_bytes) + 1;
    compare("mpn_mul_n", mul_n);
    compare("mpn_mul", mul);
    compare("mpn_sqr", sqr);
    compare("mpn_tdiv_qr", divide);
    compare("mpn_get_str", digits);
    compare("many", many);
}

/* ---- memory functions */

static void *allocate(size_t bytes) {
    char *p = arena + arena_used;
    arena_used += (bytes + 15) / 16 * 16 + 16;
    if (arena_used > arena_bytes)
        fail("the arena is too small");
    return p;
}

static void *reallocate(void *p, size_t old, size_t bytes) {
    return bytes <= old ? p : memcpy(allocate(bytes), p, old);
}

static void release(void *p, size_t bytes) {
    (void)p, (void)bytes;
}

static void tell(const char *name, const mpz_t x) {
    printf("%s: %lx\n", name, mpz_fdiv_ui(x, 0xc3a5c85bul));
    protect();
}

static void with_memory(unsigned long limbs) {
    mpz_t x, y, z, w;
    begin(ARENA);
    mp_set_memory_functions(allocate, reallocate, release);
    mpz_inits(x, y, z, w, NULL);
    number(x, limbs * GMP_NUMB_BITS);
    number(y, limbs * GMP_NUMB_BITS / 3);
    protect();
    mpz_mul(z, x, y), tell("mpz_mul", z);
    mpz_mul(z, z, z), tell("in place", z);
    mpz_addmul(z, x, y), tell("mpz_addmul", z);
    mpz_add(w, z, x), tell("mpz_add", w);
    mpz_sub(w, w, y), tell("mpz_sub", w);
    mpz_mul_ui(w, w, 12345), tell("mpz_mul_ui", w);
    mpz_tdiv_qr(z, w, z, x), tell("mpz_tdiv_qr", z);
    mpz_sqrt(z, x), tell("mpz_sqrt", z);
    mpz_powm_ui(z, y, 5, x), tell("mpz_powm_ui", z);
    char *text = mpz_get_str(NULL, 10, y);
    protect();
    mpz_set_str(z, text, 10), tell("mpz_get_str, mpz_set_str", z);
    printf("%s\n", mpz_cmp(z, y) ? "WRONG" : "right");
}

int main(int argc, char **argv) {
    const char *how = argc == 3 ? argv[1] : "";
    unsigned long limbs = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    few = strcmp(how, "few") == 0;
    jump = strcmp(how, "jump") == 0;
    file = strcmp(how, "file") == 0 ? memfd_create("lazypages", 0) : 0;
    if (strcmp(how, "memory") == 0)
        with_memory(limbs);
    else if (limbs >= 40)
        with_limbs((mp_size_t)limbs);
    else
        return 2;
    return 0;
}
