/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-bench: times GMP, this library and the transfers between host and device in the same
 * run. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "gpu/build/own_process.h"
#include "lib/base/conf.h"
#include "lib/gmp/real.h"
#include "lib/session/session.h"
#include "tools/bench/bench.h"
#include "tools/bench/bench_threads.h"
#include "tools/output.h"

enum { NO_DEVICE = 3 };

const struct bench_mode bench_modes[BENCH_MODES] = {
    {"table", "times by size, side by side (the mode if none is named)", "14:26", "mul",
     "gmp,malloc,fresh,pool,device,link", BENCH_ANY_MEMORY, bench_table},
    {"smoothness",
     "sizes in steps of 1.1: the greatest ratio of a size's time to the time of the size before",
     "16:30", "mul", "malloc", BENCH_ANY_MEMORY, bench_smoothness},
    {"threads", "operations per second by threads of a program, with the library and by GMP alone",
     "12:24", "mul,sqr,div", "pool", BENCH_PROGRAMS, bench_threads},
    {"check", "what the check of each result costs", "22:28/1", "mul", "malloc", BENCH_HOST_ONLY,
     bench_table},
    {"devices", "products that all devices of --device share, compared with those of one",
     "22:30/2", "mul", "pool", BENCH_HOST_ONLY, bench_table},
    {"memory", "device memory in use after an operation", "26:30/2", "mul", "malloc",
     BENCH_HOST_ONLY, bench_memory_use},
    {"crossover", "the size above which the device is faster than GMP", "2^24", "mul,sqr,bnm1",
     "malloc", BENCH_ANY_MEMORY, bench_crossover},
    {"algorithms", "each algorithm at each size, in the columns", "14:26", "mul", "device,pool",
     BENCH_ANY_MEMORY, bench_table},
    {"largest", "one huge product, checked by residues", "2^36", "mul", "malloc", BENCH_HOST_ONLY,
     bench_largest},
    {"digit", "a number in redundant digits by one digit, and a copy; its words have 32 bits",
     "14:33", "mul", "device", BENCH_ANY_MEMORY, bench_digit},
    {"transform", "transforms of N coefficients modulo B^P + 1, of these bits in all, and a copy",
     "24:29", "mul", "device", BENCH_ANY_MEMORY, bench_transform},
    {"arrays", "operations per second on many numbers, from and to mpz_t, and by GMP on all CPUs",
     "2^11", "mul,mod_mul,mod_pow/4,mod_inv,gcd,tdiv_qr", "gmp,malloc,device", BENCH_ARRAYS,
     bench_arrays},
    {"fixed", "the Mandelbrot set by fixed-point numbers: iterations, share of the multiply rate",
     "7:8", "mul", "device", BENCH_ANY_MEMORY, bench_fixed},
    {"fft", "floating-point transforms of 2^FROM to 2^TO values, compared with cuFFT or FFTW",
     "10:26", "mul", "device", BENCH_ANY_MEMORY, bench_fft},
};

/* Opens the device.  Returns true also without a device for the modes table, threads and arrays,
 * because GMP's times are useful alone. */
static bool has_device(const struct bench_options *options, struct bench_report *report) {
    mpgpu_conf.open = OPEN_WAIT;
    if (options->mode->kind < BENCH_PROGRAMS) /* measures the device without a server in between */
        mpgpu_conf.server = SERVER_OFF;
    session_open_any();
    own_process_begin();
    /* with the option verify:full, the library compares its results with those of this function */
    real.mpn_mul = mpn_mul;
    bool ready = session_wait() == OUTCOME_DONE;
    session_describe(report->device, sizeof report->device);
    if (!ready)
        fprintf(stderr, "mpgpu-bench: no device: %s\n", report->device);
    return ready || options->mode == &bench_modes[0] || options->mode->kind >= BENCH_PROGRAMS;
}

/* Lets tables go to standard error if the CSV goes to standard output. */
static void redirect_tables(const struct bench_options *options, struct bench_report *report) {
    report->csv = options->csv;
    if (!report->csv || strcmp(report->csv, "-") != 0)
        return;
    int copy = dup(STDOUT_FILENO);
    report->output = copy < 0 ? NULL : fdopen(copy, "w");
    dup2(STDERR_FILENO, STDOUT_FILENO);
}

/* Checks that the file can be written, because a measurement of an hour would be lost otherwise. */
static bool can_write(const char *path) {
    if (!path || strcmp(path, "-") == 0)
        return true;
    FILE *file = fopen(path, "a");
    if (!file)
        fprintf(stderr, "mpgpu-bench: %s: %s\n", path, strerror(errno));
    return file && fclose(file) == 0;
}

static int measure(const struct bench_options *options, struct bench_report *report) {
    if (!has_device(options, report))
        return NO_DEVICE;
    printf("%s; GMP %s\n", report->device, gmp_version);
    int status = options->mode->run(options, report);
    return bench_report_is_wrong(report) ? 1 : status;
}

int main(int argc, char **argv) {
    static struct bench_options options;
    static struct bench_report report;
    if (argc == 3 && strcmp(argv[1], BENCH_CLIENT_WORD) == 0)
        return bench_client_main(argv);
    int status = bench_options_read(&options, argc, argv);
    if (status >= 0)
        return output_end("mpgpu-bench", status, 2);
    if (!can_write(options.csv))
        return 2;
    redirect_tables(&options, &report);
    bench_report_begin(&report);
    status = measure(&options, &report);
    bool has_figures = status <= 1 || report.count > 0;
    if (report.csv && has_figures && !bench_report_write_csv(&report) && status == 0)
        status = 2;
    bench_report_free(&report);
    return output_end("mpgpu-bench", status, 2);
}
