/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For test_replace.sh: a program that opens libgmp itself by dlopen and calls functions only
 * through that handle, as Julia does. Prints the results.
 * Usage: handles LIBGMP BITS [MODE]...
 *   LIBGMP  what to open: libgmp.so.10, or a path
 *   BITS    of the larger operand
 *   MODE    own: set counting memory functions through the handle; plain: open without
 *           RTLD_DEEPBIND; data: also print some of GMP's variables and the file that defines
 *           them */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <gmp.h> /* types only */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *gmp;

static void *symbol(const char *name) {
    void *address = dlsym(gmp, name);
    if (!address) {
        printf("no %s: %s\n", name, dlerror());
        exit(1);
    }
    return address;
}

/* Looks up GMP's function of that name in the opened handle. */
#define GMP(type, name, parameters) ((type(*) parameters)symbol("__gmp" #name))
typedef void binary(mpz_ptr, mpz_srcptr, mpz_srcptr);
typedef void ternary(mpz_ptr, mpz_ptr, mpz_srcptr, mpz_srcptr);

/* ---- the program's memory functions: libc's, with a mark before each block */

enum { MARK = 16 };
static long blocks;

static void *allocate(size_t bytes) {
    char *p = malloc(bytes + MARK);
    memcpy(p, "handles' memory", MARK);
    __atomic_add_fetch(&blocks, 1, __ATOMIC_RELAXED);
    return p + MARK;
}

static char *marked(void *p) {
    char *start = (char *)p - MARK;
    if (memcmp(start, "handles' memory", MARK) != 0) {
        puts("memory that these functions have not made");
        exit(1);
    }
    return start;
}

static void *reallocate(void *p, size_t old, size_t bytes) {
    (void)old;
    return (char *)realloc(marked(p), bytes + MARK) + MARK;
}

static void release(void *p, size_t bytes) {
    (void)bytes;
    free(marked(p));
    __atomic_add_fetch(&blocks, -1, __ATOMIC_RELAXED);
}

static void set_memory(void) {
    typedef void set(void *(*)(size_t), void *(*)(void *, size_t, size_t),
                     void (*)(void *, size_t));
    ((set *)symbol("__gmp_set_memory_functions"))(allocate, reallocate, release);
}

/* ---- the computation and its output */

static void print(const char *what, mpz_srcptr x) {
    typedef void get(void *, void *, void (**)(void *, size_t));
    char *text = GMP(char *, z_get_str, (char *, int, mpz_srcptr))(NULL, 10, x);
    void (*free_text)(void *, size_t);
    ((get *)symbol("__gmp_get_memory_functions"))(NULL, NULL, &free_text);
    unsigned long rest = GMP(unsigned long, z_fdiv_ui, (mpz_srcptr, unsigned long))(x, 1000000007);
    printf("%s: %zu digits, %.20s..., %lu\n", what, strlen(text), text, rest);
    free_text(text, strlen(text) + 1);
}

static void compute(unsigned long bits) {
    mpz_t a, b, x, y;
    mpz_ptr all[] = {a, b, x, y};
    for (int i = 0; i < 4; i++)
        GMP(void, z_init, (mpz_ptr))(all[i]);
    GMP(void, z_ui_pow_ui, (mpz_ptr, unsigned long, unsigned long))(a, 3, bits * 5 / 8);
    GMP(void, z_ui_pow_ui, (mpz_ptr, unsigned long, unsigned long))(b, 7, bits * 5 / 16);
    ((binary *)symbol("__gmpz_mul"))(x, a, b);
    print("product", x);
    GMP(void, z_add_ui, (mpz_ptr, mpz_srcptr, unsigned long))(x, x, 12345);
    ((ternary *)symbol("__gmpz_tdiv_qr"))(x, y, x, b);
    print("quotient", x);
    print("remainder", y);
    ((binary *)symbol("__gmpz_mul"))(y, x, x);
    GMP(void, z_sqrt, (mpz_ptr, mpz_srcptr))(x, y);
    print("root of a square", x);
    for (int i = 0; i < 4; i++)
        GMP(void, z_clear, (mpz_ptr))(all[i]);
}

static void show_data(void) {
    const char *const *version = symbol("__gmp_version");
    const int *bits = symbol("__gmp_bits_per_limb");
    int *number = symbol("__gmp_errno");
    char file[PATH_MAX] = "";
    gmp_randstate_t state;
    Dl_info info;
    /* this random algorithm does not exist, so GMP sets gmp_errno */
    ((void (*)(gmp_randstate_t, int, ...))symbol("__gmp_randinit"))(state, 99, 0L);
    if (!dladdr(symbol("__gmpz_init"), &info) || !realpath(info.dli_fname, file))
        puts("a function without a file");
    printf("version %s, limbs of %d bits, errno %d: %s\n", *version, *bits, *number, file);
}

int main(int argc, char **argv) {
    int flags = RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND, wants_own = 0, wants_data = 0;
    if (argc < 3)
        return 2;
    for (int i = 3; i < argc; i++) {
        if (strcmp(argv[i], "plain") == 0)
            flags &= ~RTLD_DEEPBIND;
        wants_own |= strcmp(argv[i], "own") == 0;
        wants_data |= strcmp(argv[i], "data") == 0;
    }
    gmp = dlopen(argv[1], flags);
    if (!gmp) {
        puts("libgmp cannot be opened");
        return 0;
    }
    if (wants_own)
        set_memory();
    compute(strtoul(argv[2], NULL, 10));
    if (wants_data)
        show_data();
    printf("%ld blocks left\n", blocks);
    return 0;
}
