/* SPDX-License-Identifier: LGPL-3.0-or-later
 * cuFFT's transforms, in memory of their own in the GPU's primary context, so that they also stand
 * beside ours by OpenCL. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/fft/bench_fft.h"

/* ---- the driver's functions and cuFFT's, as their headers declare them */

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

/* Loaded once; the primary context stays until the program ends. */
static union {
    struct driver f;
    void *symbols[DRIVER_NAMES];
} cuda;
static union {
    struct cufft f;
    void *symbols[CUFFT_NAMES];
} cufft;

static bool load(int ordinal) {
    int device;
    void *context, *driver = bench_library(driver_libraries);
    void *library = driver ? bench_library(cufft_libraries) : NULL;
    return library && bench_symbols(driver, driver_names, cuda.symbols, DRIVER_NAMES) &&
           bench_symbols(library, cufft_names, cufft.symbols, CUFFT_NAMES) && cuda.f.init(0) == 0 &&
           cuda.f.device_get(&device, ordinal) == 0 && cuda.f.retain(&context, device) == 0 &&
           cuda.f.set_current(context) == 0;
}

/* The device of that number for CUDA; for OpenCL, whose numbers are others, the first. */
static bool is_loaded(const struct gpu_device *dev) {
    static enum { UNTRIED, MISSING, LOADED } state;
    if (state == UNTRIED)
        state = load(strcmp(dev->backend->name, "cuda") == 0 ? dev->index : 0) ? LOADED : MISSING;
    return state == LOADED;
}

/* ---- one transform */

struct state {
    int type, plan;
    bool has_plan;
    device_pointer from, to;
};

static void close_cufft(void *context) {
    struct state *s = context;
    if (s->has_plan)
        cufft.f.destroy(s->plan);
    if (s->from)
        cuda.f.release(s->from);
    if (s->to)
        cuda.f.release(s->to);
    free(s);
}

static bool prepare(struct state *s, const struct bench_fft *f) {
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
    struct state *s = is_loaded(dev) ? calloc(1, sizeof *s) : NULL;
    if (s && !prepare(s, f)) {
        close_cufft(s);
        return NULL;
    }
    return s;
}

static int execute(const struct state *s) {
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
        failed = execute(context);
    return cuda.f.synchronize() || failed;
}

static int fetch_cufft(void *context, struct bench_fft *f) {
    const struct state *s = context;
    return cuda.f.to_host(f->z, s->to, bench_fft_to(f));
}

const struct bench_peer bench_cufft = {"cufft", open_cufft, close_cufft, run_cufft, fetch_cufft};
