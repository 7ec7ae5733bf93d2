/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The devices of this process, and the operations that run on them. There is one device unless the
 * option `device` names several. Devices are opened once, in the background, when GMP has spent
 * enough time in calls above their thresholds (lib/session/start/contact.h). */
#ifndef MPGPU_SESSION_H
#define MPGPU_SESSION_H

#include "lib/base/outcome.h"
#include "lib/device/context.h"

/* Runs one operation: calls work(s, copy) in a thread that calls devices (lib/process/executor.h),
 * or in the calling thread if a server owns the device. `copy` is a copy of the first `size` bytes
 * of *argument, size <= SESSION_ARGUMENT. Afterwards copies them back to *argument, unless `work`
 * returns GPU_NOMEM. If memory does not suffice, repeats the operation without other operations on
 * the device.
 *
 * The first call that session_defers_contact does not defer opens the device, and waits until it is
 * open only if the option `open` is `wait`. Operations of several threads run at once, because each
 * device has several streams.
 *
 * Before this call, the caller touches the program's memory (lib/memory/touch.h); `work` may access
 * that memory only through lib/transfer/transfer.h.
 *
 * The time limit depends on the option `watchdog` and on `bytes`, the bytes of operands and result.
 * If `work` takes longer, the library stops using the device, and the call returns.
 *
 * Returns OUTCOME_DONE, or the reason why the operation was not done. GPU_FAILED or GPU_NOBUILD
 * from `work` counts as a fault; after three faults the library stops using the device. */
enum { SESSION_ARGUMENT = 1536 }; /* bytes */
enum outcome session_run(enum gpu_status (*work)(struct context *s, void *argument), void *argument,
                         size_t size, size_t bytes);

/* Does the same as session_run for a job (an operation whose arguments name no device memory). A
 * job may also run on devices that accept only jobs (gpu_caps.jobs_only). */
enum outcome session_run_job(enum gpu_status (*work)(struct context *s, void *argument),
                             void *argument, size_t size, size_t bytes);

/* Makes session_run call `work` in the calling thread. Used in a server, whose threads serve other
 * processes and have no signal handlers. Call it before any session_run. */
void session_run_here(void);

/* Uses the `count` devices of dev[] instead of the devices of the option `device`. The caller has
 * opened them and does not close them. Prepares the devices in the background. Returns how many
 * devices, from dev[0] on, were accepted. A device's number is its index in `dev`. Call it after
 * session_init, before operations. */
unsigned session_adopt(const struct gpu_device *dev, unsigned count);

/* session_close_devices closes the contexts of the devices of session_adopt. If operations take
 * longer than a second, or the library has stopped using a device, it changes nothing and returns
 * false.
 *
 * session_open_again creates the contexts again on the devices dev[]. These are the same devices,
 * and the caller has opened them again. The caller begins no operation between the two calls. If
 * session_open_again returns false, no operation may begin any more. */
bool session_close_devices(void);
bool session_open_again(const struct gpu_device *dev);

/* Returns how many times small products were launched so far. */
unsigned session_launches(void);

/* Releases device memory that contexts retain from one operation to the next. Does nothing if the
 * operations in progress do not end within a second. */
void session_trim(void);

/* Does the same as session_run for work that only downloads data or releases memory. It also runs
 * on a device that the library has stopped using, if the device still answers. Set is_once if the
 * work must not be repeated, such as a release. If a signal handler takes too long during such
 * work, the work is still completed, but OUTCOME_FAILED is returned. */
enum outcome session_rescue(enum gpu_status (*work)(struct context *s, void *argument),
                            void *argument, size_t size, size_t bytes, bool is_once);

struct direct_product;

/* Computes small products (lib/multiply/direct.h), together with small products of other threads.
 * Returns true if it has run the products, or if no device can be used now: *outcome is then
 * OUTCOME_DONE, or the reason why some products were not computed. Returns false if the caller must
 * call session_run instead. */
bool session_run_products(struct direct_product *p, unsigned count, enum outcome *outcome);

/* Returns true if session_run_products can compute this product on the device. Sets p->plan then,
 * and nothing else. */
bool session_fits_product(struct direct_product *p);

struct coalesce_source;
struct coalesce_block;

/* session_add_slots accepts small products of another process on the open device `number`
 * (lib/session/coalesce_launcher.h). Their operands are in slots, which follow *block in memory.
 * Block and slots must remain valid until session_remove_slots. may_view: this memory is
 * page-locked, and kernels may access it. session_ring_slots reports that products are pending. */
enum gpu_status session_add_slots(unsigned number, struct coalesce_source *source,
                                  struct coalesce_block *block, bool may_view);
void session_ring_slots(unsigned number);
void session_remove_slots(unsigned number, struct coalesce_source *source);

/* A device is opened only after GMP has spent enough time in calls above their thresholds, because
 * opening takes time (lib/session/start/contact.h). session_add_gmp_time adds `ns` nanoseconds to
 * this time.
 *
 * Call session_expect for a call that GMP is about to compute in at least `ns` nanoseconds. If the
 * time spent plus `ns` suffices, session_expect begins to open the device. If a server runs and
 * `ns` is long, session_expect waits for the server for at most half of `ns`. Returns OUTCOME_DONE
 * if the device is open. Any thread may call both functions. */
void session_add_gmp_time(int64_t ns);
enum outcome session_expect(int64_t ns);

/* Returns true if GMP has not yet spent enough time to open a device; GMP then computes the
 * call. */
bool session_defers_contact(void);

/* Returns OUTCOME_DONE if session_run could start an operation now, otherwise the outcome that
 * it would return. */
enum outcome session_ready(void);

/* Counts a fault of the device that the calling thread has used last. Call it if a check of the
 * result on the host (option `verify`) failed after session_run. Any thread may call it. */
void session_fault(void);

/* Starts opening the device if this has not begun, and waits until it is open. Returns
 * OUTCOME_DONE, or the reason why there is no device. In a signal handler it neither opens nor
 * waits, because opening calls malloc, which the signal may have interrupted. Any thread may call
 * it. */
enum outcome session_wait(void);

/* ---- several devices */

/* Devices have numbers from 0, in the order of the option `device`. SESSION_ANY stands for the
 * device that is expected to finish a call first. */
enum { SESSION_DEVICES = CONTEXT_DEVICES, SESSION_ANY = -1 };

/* Sets number[], of SESSION_DEVICES elements, to the numbers of the usable devices in ascending
 * order, and returns their count. Omits devices that accept only jobs. */
unsigned session_devices(unsigned *number);

/* Sets number[] to the numbers of the usable devices in ascending order. Includes devices of other
 * servers that form a group with this process's server (tools/serve/group/). Such devices accept
 * only jobs (gpu_caps.jobs_only). Returns the count; 0 if there is no such device. */
unsigned session_devices_of_group(unsigned *number);

/* Sets number[] to the numbers of usable devices that have no call now, in ascending order, and
 * returns their count. Omits devices whose number of compute units differs much from the first
 * device's. Sets *peers to true if each device can copy from the memory of the others
 * (gpu_peer_copy). */
unsigned session_devices_idle(unsigned *number, bool *peers);

/* Sets whether the calling thread's operations are parts of a call that the statistics of their
 * device have already counted. */
void session_set_counted(bool is_counted);

/* Returns true if the device can be used now. SESSION_ANY: returns true if any device can. */
bool session_is_usable(int device);

/* session_bind makes the calling thread's operations run on this device only, until the next
 * session_bind. Bind the thread before operations on data that is stored on the device.
 * session_bind returns the previous binding, session_bound the current one. */
int session_bind(int device);
int session_bound(void);

/* Sets which devices SESSION_ANY stands for in the calling thread, as a bit mask of device numbers;
 * 0 means all devices. */
void session_allow(uint32_t devices);

/* Returns which of the server's devices may run the calling thread's jobs, as a bit mask like
 * gpu_caps.jobs. Returns 0 if the thread is bound to a device, or if the devices belong to this
 * process. */
uint32_t session_devices_there(void);

/* Returns true if the usable devices belong to mpgpu-serve. */
bool session_is_served(void);

/* Returns the device on which data for several operations should be stored: the thread's bound
 * device, otherwise the usable device with the least memory in use. */
int session_least_used(void);

/* Sets *work to statistics of what device i of this process has done. Calls are counted only if
 * statistics are on. Returns false if there is no device i. */
struct session_work {
    char about[512]; /* as session_describe */
    bool is_used;    /* operations can use the device now */
    uint64_t calls, ns;
};
bool session_ask_work(unsigned i, struct session_work *work);

/* Sets *dev to the open device with this number.  Returns false if the device cannot be used. */
bool session_ask_device(int device, struct gpu_device *dev);

/* ---- */

/* Writes a line about the device ("cuda: NVIDIA H200, driver ..."), or about the reason why there
 * is none, for statistics and messages. Joins the lines of several devices. */
void session_describe(char *text, size_t size);

/* Sets *dev to the first open device and *p to its profile. Returns OUTCOME_DONE, or the reason why
 * there is no device. */
enum outcome session_profile(struct gpu_device *dev, struct profile *p);

/* Replaces the profile of all devices by *p. Used for measurements. */
void session_use_profile(const struct profile *p);

/* Opens devices even if their thresholds are all `never`. Used for measurements. Call it before a
 * device is opened. */
void session_open_any(void);

/* Makes the library print one line on standard error if the device that the options name cannot be
 * used. Used by programs that print no such message themselves. Call it before any other function
 * that may open a device. */
void session_say_missing(void);

/* Reads the options and sets the thresholds to the smallest of all device profiles. Calls no
 * driver. Only the first call has an effect; any thread may call it. */
void session_init(void);

/* Checks whether this machine may have a GPU; if not, sets the thresholds of CPUs. Only the first
 * call has an effect. Any thread may call it, also in a signal handler. */
void session_look(void);

/* Called when the program is about to filter its system calls (seccomp). From then on this process
 * uses no device, and GMP computes, unless a device is already being opened or the options name a
 * device. Any thread may call it. */
void session_expect_filter(void);

#endif
