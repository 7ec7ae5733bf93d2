/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Calls gmp_fprintf on streams that fail after a number of bytes, with buffers of several sizes.
 * Prints the returned values, the number of bytes that each stream has received, and a hash of
 * these bytes. */
#define _GNU_SOURCE 1 /* fopencookie */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gmp.h> /* gmp.h declares gmp_fprintf only if stdio.h comes first */

struct sink {
    size_t room, taken;
    unsigned long sum;
};

static ssize_t take(void *cookie, const char *text, size_t n) {
    struct sink *s = cookie;
    size_t taken = n < s->room ? n : s->room;
    for (size_t i = 0; i < taken; i++)
        s->sum = 31 * s->sum + (unsigned char)text[i];
    s->room -= taken;
    s->taken += taken;
    return (ssize_t)taken;
}

static mpz_t z, small;
static mpq_t q;
static mpf_t f, g;

static int print(FILE *stream, int which) {
    switch (which) {
    case 0:
        return gmp_fprintf(stream, "a%Zdb%Qdc%d\n", z, q, 5);
    case 1:
        return gmp_fprintf(stream, "%+20000Zd|%-20000Zd|%020000Zd", z, z, z);
    case 2:
        return gmp_fprintf(stream, "%s %.20000Zd %Zd %i", "begin", z, small, 3);
    case 3:
        return gmp_fprintf(stream, "%.5000Ff<%.4000Fe>%+9000.20Fg", f, f, g);
    case 4:
        return gmp_fprintf(stream, "%Ff %Fg %.3000Ff", g, f, g);
    default:
        return gmp_fprintf(stream, "%Zd", z);
    }
}

static char memory[65536];

static void run(int which, size_t room, size_t buffer) {
    struct sink sink = {.room = room};
    FILE *stream = fopencookie(&sink, "w", (cookie_io_functions_t){.write = take});
    setvbuf(stream, memory, buffer ? _IOFBF : _IONBF, buffer);
    int first = print(stream, which), second = print(stream, which);
    int error = ferror(stream) != 0, closed = fclose(stream);
    printf("%d, %zu bytes, buffer %zu: %d, %d, error %d, close %d; %zu bytes, %lx\n", which, room,
           buffer, first, second, error, closed, sink.taken, sink.sum);
}

int main(void) {
    static const size_t rooms[] = {0, 100, 4096, 10000, 20000, 1 << 20};
    static const size_t buffers[] = {0, 100, 65536};
    mpz_init(z);
    mpz_init_set_si(small, -77);
    mpq_init(q);
    mpf_init2(f, 20000);
    mpf_init2(g, 20000);
    mpz_ui_pow_ui(z, 7, 19000);
    mpz_set(mpq_numref(q), z);
    mpz_ui_pow_ui(mpq_denref(q), 3, 9000);
    mpf_set_ui(f, 2);
    mpf_sqrt(f, f);
    mpf_set_z(g, z);
    for (int which = 0; which < 6; which++)
        for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++)
            for (size_t b = 0; b < sizeof buffers / sizeof *buffers; b++)
                run(which, rooms[r], buffers[b]);
    return 0;
}
