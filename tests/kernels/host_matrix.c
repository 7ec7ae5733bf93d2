/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Emulates, on the host, the matrix multiplication instructions of a row of work-items. Each
 * instruction but host_multiply_lines exchanges words once between the row's work-items. Only its
 * accesses to local memory are reported to the access checker (host_memory.h). */
#include "config.h"

#include "tests/kernels/host_group.h"
#include "tests/kernels/host_memory.h"

enum { HALF_WORDS = 4 }; /* words in half a line of matrix A, or half a column of B */

typedef uint16_t pairs __attribute__((vector_size(16), aligned(4), may_alias)); /* of bytes */
typedef uint32_t sums __attribute__((vector_size(16)));

/* ASan does not check accesses in functions with this attribute, because that would take half of
 * the time of the tests. Accesses to local memory are reported instead (memory_read), by one
 * work-item of each row. */
#define REPORTED __attribute__((no_sanitize_address))

/* Returns four sums, whose sum is half a line of A times half a column of B. */
REPORTED static inline sums multiply_half(const uint32_t *line, const uint32_t *column) {
    const pairs a = *(const pairs *)line, b = *(const pairs *)column;
    const pairs even_a = a & 255, even_b = b & 255, odd_a = a >> 8, odd_b = b >> 8;
#ifdef __SSE2__
    typedef short words __attribute__((vector_size(16)));
    return (sums)__builtin_ia32_pmaddwd128((words)even_a, (words)even_b) +
           (sums)__builtin_ia32_pmaddwd128((words)odd_a, (words)odd_b);
#else
    const sums even = (sums)(even_a * even_b), odd = (sums)(odd_a * odd_b);
    return (even & 0xffff) + (even >> 16) + (odd & 0xffff) + (odd >> 16);
#endif
}

/* Returns a line of A times a column of B, whose halves are at line[i] and column[i]. */
REPORTED static inline uint32_t multiply_line(const uint32_t *const *line,
                                              const uint32_t *const *column) {
    const sums x = multiply_half(line[0], column[0]) + multiply_half(line[1], column[1]);
    return x[0] + x[1] + x[2] + x[3];
}

/* Adds to d the products of this work-item's two lines of A by its two columns of B. d[0] and d[1]
 * are for the first line, d[2] and d[3] for the second line.  The first halves of the columns are
 * at `columns`, the second halves `half` words behind. */
static void multiply_tile(uint32_t *d, const uint32_t (*a)[HOST_ROW], const uint32_t *columns,
                          uint32_t half) {
    const unsigned g = host_now.item % HOST_ROW / 4, t = host_now.item % 4;
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t *first = columns + HALF_WORDS * (2 * t + i % 2);
        const uint32_t *const column[] = {first, first + half};
        const uint32_t *const line[] = {a[i / 2] + HALF_WORDS * g, a[i / 2 + 2] + HALF_WORDS * g};
        d[i] += multiply_line(line, column);
    }
}

void host_multiply(uint32_t *d, const uint32_t *a, const uint32_t *b) {
    const uint32_t words[] = {a[0], a[1], a[2], a[3], b[0], b[1]};
    const uint32_t(*all)[HOST_ROW] = host_exchange_words(words, 6);
    multiply_tile(d, all, all[4], HOST_ROW);
}

/* Returns bytes 16 c to 16 c + 15 of a line of 128 bytes, stored as kernels/common/matrix_group.h
 * describes. Reports the access to the checker of memory accesses if is_reported is set. */
REPORTED static const uint32_t *piece(const uint32_t *lines, uint32_t line, uint32_t c,
                                      bool is_reported) {
    const uint32_t *at = lines + 8 * HALF_WORDS * line + HALF_WORDS * (c ^ line % 8);
    if (is_reported)
        memory_read(at, HALF_WORDS * sizeof *at);
    return at;
}

/* Returns true if this work-item reports its access to column n of B. One work-item in each row
 * does. If all 32 did that read the column, reports would take most of the time of the tests. */
REPORTED static bool reports_column(uint32_t n) {
    return n % 4 < 2 && n / 4 % 8 == host_now.item % HOST_ROW / 4;
}

enum { LINES = 64, COLUMNS = 256 };

/* Sets products[n] to this work-item's products of two lines of A by the columns of B. */
REPORTED static void multiply_lines(uint32_t *products, const uint32_t *a, uint32_t a_step,
                                    const uint32_t *b, uint32_t b_step) {
    const uint32_t item = host_now.item % (2 * LINES);
    const uint32_t line = item / HOST_ROW * 16 + item % HOST_ROW / 4;
    const uint32_t *left[4], *right[2];
    for (uint32_t i = 0; i < 4; i++)
        left[i] = piece(a, line + i / 2 * 8, 2 * a_step + i % 2, true);
    for (uint32_t n = 0; n < COLUMNS / 2; n++) {
        const uint32_t column = n / 4 * 8 + item % 4 * 2 + n % 2;
        for (uint32_t i = 0; i < 2; i++)
            right[i] = piece(b, column, 2 * b_step + i, reports_column(n));
        products[n] = multiply_line(left + (n & 2), right);
    }
}

void host_multiply_lines(uint32_t *d, const uint32_t *a, uint32_t a_step, const uint32_t *b,
                         uint32_t b_step, uint32_t adds) {
    uint32_t products[COLUMNS / 2];
    multiply_lines(products, a, a_step, b, b_step);
    for (uint32_t n = 0; n < COLUMNS / 2; n++)
        d[n] = (adds ? d[n] : 0) + products[n];
}

/* Reports to the access checker (memory_read) which columns of B this work-item reads. The
 * checker watches no other access of the instruction. */
void host_multiply_columns(uint32_t *d, const uint32_t *a, const uint32_t *columns, uint32_t half) {
    const uint32_t(*all)[HOST_ROW] = host_exchange_words(a, 4);
    for (unsigned i = 0; i < 4; i++, d += 4, columns += 8 * HALF_WORDS) {
        const uint32_t *first = columns + HALF_WORDS * 2 * (host_now.item % 4);
        memory_read(first, 2 * HALF_WORDS * sizeof *first);
        memory_read(first + half, 2 * HALF_WORDS * sizeof *first);
        multiply_tile(d, all, columns, half);
    }
}
