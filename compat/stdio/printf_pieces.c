/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Divides a text into the pieces that GMP would write to a stream one by one (GMP 6.2 and 6.3:
 * printf/doprnt*.c, printffuns.c). */
#include "compat/stdio/printf_pieces.h"

#include <locale.h>
#include <stdbool.h>
#include <string.h>

enum { PADDING_AT_ONCE = 256 };

void printf_pieces_open(struct printf_pieces *p) {
    text_block_open(&p->list, 16 * sizeof(struct printf_piece));
}

void printf_pieces_free(struct printf_pieces *p) {
    text_block_free(&p->list);
}

void printf_pieces_add(struct printf_pieces *p, enum printf_kind kind, size_t bytes) {
    const struct printf_piece piece = {kind, bytes};
    if (p && bytes)
        text_block_add(&p->list, (const char *)&piece, sizeof piece);
}

/* Returns the number of zeros at the end of {digits, n}. GMP writes them as padding, because
 * mpf_get_str does not return them. */
static size_t zeros_at_end(const char *digits, size_t n) {
    size_t zeros = 0;
    while (zeros < n && digits[n - 1 - zeros] == '0')
        zeros++;
    return zeros;
}

static size_t zeros_at_begin(const char *digits, size_t n) {
    size_t zeros = 0;
    while (zeros < n && digits[zeros] == '0')
        zeros++;
    return zeros;
}

/* Records the pieces of the fraction {fraction, n}. is_below_1: the digit before the point is 0. */
static void add_fraction(struct printf_pieces *p, const char *fraction, size_t n, bool is_below_1) {
    size_t end = zeros_at_end(fraction, n);
    size_t begin = is_below_1 && end < n ? zeros_at_begin(fraction, n) : 0;
    printf_pieces_add(p, PIECE_PADDING, begin);
    printf_pieces_add(p, PIECE_DIGITS, n - begin - end);
    printf_pieces_add(p, PIECE_PADDING, end);
}

static void add_float(struct printf_pieces *p, const char *digits, size_t n) {
    const char *point = localeconv()->decimal_point;
    size_t whole = 0, length = strlen(point), rest;
    while (whole < n && digits[whole] >= '0' && digits[whole] <= '9')
        whole++;
    bool has_point = n - whole >= length && length && memcmp(digits + whole, point, length) == 0;
    const char *fraction = digits + whole + (has_point ? length : 0);
    size_t left = n - (size_t)(fraction - digits);
    for (rest = 0; rest < left && fraction[rest] >= '0' && fraction[rest] <= '9'; rest++)
        continue;
    bool has_fraction = zeros_at_end(fraction, rest) < rest;
    bool is_below_1 = whole == 1 && digits[0] == '0';
    size_t zeros = is_below_1 ? 1 : has_fraction ? 0 : zeros_at_end(digits, whole);
    printf_pieces_add(p, PIECE_DIGITS, whole - zeros);
    printf_pieces_add(p, PIECE_PADDING, zeros);
    printf_pieces_add(p, PIECE_DIGITS, has_point ? length : 0);
    add_fraction(p, fraction, rest, is_below_1);
    printf_pieces_add(p, PIECE_DIGITS, left - rest); /* the exponent */
}

void printf_pieces_add_digits(struct printf_pieces *p, const struct printf_spec *s,
                              const char *digits, size_t n) {
    if (p && s->type == 'F')
        add_float(p, digits, n);
    else
        printf_pieces_add(p, PIECE_DIGITS, n);
}

static void write_padding(const char *text, size_t n, FILE *stream) {
    for (size_t done = 0; done < n; done += PADDING_AT_ONCE)
        fwrite(text + done, 1, n - done < PADDING_AT_ONCE ? n - done : PADDING_AT_ONCE, stream);
}

/* Writes a piece. Returns the number of bytes that GMP's function would count for it. Returns -1 if
 * GMP's function would stop with an error. */
static long write_piece(const struct printf_piece *piece, const char *text, FILE *stream) {
    if (piece->kind == PIECE_PADDING) {
        write_padding(text, piece->bytes, stream);
        return (long)piece->bytes;
    }
    size_t written = fwrite(text, 1, piece->bytes, stream);
    return piece->kind == PIECE_FORMAT && written < piece->bytes ? -1 : (long)written;
}

int printf_pieces_write(struct printf_pieces *p, struct text_block *b, FILE *stream) {
    long sum = 0, n = 0;
    size_t at = 0;
    struct printf_piece piece;
    for (size_t i = 0; i < p->list.n && n >= 0; i += sizeof piece) {
        memcpy(&piece, p->list.s + i, sizeof piece);
        n = write_piece(&piece, b->s + at, stream);
        sum += n;
        at += piece.bytes;
    }
    printf_pieces_free(p);
    text_block_free(b);
    return n < 0 ? -1 : (int)sum;
}
