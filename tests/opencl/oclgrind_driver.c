/* SPDX-License-Identifier: LGPL-3.0-or-later
 * An OpenCL driver that calls Oclgrind, with three changes against faults of Oclgrind.
 * If a command of the host writes a part of a buffer, Oclgrind 21.10 marks the memory behind that
 * part as uninitialised. It also marks the part itself, unless the part is at the buffer's start.
 * So this driver writes the part by a kernel instead.
 * If a new buffer gets the address of a released buffer, Oclgrind records its state only up to the
 * old buffer's length. So this driver releases no buffer.
 * Oclgrind crashes (SIGSEGV) if a thread that never created a context executes a command of the
 * host. So this driver creates a context in each thread first.
 * OCLGRIND_DRIVER names Oclgrind's library. The driver appends each launch to the file
 * OCLGRIND_LAUNCHES, if that is set: the kernel's name and the build options of its program. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct _cl_platform_id { /* each object of a driver begins with its table of functions */
    cl_icd_dispatch *functions;
};

/* cl: the driver's table, changed here; oclgrind: Oclgrind's own functions */
static cl_icd_dispatch *cl, oclgrind;

static void need(int holds, const char *what) {
    if (holds)
        return;
    fprintf(stderr, "oclgrind_driver: %s failed\n", what);
    abort();
}

/* Creates a context in a thread that has none yet: Oclgrind allocates the thread's memory then. The
 * context is not released, because Oclgrind would free that memory. */
static void enter(cl_command_queue queue) {
    static _Thread_local int is_ready;
    cl_device_id device = NULL;
    cl_int error;
    if (is_ready)
        return;
    oclgrind.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    need(oclgrind.clCreateContext(NULL, 1, &device, NULL, NULL, &error) != NULL, "clCreateContext");
    is_ready = 1;
}

/* The functions that may execute commands of a queue, in addition to those below. */
static cl_int CL_API_CALL flush(cl_command_queue queue) {
    enter(queue);
    return oclgrind.clFlush(queue);
}

static cl_int CL_API_CALL finish(cl_command_queue queue) {
    enter(queue);
    return oclgrind.clFinish(queue);
}

static cl_int CL_API_CALL wait_for(cl_uint count, const cl_event *events) {
    cl_command_queue queue = NULL;
    for (cl_uint i = 0; i < count && !queue; i++) /* an event of the host has no queue */
        oclgrind.clGetEventInfo(events[i], CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL);
    if (queue)
        enter(queue);
    return oclgrind.clWaitForEvents(count, events);
}

static cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem from, cl_bool blocks,
                                      size_t offset, size_t bytes, void *to, cl_uint count,
                                      const cl_event *events, cl_event *event) {
    enter(queue);
    return oclgrind.clEnqueueReadBuffer(queue, from, blocks, offset, bytes, to, count, events,
                                        event);
}

static void *CL_API_CALL map_buffer(cl_command_queue queue, cl_mem mem, cl_bool blocks,
                                    cl_map_flags flags, size_t offset, size_t bytes, cl_uint count,
                                    const cl_event *events, cl_event *event, cl_int *error) {
    enter(queue);
    return oclgrind.clEnqueueMapBuffer(queue, mem, blocks, flags, offset, bytes, count, events,
                                       event, error);
}

static cl_context context_of(cl_command_queue queue) {
    cl_context context = NULL;
    oclgrind.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    return context;
}

/* Returns the program whose kernels copy buffers. It is built when the context changes. */
static cl_program copier(cl_context context) {
    static const char *text =
        "kernel void wide(global const ulong4 *from, global ulong4 *to, ulong at, ulong begin) {"
        "    to[at + get_global_id(0)] = from[begin + get_global_id(0)]; }"
        "kernel void bytes(global const uchar *from, global uchar *to, ulong at, ulong begin) {"
        "    to[at + get_global_id(0)] = from[begin + get_global_id(0)]; }";
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static cl_context of;
    static cl_program program;
    cl_int error = CL_SUCCESS;
    pthread_mutex_lock(&mutex);
    if (of != context) {
        program = oclgrind.clCreateProgramWithSource(context, 1, &text, NULL, &error);
        need(error == CL_SUCCESS, "clCreateProgramWithSource");
        need(!oclgrind.clBuildProgram(program, 0, NULL, "-O0", NULL, NULL), "clBuildProgram");
        of = context;
    }
    pthread_mutex_unlock(&mutex);
    return program;
}

/* Copies elements begin to begin + count - 1 of `from` to elements `at` and above of `to`, by the
 * kernel `name`. Waits until the kernel has ended. */
static void launch(cl_command_queue queue, const char *name, cl_mem from, cl_mem to, cl_ulong at,
                   cl_ulong begin, size_t count) {
    cl_int error;
    if (count == 0)
        return;
    cl_kernel kernel = oclgrind.clCreateKernel(copier(context_of(queue)), name, &error);
    need(error == CL_SUCCESS, "clCreateKernel");
    need(!oclgrind.clSetKernelArg(kernel, 0, sizeof from, &from) &&
             !oclgrind.clSetKernelArg(kernel, 1, sizeof to, &to) &&
             !oclgrind.clSetKernelArg(kernel, 2, sizeof at, &at) &&
             !oclgrind.clSetKernelArg(kernel, 3, sizeof begin, &begin),
         "clSetKernelArg");
    need(!oclgrind.clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL) &&
             !oclgrind.clFinish(queue),
         "the copy");
    oclgrind.clReleaseKernel(kernel);
}

/* Copies `bytes` bytes from the start of the buffer `from` to `to` + offset. */
static void copy_by_kernel(cl_command_queue queue, cl_mem from, cl_mem to, size_t offset,
                           size_t bytes) {
    const size_t wide = sizeof(cl_ulong4), whole = offset % wide == 0 ? bytes / wide : 0;
    launch(queue, "wide", from, to, offset / wide, 0, whole);
    launch(queue, "bytes", from, to, offset + whole * wide, whole * wide, bytes - whole * wide);
}

/* Returns true if these bytes are all of the buffer. */
static int is_all(cl_mem mem, size_t offset, size_t bytes) {
    size_t size = 0;
    oclgrind.clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof size, &size, NULL);
    return offset == 0 && bytes == size;
}

/* Returns a temporary buffer, into which a command of the queue then writes. */
static cl_mem place(cl_command_queue queue, size_t bytes) {
    cl_int error;
    cl_mem mem = oclgrind.clCreateBuffer(context_of(queue), CL_MEM_READ_WRITE, bytes, NULL, &error);
    need(error == CL_SUCCESS, "clCreateBuffer");
    return mem;
}

/* Copies the bytes from the temporary buffer `mem` to `to` + offset. Sets *event to an event for
 * this copy if `event` is not NULL. */
static cl_int put(cl_command_queue queue, cl_mem mem, cl_mem to, size_t offset, size_t bytes,
                  cl_event *event) {
    copy_by_kernel(queue, mem, to, offset, bytes);
    return event ? oclgrind.clEnqueueMarkerWithWaitList(queue, 0, NULL, event) : CL_SUCCESS;
}

static cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem to, cl_bool blocks,
                                       size_t offset, size_t bytes, const void *from, cl_uint count,
                                       const cl_event *events, cl_event *event) {
    enter(queue);
    if (is_all(to, offset, bytes))
        return oclgrind.clEnqueueWriteBuffer(queue, to, blocks, 0, bytes, from, count, events,
                                             event);
    cl_mem mem = place(queue, bytes);
    cl_int error =
        oclgrind.clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, bytes, from, count, events, NULL);
    return error ? error : put(queue, mem, to, offset, bytes, event);
}

static cl_int CL_API_CALL fill_buffer(cl_command_queue queue, cl_mem to, const void *pattern,
                                      size_t size, size_t offset, size_t bytes, cl_uint count,
                                      const cl_event *events, cl_event *event) {
    enter(queue);
    cl_mem mem = place(queue, bytes);
    char *all = malloc(bytes);
    need(all != NULL, "malloc");
    for (size_t i = 0; i < bytes; i++)
        all[i] = ((const char *)pattern)[i % size];
    cl_int error =
        oclgrind.clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, bytes, all, count, events, NULL);
    free(all);
    return error ? error : put(queue, mem, to, offset, bytes, event);
}

static cl_int CL_API_CALL copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                      size_t from_offset, size_t offset, size_t bytes,
                                      cl_uint count, const cl_event *events, cl_event *event) {
    enter(queue);
    if (is_all(to, offset, bytes))
        return oclgrind.clEnqueueCopyBuffer(queue, from, to, from_offset, 0, bytes, count, events,
                                            event);
    cl_mem mem = place(queue, bytes);
    cl_int error =
        oclgrind.clEnqueueCopyBuffer(queue, from, mem, from_offset, 0, bytes, count, events, NULL);
    return error ? error : put(queue, mem, to, offset, bytes, event);
}

/* Appends a line for a launch to the file OCLGRIND_LAUNCHES. Other processes append to it, too. */
static void record(cl_command_queue queue, cl_kernel kernel) {
    const char *path = getenv("OCLGRIND_LAUNCHES");
    char name[200] = "", options[800] = "", line[1100];
    cl_program program = NULL;
    cl_device_id device = NULL;
    if (!path)
        return;
    oclgrind.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    oclgrind.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    oclgrind.clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL);
    oclgrind.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof options,
                                   options, NULL);
    const int length = snprintf(line, sizeof line, "%s %s\n", name, options);
    const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    need(file >= 0 && write(file, line, (size_t)length) == length, path);
    close(file);
}

static cl_int CL_API_CALL launch_kernel(cl_command_queue queue, cl_kernel kernel,
                                        cl_uint dimensions, const size_t *offset,
                                        const size_t *size, const size_t *group, cl_uint count,
                                        const cl_event *events, cl_event *event) {
    enter(queue);
    record(queue, kernel);
    return oclgrind.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, size, group, count,
                                           events, event);
}

static cl_int CL_API_CALL release(cl_mem mem) {
    (void)mem;
    return CL_SUCCESS;
}

static void *symbol(const char *name) {
    static void *library;
    const char *path = getenv("OCLGRIND_DRIVER");
    if (!library)
        library = dlopen(path ? path : "liboclgrind-rt-icd.so", RTLD_NOW | RTLD_LOCAL);
    need(library != NULL, "dlopen of OCLGRIND_DRIVER");
    return dlsym(library, name);
}

CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint most, cl_platform_id *platforms,
                                                       cl_uint *count) {
    cl_api_clGetPlatformIDs get = (cl_api_clGetPlatformIDs)symbol("clIcdGetPlatformIDsKHR");
    cl_platform_id platform;
    if (!cl && get(1, &platform, NULL) == CL_SUCCESS) {
        cl = platform->functions;
        oclgrind = *cl;
        cl->clReleaseMemObject = release;
        cl->clEnqueueWriteBuffer = write_buffer;
        cl->clEnqueueFillBuffer = fill_buffer;
        cl->clEnqueueCopyBuffer = copy_buffer;
        cl->clEnqueueNDRangeKernel = launch_kernel;
        cl->clEnqueueReadBuffer = read_buffer;
        cl->clEnqueueMapBuffer = map_buffer;
        cl->clFlush = flush;
        cl->clFinish = finish;
        cl->clWaitForEvents = wait_for;
    }
    return get(most, platforms, count);
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info of,
                                                  size_t size, void *value, size_t *length) {
    return ((cl_api_clGetPlatformInfo)symbol("clGetPlatformInfo"))(platform, of, size, value,
                                                                   length);
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name) {
    if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
        return (void *)clIcdGetPlatformIDsKHR;
    return ((cl_api_clGetExtensionFunctionAddress)symbol("clGetExtensionFunctionAddress"))(name);
}
