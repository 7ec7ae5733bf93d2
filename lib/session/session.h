/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The devices of this process, and the operations that run on them. There is one device unless
 * the option `device` names several. Devices are opened once, in the background, at the first
 * operation above its threshold. */
#ifndef MPGPU_SESSION_H
#define MPGPU_SESSION_H

#include "lib/base/outcome.h"
#include "lib/device/context.h"

/* Runs one operation: calls work(s, copy of {argument, size}) with size <= SESSION_ARGUMENT, in
 * a thread that calls devices (lib/process/executor.h). Afterwards copies the argument back to
 * *argument, unless `work` returns GPU_NOMEM.
 * Opens the device at first use; waits until it is open only with open:wait. Each device has
 * several streams, so that operations of several threads run at once. If memory does not
 * suffice, repeats the operation without others on the device.
 * Before this call, the caller touches the program's memory (lib/memory/touch.h); `work` may
 * access it only through lib/transfer/transfer.h. The time limit follows from the option
 * `watchdog` and from `bytes`, the bytes of operands and result. If `work` takes longer, the
 * library stops using the device, and the call returns.
 * Returns OUTCOME_DONE, or why the operation was not done. GPU_FAILED or GPU_NOBUILD counts as a
 * fault; after three faults the library stops using the device. */
enum { SESSION_ARGUMENT = 1536 }; /* bytes */
enum outcome session_run(enum gpu_status (*work)(struct context *s, void *argument), void *argument,
                         size_t size, size_t bytes);

/* As session_run, for a job (an operation whose arguments name no device memory). It may also
 * run on devices that only accept jobs (gpu_caps.jobs_only). */
enum outcome session_run_job(enum gpu_status (*work)(struct context *s, void *argument),
                             void *argument, size_t size, size_t bytes);

/* Makes session_run call `work` in the calling thread. For a server, whose threads serve other
 * processes and have no signal handlers. Call it before any session_run. */
void session_run_here(void);

/* Uses the devices {dev, count}, which the caller has opened and keeps open, instead of the
 * devices of the option `device`. Prepares them in the background. Returns how many of the first
 * devices were accepted; a device's number is its index. Call it after session_init, before
 * operations. */
unsigned session_adopt(const struct gpu_device *dev, unsigned count);

/* session_close_devices closes the contexts of adopted devices; session_open_again creates them
 * again on {dev, ...}, the same devices opened anew. The caller begins no operation in between.
 * If operations take longer than a second, or the library has stopped using a device,
 * session_close_devices changes nothing and returns false. If session_open_again returns false,
 * no operation may begin any more. */
bool session_close_devices(void);
bool session_open_again(const struct gpu_device *dev);

/* Returns how many times small products were launched so far. */
unsigned session_launches(void);

/* Releases device memory that contexts keep from one operation to the next. Does nothing if the
 * operations in progress do not end within a second. */
void session_trim(void);

/* As session_run, for work that only downloads data or releases memory. Also runs on a device
 * that the library has stopped using, if the device still answers. is_once: the work must not be
 * repeated, such as a release. If a signal handler takes too long during such work, returns
 * OUTCOME_FAILED; the work has been done. */
enum outcome session_rescue(enum gpu_status (*work)(struct context *s, void *argument),
                            void *argument, size_t size, size_t bytes, bool is_once);

struct direct_product;

/* Computes small products (lib/multiply/direct.h), together with small products of other
 * threads. Returns true if it ran: *outcome is then OUTCOME_DONE, or why some products failed.
 * Returns false if the caller must call session_run. */
bool session_run_products(struct direct_product *p, unsigned count, enum outcome *outcome);

/* Returns true if the device can compute this product by session_run_products. Only sets
 * p->plan. */
bool session_fits_product(struct direct_product *p);

struct coalesce_source;
struct coalesce_block;

/* session_add_slots accepts small products of another process on the open device `number`
 * (lib/session/coalesce_launcher.h). Their operands are in slots after the block; both must remain
 * until session_remove_slots. may_view: this memory is page-locked. session_ring_slots announces
 * that products are pending. */
enum gpu_status session_add_slots(unsigned number, struct coalesce_source *source,
                                  struct coalesce_block *block, bool may_view);
void session_ring_slots(unsigned number);
void session_remove_slots(unsigned number, struct coalesce_source *source);

/* Opening a device costs time, so it begins only after GMP has spent enough time in calls above
 * their thresholds (lib/session/start/contact.h). session_add_gmp_time adds `ns` nanoseconds to
 * this sum. session_expect(ns) is for a call that GMP is about to compute in at least `ns`
 * nanoseconds. If the sum plus `ns` suffices, begins to open the device; if a server runs and `ns`
 * is long, waits for the server for at most half of `ns`. Returns OUTCOME_DONE if the device is
 * open. Any thread. */
void session_add_gmp_time(int64_t ns);
enum outcome session_expect(int64_t ns);

/* Returns true if GMP has not yet spent enough time to open a device; GMP then computes the
 * call. */
bool session_defers_contact(void);

/* Returns OUTCOME_DONE if session_run could start an operation now, otherwise the outcome that
 * it would return. */
enum outcome session_ready(void);

/* Counts a fault of the device that the calling thread has used last. Call it if a check of the
 * result on the host (option `verify`) failed after session_run. Any thread. */
void session_fault(void);

/* Starts opening the device if this has not begun, and waits until it is open. Returns
 * OUTCOME_DONE, or why there is no device. In a signal handler it only returns OUTCOME_OPENING,
 * because opening calls malloc, which the signal may have interrupted. Any thread. */
enum outcome session_wait(void);

/* ---- several devices */

/* Devices have numbers from 0, in the order of the option `device`. SESSION_ANY stands for the
 * device expected to finish a call first. */
enum { SESSION_DEVICES = CONTEXT_DEVICES, SESSION_ANY = -1 };

/* Sets number[], of SESSION_DEVICES elements, to the usable devices in ascending order, and
 * returns their count. Leaves out devices that accept only jobs. */
unsigned session_devices(unsigned *number);

/* Sets number[] to the usable devices in ascending order, with devices of other servers of a
 * group, which accept only jobs (gpu_caps.jobs_only). Returns their count; 0 if there is no such
 * device. */
unsigned session_devices_of_group(unsigned *number);

/* Sets number[] to usable devices that have no call now, in ascending order, and returns their
 * count. Leaves out devices whose number of compute units differs much from the first device's.
 * Sets *peers if each can copy from the memory of the others (gpu_peer_copy). */
unsigned session_devices_idle(unsigned *number, bool *peers);

/* Sets whether the calling thread's operations belong to a call that was already counted in the
 * statistics of its device. */
void session_set_counted(bool is_counted);

/* Returns true if the device can be used now. SESSION_ANY: returns true if any device can. */
bool session_is_usable(int device);

/* session_bind makes the calling thread's operations run on this device only, until the next
 * session_bind; returns the previous binding. Operations on data that is stored on a device need
 * it. session_bound returns the current binding. */
int session_bind(int device);
int session_bound(void);

/* For the calling thread, restricts SESSION_ANY to a set of devices, a bit each. 0: all devices. */
void session_allow(uint32_t devices);

/* Returns the server's devices that may run the calling thread's jobs, as bits of gpu_caps.jobs.
 * Returns 0 if the thread is bound to a device, or if the devices belong to this process. */
uint32_t session_devices_there(void);

/* Returns true if the usable devices belong to mpgpu-serve. */
bool session_is_served(void);

/* Returns the device on which to store data that several operations will use: the thread's bound
 * device, or the usable device with the least memory in use. */
int session_least_used(void);

/* Sets *work to what device i of this process has done, for statistics and messages. Calls are
 * counted only if statistics are on. Returns false if there is no device i. */
struct session_work {
    char about[512]; /* as session_describe */
    bool is_used;    /* operations can use the device now */
    uint64_t calls, ns;
};
bool session_ask_work(unsigned i, struct session_work *work);

/* Sets *dev to the open device with this number.  Returns false if the device cannot be used. */
bool session_ask_device(int device, struct gpu_device *dev);

/* ---- */

/* Writes a line about the device ("cuda: NVIDIA H200, driver ..."), or why there is none, for
 * statistics and messages. With several devices the lines are joined. */
void session_describe(char *text, size_t size);

/* Sets *dev to the first open device and *p to its profile. Returns OUTCOME_DONE, or why there is
 * none. */
enum outcome session_profile(struct gpu_device *dev, struct profile *p);

/* Replaces the profile of all devices by *p, for measurements. */
void session_use_profile(const struct profile *p);

/* Makes devices open even if their thresholds are all `never`, for measurements. Call it before
 * a device is opened. */
void session_open_any(void);

/* Makes the library print one line on standard error if the device named by the options cannot
 * be used. For programs that print no such message themselves. Call it before any other function
 * that may open a device. */
void session_say_missing(void);

/* Reads the options and sets the thresholds to the smallest of all device profiles. Calls no
 * driver. Only the first call has an effect; any thread. */
void session_init(void);

/* Checks whether there may be a GPU; if not, sets the thresholds of CPUs. Called at the first
 * GMP call above the initial thresholds. Only the first call has an effect; any thread, also in
 * a signal handler. */
void session_look(void);

/* Called when the program is about to filter its system calls (seccomp). Unless a device is
 * being opened or the options name a device, this process will then use no device, and GMP
 * computes. Any thread. */
void session_expect_filter(void);

#endif
