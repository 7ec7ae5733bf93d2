/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes transforms by other libraries, cuFFT and FFTW, which are loaded at run time. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/bench_fft.h"

/* Loads the first of these libraries that exists (the list ends with NULL).  Prints a message and
 * returns NULL if none does. */
static void *open_library(const char *const *libraries) {
    for (int i = 0; libraries[i]; i++) {
        void *library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
        if (library)
            return library;
    }
    printf("no %s on this machine\n", libraries[0]);
    return NULL;
}

/* Looks up `count` functions by name.  Prints a message and returns false if one is missing. */
static bool find_symbols(void *library, const char *const *names, void **symbols, int count) {
    for (int i = 0; i < count; i++) {
        symbols[i] = dlsym(library, names[i]);
        if (!symbols[i]) {
            printf("no function %s on this machine\n", names[i]);
            return false;
        }
    }
    return true;
}

/* ---- cuFFT.  Uses separate memory in the GPU's primary context, so that cuFFT can also be
 * compared with this library on OpenCL.  The types are declared as in cuFFT's headers */

enum { FORWARD = -1, C2C = 0x29, R2C = 0x2a, Z2Z = 0x69, D2Z = 0x6a };

typedef unsigned long long device_pointer;

struct driver {
    int (*init)(unsigned flags);
    int (*device_get)(int *device, int ordinal);
    int (*retain)(void **context, int device);
    int (*set_current)(void *context);
    int (*synchronize)(void);
    int (*alloc)(device_pointer *p, size_t bytes);
    int (*release)(device_pointer p);
    int (*to_device)(device_pointer to, const void *from, size_t bytes);
    int (*to_host)(void *to, device_pointer from, size_t bytes);
};

struct cufft {
    int (*plan_many)(int *plan, int rank, int *n, int *inembed, int istride, int idist,
                     int *onembed, int ostride, int odist, int type, int batch);
    int (*destroy)(int plan);
    int (*c2c)(int plan, void *from, void *to, int direction);
    int (*z2z)(int plan, void *from, void *to, int direction);
    int (*r2c)(int plan, void *from, void *to);
    int (*d2z)(int plan, void *from, void *to);
};

static const char *const driver_names[] = {
    "cuInit",          "cuDeviceGet",      "cuDevicePrimaryCtxRetain",
    "cuCtxSetCurrent", "cuCtxSynchronize", "cuMemAlloc_v2",
    "cuMemFree_v2",    "cuMemcpyHtoD_v2",  "cuMemcpyDtoH_v2"};
static const char *const cufft_names[] = {"cufftPlanMany", "cufftDestroy", "cufftExecC2C",
                                          "cufftExecZ2Z",  "cufftExecR2C", "cufftExecD2Z"};
enum {
    DRIVER_NAMES = sizeof driver_names / sizeof *driver_names,
    CUFFT_NAMES = sizeof cufft_names / sizeof *cufft_names
};

_Static_assert(sizeof(struct driver) == sizeof driver_names, "a name for each");
_Static_assert(sizeof(struct cufft) == sizeof cufft_names, "a name for each");

static const char *const driver_libraries[] = {"libcuda.so.1", NULL};
static const char *const cufft_libraries[] = {"libcufft.so.12", "libcufft.so.11", "libcufft.so",
                                              NULL};

/* The loaded functions.  The primary context stays open until the program ends. */
static union {
    struct driver f;
    void *symbols[DRIVER_NAMES];
} cuda;
static union {
    struct cufft f;
    void *symbols[CUFFT_NAMES];
} cufft;

static bool load_cufft(int ordinal) {
    int device;
    void *context, *driver = open_library(driver_libraries);
    void *library = driver ? open_library(cufft_libraries) : NULL;
    return library && find_symbols(driver, driver_names, cuda.symbols, DRIVER_NAMES) &&
           find_symbols(library, cufft_names, cufft.symbols, CUFFT_NAMES) && cuda.f.init(0) == 0 &&
           cuda.f.device_get(&device, ordinal) == 0 && cuda.f.retain(&context, device) == 0 &&
           cuda.f.set_current(context) == 0;
}

/* Returns true if cuFFT could be loaded.  cuFFT then uses the CUDA device with the number of `dev`,
 * or the first CUDA device if `dev` is an OpenCL device. */
static bool has_cufft(const struct gpu_device *dev) {
    static enum { UNTRIED, MISSING, LOADED } state;
    if (state == UNTRIED)
        state =
            load_cufft(strcmp(dev->backend->name, "cuda") == 0 ? dev->index : 0) ? LOADED : MISSING;
    return state == LOADED;
}

struct cufft_state {
    int type, plan;
    bool has_plan;
    device_pointer from, to;
};

static void close_cufft(void *context) {
    struct cufft_state *s = context;
    if (s->has_plan)
        cufft.f.destroy(s->plan);
    if (s->from)
        cuda.f.release(s->from);
    if (s->to)
        cuda.f.release(s->to);
    free(s);
}

static bool prepare_cufft(struct cufft_state *s, const struct bench_fft *f) {
    static const int types[2][2] = {{C2C, R2C}, {Z2Z, D2Z}};
    int n = (int)f->plan.n;
    s->type = types[f->plan.precision][f->plan.is_real];
    s->has_plan =
        cufft.f.plan_many(&s->plan, 1, &n, NULL, 1, 0, NULL, 1, 0, s->type, (int)f->batch) == 0;
    return s->has_plan && cuda.f.alloc(&s->from, bench_fft_from(f)) == 0 &&
           cuda.f.alloc(&s->to, bench_fft_to(f)) == 0 &&
           cuda.f.to_device(s->from, f->x, bench_fft_from(f)) == 0;
}

static void *open_cufft(const struct bench_fft *f, const struct gpu_device *dev) {
    struct cufft_state *s = has_cufft(dev) ? calloc(1, sizeof *s) : NULL;
    if (s && !prepare_cufft(s, f)) {
        close_cufft(s);
        return NULL;
    }
    return s;
}

static int execute_cufft(const struct cufft_state *s) {
    void *from = (void *)(uintptr_t)s->from, *to = (void *)(uintptr_t)s->to;
    switch (s->type) {
    case C2C:
        return cufft.f.c2c(s->plan, from, to, FORWARD);
    case Z2Z:
        return cufft.f.z2z(s->plan, from, to, FORWARD);
    case R2C:
        return cufft.f.r2c(s->plan, from, to);
    default:
        return cufft.f.d2z(s->plan, from, to);
    }
}

static int run_cufft(void *context, int times) {
    int failed = 0;
    for (int i = 0; i < times && !failed; i++)
        failed = execute_cufft(context);
    return cuda.f.synchronize() || failed;
}

static int fetch_cufft(void *context, struct bench_fft *f) {
    const struct cufft_state *s = context;
    return cuda.f.to_host(f->z, s->to, bench_fft_to(f));
}

static const struct bench_peer peer_cufft = {"cufft", open_cufft, close_cufft, run_cufft,
                                             fetch_cufft};

/* ---- FFTW, with one thread for each compute unit of the device.  libfftw3 and libfftw3f differ
 * only in the type of values */

enum { MEASURE = 0, PRESERVE_INPUT = 16, ESTIMATE = 64, ALIGNMENT = 64 };

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
static const char *const fftw_names[2][NAMES] = {
    {"fftwf_init_threads", "fftwf_plan_with_nthreads", "fftwf_plan_many_dft",
     "fftwf_plan_many_dft_r2c", "fftwf_execute", "fftwf_destroy_plan"},
    {"fftw_init_threads", "fftw_plan_with_nthreads", "fftw_plan_many_dft", "fftw_plan_many_dft_r2c",
     "fftw_execute", "fftw_destroy_plan"}};

_Static_assert(sizeof(struct fftw) == sizeof fftw_names[0], "a name for each");

/* Libraries with FFTW's thread functions, for floats and for doubles.  Each depends on FFTW's main
 * library, so that both are loaded. */
static const char *const fftw_libraries[2][3] = {
    {"libfftw3f_threads.so.3", "libfftw3f_omp.so.3", NULL},
    {"libfftw3_threads.so.3", "libfftw3_omp.so.3", NULL}};

static union {
    struct fftw f;
    void *symbols[NAMES];
} fftw[2];

static bool has_fftw(enum fft_precision precision, const struct gpu_device *dev) {
    static enum { UNTRIED, MISSING, LOADED } states[2];
    if (states[precision] == UNTRIED) {
        void *library = open_library(fftw_libraries[precision]);
        bool found =
            library && find_symbols(library, fftw_names[precision], fftw[precision].symbols, NAMES);
        states[precision] = found && fftw[precision].f.init_threads() ? LOADED : MISSING;
        if (states[precision] == LOADED)
            fftw[precision].f.use_threads((int)dev->caps.compute_units);
    }
    return states[precision] == LOADED;
}

struct fftw_state {
    const struct fftw *fftw;
    void *plan, *from, *to;
};

static void close_fftw(void *context) {
    struct fftw_state *s = context;
    if (s->plan)
        s->fftw->destroy(s->plan);
    free(s->from);
    free(s->to);
    free(s);
}

static void *aligned(size_t bytes) {
    return aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

/* Allocates the arrays and makes a plan.  Fills the arrays afterwards, because planning may
 * overwrite them. */
static bool prepare_fftw(struct fftw_state *s, const struct bench_fft *f, unsigned flags) {
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
    struct fftw_state *s = has_fftw(f->plan.precision, dev) ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return NULL;
    s->fftw = &fftw[f->plan.precision].f;
    if (prepare_fftw(s, f, flags | PRESERVE_INPUT))
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
    const struct fftw_state *s = context;
    for (int i = 0; i < times; i++)
        s->fftw->execute(s->plan);
    return 0;
}

static int fetch_fftw(void *context, struct bench_fft *f) {
    const struct fftw_state *s = context;
    memcpy(f->z, s->to, bench_fft_to(f));
    return 0;
}

static const struct bench_peer peer_fftw_measure = {"fftw-measure", open_measure, close_fftw,
                                                    run_fftw, fetch_fftw};
static const struct bench_peer peer_fftw_estimate = {"fftw-estimate", open_estimate, close_fftw,
                                                     run_fftw, fetch_fftw};

/* ---- which one */

/* Above this number of values, FFTW chooses its plan by estimates instead of measurements. */
static const uint64_t measured_values = UINT64_C(1) << 20;

const struct bench_peer *bench_fft_peer(const struct bench_fft *f, const struct gpu_device *dev) {
    if (dev->caps.is_cpu)
        return f->plan.n * f->batch <= measured_values ? &peer_fftw_measure : &peer_fftw_estimate;
    return strncmp(dev->caps.vendor, "NVIDIA", 6) == 0 ? &peer_cufft : NULL;
}
