/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The product of a number in redundant digits by one digit, beside a copy: Eric Bainville, GPU
 * Benchmarks, 2009, https://www.bealto.com/gpu-benchmarks_intro.html. */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/sums/redundant.h"
#include "lib/multiply/redundant.h"
#include "tools/bench/bench_modes.h"
#include "tools/bench/bench_pass.h"

enum { CHUNK = 1 << 20 };

static const int32_t factor = DIGIT_BASE - 3;

static enum gpu_status multiply(struct context *s, struct bench_pass *pass) {
    return redundant_mul_1(s, pass->to, pass->from, factor);
}

/* Digit i of the number: any within DIGIT_PRODUCT. */
static int32_t digit(uint64_t i) {
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9;
    return (int32_t)((int64_t)(x >> 20) % (2 * DIGIT_PRODUCT + 1) - DIGIT_PRODUCT);
}

static int64_t product(uint64_t i, uint64_t below) {
    return i < below ? 0 : (int64_t)digit(i - below) * factor;
}

static int load(struct bench_pass *pass, int32_t *chunk) {
    int failed = 0;
    for (uint64_t at = 0, n; at < pass->from.words && !failed; at += n) {
        n = pass->from.words - at < CHUNK ? pass->from.words - at : CHUNK;
        for (uint64_t i = 0; i < n; i++)
            chunk[i] = digit(at + i);
        failed = bench_pass_load(pass, at, chunk, n);
    }
    return failed;
}

/* The work once, and all of its digits compared. */
static enum bench_state verify(struct bench_pass *pass, int32_t *chunk) {
    if (load(pass, chunk) || bench_pass_run(pass))
        return BENCH_FAILED;
    for (uint64_t at = 0, n; at < pass->to.words; at += n) {
        n = pass->to.words - at < CHUNK ? pass->to.words - at : CHUNK;
        if (bench_pass_fetch(pass, at, chunk, n))
            return BENCH_FAILED;
        for (uint64_t i = 0; i < n; i++)
            if (chunk[i] != digit_sum3(product(at + i, 0), product(at + i, 1), product(at + i, 2)))
                return BENCH_WRONG;
    }
    return BENCH_RIGHT;
}

static void tell(struct bench_report *report, uint64_t words,
                 const struct bench_figure figures[BENCH_PASS_FIGURES]) {
    const uint64_t bits = 32 * words;
    char text[24];
    double copy = figures[BENCH_PASS_COPY].time.median, work = figures[BENCH_PASS_WORK].time.median;
    double share = copy > 0 && work > 0 ? 100 * copy / work : -1, bytes = 8e-9 * (double)words;
    enum bench_state state = figures[BENCH_PASS_WORK].state;
    bench_pass_tell(report, "digit", bits, "copy", &figures[BENCH_PASS_COPY]);
    bench_pass_tell(report, "digit", bits, "product", &figures[BENCH_PASS_WORK]);
    bench_pass_tell_value(report, "digit", bits, "share", "percent", share, state);
    if (share < 0)
        printf("%-10s %12s\n", bench_bits_text(words, text), "-");
    else
        printf("%-10s %12.5f %12.5f %12.1f %12.1f %8.1f%s\n", bench_bits_text(words, text),
               copy * 1e3, work * 1e3, bytes / copy, bytes / work, share,
               state == BENCH_WRONG ? "  WRONG" : "");
    fflush(stdout);
}

static void measure(const struct bench_options *options, uint64_t words, int32_t *chunk,
                    struct bench_report *report) {
    const struct bench_figure none = {{-1, -1, -1, 0}, BENCH_FAILED};
    struct bench_figure figures[BENCH_PASS_FIGURES] = {none, none};
    struct bench_pass pass = {.work = multiply};
    if (bench_pass_open(&pass, words) == 0) {
        enum bench_state state = verify(&pass, chunk);
        if (state != BENCH_FAILED)
            bench_pass_measure(&pass, &options->budget, figures);
        if (state == BENCH_WRONG)
            figures[BENCH_PASS_WORK].state = state;
        bench_pass_close(&pass);
    }
    tell(report, words, figures);
}

int bench_digit(const struct bench_options *options, struct bench_report *report) {
    int32_t *chunk = malloc(CHUNK * sizeof *chunk);
    if (!chunk)
        return 2;
    printf("%-10s %12s %12s %12s %12s %8s\n", "words", "copy, ms", "product, ms", "copy, GB/s",
           "GB/s", "share, %");
    for (int k = 0; k < options->sizes; k++)
        measure(options, (options->bits[k] + 31) / 32, chunk, report);
    free(chunk);
    return 0;
}
