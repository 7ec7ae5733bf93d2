/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program for test_clear.sh. It multiplies a number with a known pattern, clears its
 * own copies and counts the places in its memory that still have the pattern. With TRACES_OF=PID
 * it also counts them in the memory of that process: in its anonymous memory, and in the memory
 * that it shares with this process. Usage: traces LIMBS... */
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "tests/support/products.h"

enum { POOL_LIMBS = 9000 }; /* longer results are in the library's pool, which clears them */

enum { RUN = 3 }; /* a trace is a run of this number of limbs with the pattern */

static mp_limb_t pattern;

static size_t count_in(const mp_limb_t *at, const mp_limb_t *end) {
    size_t places = 0, run = 0;
    for (; at < end; at++) {
        run = *at == pattern ? run + 1 : 0;
        places += run == RUN;
    }
    return places;
}

/* Counts traces in the range {begin, end} of a process whose /proc/PID/mem is open as `memory`. */
static size_t count_there(int memory, unsigned long begin, unsigned long end) {
    static mp_limb_t buffer[1 << 16];
    size_t places = 0;
    for (ssize_t n; begin < end; begin += (unsigned long)n) {
        const size_t most = end - begin < sizeof buffer ? end - begin : sizeof buffer;
        n = pread(memory, buffer, most, (off_t)begin);
        if (n < (ssize_t)sizeof *buffer)
            break;
        places += count_in(buffer, buffer + (size_t)n / sizeof *buffer);
    }
    memset(buffer, 0, sizeof buffer);
    return places;
}

/* The memory in which traces are counted. */
enum part {
    OWN = 1,    /* all anonymous memory */
    SHARED = 2, /* memory that mpgpu-serve shares */
};

/* The length of the part of shared memory that is read in another process: slots and the blocks of
 * jobs are there. Reading the rest would allocate pages that nobody uses. */
static const unsigned long used_bytes = 32ul << 20;

/* Counts traces in these parts of a process's memory. `memory` is another process's open memory
 * file, or -1 for this process. */
static size_t count_all(const char *maps_path, int memory, unsigned parts) {
    unsigned long begin, end;
    char line[4500], rights[8], path[4096];
    size_t places = 0;
    FILE *maps = fopen(maps_path, "r");
    if (!maps)
        fail("maps");
    while (fgets(line, sizeof line, maps)) {
        int fields = sscanf(line, "%lx-%lx %7s %*s %*s %*s %4095s", &begin, &end, rights, path);
        const bool is_file = fields > 3 && *path == '/';
        const bool is_shared = is_file && strncmp(path, "/memfd:mpgpu", 12) == 0;
        const unsigned part = is_shared ? SHARED : is_file ? 0 : OWN;
        if (fields < 3 || strncmp(rights, "rw", 2) != 0 || !(parts & part))
            continue;
        if (memory >= 0 && is_shared && end - begin > used_bytes)
            end = begin + used_bytes;
        size_t here = memory < 0 ? count_in((const mp_limb_t *)begin, (const mp_limb_t *)end)
                                 : count_there(memory, begin, end);
        if (here)
            fprintf(stderr, "%zu in %s", here, line);
        places += here;
    }
    fclose(maps);
    return places;
}

/* Multiplies x by a power of two of the same length, so that the result has the pattern, too. */
static void multiply_pattern(mp_size_t n) {
    mpz_t x, y, r;
    mpz_init(x);
    mpz_init(y);
    mpz_init(r);
    mp_ptr xp = mpz_limbs_write(x, n);
    for (mp_size_t i = 0; i < n; i++)
        xp[i] = pattern;
    mpz_limbs_finish(x, n);
    mpz_setbit(y, (mp_bitcnt_t)n * 64 - 64);
    mpz_mul(r, x, y);
    if (mpz_size(r) != 2 * (size_t)n - 1 || mpz_getlimbn(r, 2 * n - 2) != pattern)
        fail("wrong product");
    memset(mpz_limbs_modify(x, n), 0, (size_t)n * sizeof *xp);
    if (n < POOL_LIMBS)
        memset(mpz_limbs_modify(r, 2 * n - 1), 0, (2 * (size_t)n - 1) * sizeof *xp);
    mpz_clear(x);
    mpz_clear(y);
    mpz_clear(r);
}

int main(int argc, char **argv) {
    pattern = 0x9e3779b97f4a7c15u ^ (mp_limb_t)getpid() << 7;
    for (int i = 1; i < argc; i++)
        multiply_pattern(atol(argv[i]));
    printf("%zu places\n", count_all("/proc/self/maps", -1, OWN | SHARED));
    const char *other = getenv("TRACES_OF");
    if (other) {
        char maps[64], memory[64];
        snprintf(maps, sizeof maps, "/proc/%s/maps", other);
        snprintf(memory, sizeof memory, "/proc/%s/mem", other);
        const int file = open(memory, O_RDONLY);
        if (file < 0)
            fail("the other process's memory");
        printf("%zu places there\n", count_all(maps, file, OWN));
        printf("%zu shared places there\n", count_all(maps, file, SHARED));
    }
    return 0;
}
