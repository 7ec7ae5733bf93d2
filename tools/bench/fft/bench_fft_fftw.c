/* SPDX-License-Identifier: LGPL-3.0-or-later
 * FFTW's transforms on as many threads as the device has compute units. */
#include <stdlib.h>
#include <string.h>

#include "tools/bench/fft/bench_fft.h"

/* ---- functions of libfftw3 and libfftw3f, which differ in the type of values only */

enum { FORWARD = -1, MEASURE = 0, PRESERVE_INPUT = 16, ESTIMATE = 64, ALIGNMENT = 64 };

struct fftw {
    int (*init_threads)(void);
    void (*use_threads)(int threads);
    void *(*plan)(int rank, const int *n, int howmany, void *from, const int *inembed, int istride,
                  int idist, void *to, const int *onembed, int ostride, int odist, int sign,
                  unsigned flags);
    void *(*plan_real)(int rank, const int *n, int howmany, void *from, const int *inembed,
                       int istride, int idist, void *to, const int *onembed, int ostride, int odist,
                       unsigned flags);
    void (*execute)(void *plan);
    void (*destroy)(void *plan);
};

enum { NAMES = 6 };
static const char *const names[2][NAMES] = {
    {"fftwf_init_threads", "fftwf_plan_with_nthreads", "fftwf_plan_many_dft",
     "fftwf_plan_many_dft_r2c", "fftwf_execute", "fftwf_destroy_plan"},
    {"fftw_init_threads", "fftw_plan_with_nthreads", "fftw_plan_many_dft", "fftw_plan_many_dft_r2c",
     "fftw_execute", "fftw_destroy_plan"}};

_Static_assert(sizeof(struct fftw) == sizeof names[0], "a name for each");

/* Each of them needs the library without threads, in which its other functions are found. */
static const char *const libraries[2][3] = {{"libfftw3f_threads.so.3", "libfftw3f_omp.so.3", NULL},
                                            {"libfftw3_threads.so.3", "libfftw3_omp.so.3", NULL}};

static union {
    struct fftw f;
    void *symbols[NAMES];
} fftw[2];

static bool is_loaded(enum fft_precision precision, const struct gpu_device *dev) {
    static enum { UNTRIED, MISSING, LOADED } states[2];
    if (states[precision] == UNTRIED) {
        void *library = bench_library(libraries[precision]);
        bool found =
            library && bench_symbols(library, names[precision], fftw[precision].symbols, NAMES);
        states[precision] = found && fftw[precision].f.init_threads() ? LOADED : MISSING;
        if (states[precision] == LOADED)
            fftw[precision].f.use_threads((int)dev->caps.compute_units);
    }
    return states[precision] == LOADED;
}

/* ---- one transform */

struct state {
    const struct fftw *fftw;
    void *plan, *from, *to;
};

static void close_fftw(void *context) {
    struct state *s = context;
    if (s->plan)
        s->fftw->destroy(s->plan);
    free(s->from);
    free(s->to);
    free(s);
}

static void *aligned(size_t bytes) {
    return aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

/* Planning may write into both arrays. */
static bool prepare(struct state *s, const struct bench_fft *f, unsigned flags) {
    const int n = (int)f->plan.n, batch = (int)f->batch;
    s->from = aligned(bench_fft_from(f));
    s->to = aligned(bench_fft_to(f));
    if (!s->from || !s->to)
        return false;
    s->plan = f->plan.is_real ? s->fftw->plan_real(1, &n, batch, s->from, NULL, 1, n, s->to, NULL,
                                                   1, n / 2 + 1, flags)
                              : s->fftw->plan(1, &n, batch, s->from, NULL, 1, n, s->to, NULL, 1, n,
                                              FORWARD, flags);
    memcpy(s->from, f->x, bench_fft_from(f));
    return s->plan != NULL;
}

static void *open_fftw(const struct bench_fft *f, const struct gpu_device *dev, unsigned flags) {
    struct state *s = is_loaded(f->plan.precision, dev) ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return NULL;
    s->fftw = &fftw[f->plan.precision].f;
    if (prepare(s, f, flags | PRESERVE_INPUT))
        return s;
    close_fftw(s);
    return NULL;
}

static void *open_measure(const struct bench_fft *f, const struct gpu_device *dev) {
    return open_fftw(f, dev, MEASURE);
}

static void *open_estimate(const struct bench_fft *f, const struct gpu_device *dev) {
    return open_fftw(f, dev, ESTIMATE);
}

static int run_fftw(void *context, int times) {
    const struct state *s = context;
    for (int i = 0; i < times; i++)
        s->fftw->execute(s->plan);
    return 0;
}

static int fetch_fftw(void *context, struct bench_fft *f) {
    const struct state *s = context;
    memcpy(f->z, s->to, bench_fft_to(f));
    return 0;
}

const struct bench_peer bench_fftw_measure = {"fftw-measure", open_measure, close_fftw, run_fftw,
                                              fetch_fftw};
const struct bench_peer bench_fftw_estimate = {"fftw-estimate", open_estimate, close_fftw, run_fftw,
                                               fetch_fftw};
