/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A GMP program for test_deviceusers.sh that also uses OpenCL itself, in the same thread and on
 * the same device. It uses a context, a queue and a kernel before, between and after products.
 * Exit status 77: no OpenCL here. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>

#include "tests/support/products.h"

enum { WORDS = 1 << 16 };

static void *loader;
#define CL(name) ((__typeof__(&name))dlsym(loader, #name))

static const char source[] =
    "__kernel void add(__global uint *p, uint x) { p[get_global_id(0)] += x; }";

struct user {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem memory;
    cl_uint sum; /* the sum of all values added so far, which `memory` must contain */
};

static void expect(cl_int status, const char *what) {
    if (status != CL_SUCCESS)
        fail(what);
}

/* Opens an OpenCL device, builds the kernel and clears the buffer. Returns 0 if there is no
 * device. */
static int begin(struct user *u) {
    cl_platform_id platform;
    cl_int status;
    const char *text = source;
    loader = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (!loader || CL(clGetPlatformIDs)(1, &platform, NULL) != CL_SUCCESS ||
        CL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 1, &u->device, NULL) != CL_SUCCESS)
        return 0;
    u->context = CL(clCreateContext)(NULL, 1, &u->device, NULL, NULL, &status);
    expect(status, "context");
    u->queue = CL(clCreateCommandQueue)(u->context, u->device, 0, &status);
    expect(status, "queue");
    cl_program program = CL(clCreateProgramWithSource)(u->context, 1, &text, NULL, &status);
    expect(status, "program");
    expect(CL(clBuildProgram)(program, 1, &u->device, "", NULL, NULL), "build");
    u->kernel = CL(clCreateKernel)(program, "add", &status);
    expect(status, "kernel");
    CL(clReleaseProgram)(program);
    u->memory = CL(clCreateBuffer)(u->context, CL_MEM_READ_WRITE, WORDS * 4, NULL, &status);
    expect(status, "buffer");
    static const cl_uint zeros[WORDS];
    expect(CL(clEnqueueWriteBuffer)(u->queue, u->memory, CL_TRUE, 0, sizeof zeros, zeros, 0, NULL,
                                    NULL),
           "write");
    return 1;
}

/* Starts the program's kernel without waiting, so that it runs at the same time as the next
 * product. */
static void add(struct user *u, cl_uint x) {
    size_t global = WORDS;
    expect(CL(clSetKernelArg)(u->kernel, 0, sizeof u->memory, &u->memory), "argument");
    expect(CL(clSetKernelArg)(u->kernel, 1, sizeof x, &x), "argument");
    expect(CL(clEnqueueNDRangeKernel)(u->queue, u->kernel, 1, NULL, &global, NULL, 0, NULL, NULL),
           "launch");
    expect(CL(clFlush)(u->queue), "flush");
    u->sum += x;
}

static void check(const struct user *u) {
    static cl_uint back[WORDS];
    expect(
        CL(clEnqueueReadBuffer)(u->queue, u->memory, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL),
        "read");
    for (int i = 0; i < WORDS; i++) {
        if (back[i] != u->sum)
            fail("its memory on the device is wrong");
    }
}

static void end(struct user *u) {
    expect(CL(clReleaseMemObject)(u->memory), "release");
    expect(CL(clReleaseKernel)(u->kernel), "release");
    expect(CL(clReleaseCommandQueue)(u->queue), "release");
    expect(CL(clReleaseContext)(u->context), "release");
}

int main(void) {
    struct user u = {.sum = 0};
    if (!begin(&u))
        return 77;
    for (cl_uint i = 1; i <= 10; i++) {
        add(&u, i);
        multiply(60000);
        check(&u);
    }
    end(&u);
    multiply(60000);
    printf("%u added, products beside it right\n", (unsigned)u.sum);
    return 0;
}
