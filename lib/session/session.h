/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The devices of this process, and the operations that run on them. There is one device unless the
 * option `device` lists several. Devices are opened once, in the background, at the first operation
 * above the threshold. */
#ifndef MPGPU_SESSION_H
#define MPGPU_SESSION_H

#include "lib/base/outcome.h"
#include "lib/device/context.h"

/* Runs one operation: work(s, copy of {argument, size}), size <= SESSION_ARGUMENT, in a thread that
 * calls devices (lib/process/executor.h). Copies the argument back to *argument, unless `work`
 * returns GPU_NOMEM.
 * Opens the device at first use; waits for it only with open:wait. Operations of several threads
 * run at once while there are streams. If memory does not suffice, repeats the operation alone.
 * The caller touches the program's memory first (lib/memory/touch.h); `work` accesses it only
 * through lib/transfer/transfer.h. If `work` takes longer than the option `watchdog` allows for
 * `bytes` bytes of operands and result, the device is left alone, and the call returns.
 * Returns OUTCOME_DONE, or why the operation was not done. GPU_FAILED or GPU_NOBUILD counts as a
 * fault; after three faults the device is left alone. */
enum { SESSION_ARGUMENT = 1536 }; /* bytes */
enum outcome session_run(enum gpu_status (*work)(struct context *s, void *argument), void *argument,
                         size_t size, size_t bytes);

/* As session_run, for a job that names no device memory: also runs on a device that accepts jobs
 * alone. */
enum outcome session_run_job(enum gpu_status (*work)(struct context *s, void *argument),
                             void *argument, size_t size, size_t bytes);

/* Makes session_run call `work` in the calling thread, which serves another process and has no
 * signal handlers. Call it before any session_run. */
void session_run_here(void);

/* Opens these devices in the background, instead of the devices that the options name. Their owner
 * has opened them and keeps them open. Returns the count of devices that got a number; they are the
 * first of `dev`, and their number is their index. Call it after session_init, before operations.
 */
unsigned session_adopt(const struct gpu_device *dev, unsigned count);

/* session_close_devices closes the contexts of adopted devices; session_open_again makes them again
 * on {dev, ...}, the same devices opened anew. No operation begins between the two.
 * session_close_devices returns false, and changes nothing, if operations take longer than a second
 * or a device is left alone. After session_open_again has returned false, no operation may begin
 * any more. */
bool session_close_devices(void);
bool session_open_again(const struct gpu_device *dev);

/* Returns the count of launches of small products so far. */
unsigned session_launches(void);

/* Releases device memory that contexts keep from one operation to the next, if no operation is
 * under way within a second. */
void session_trim(void);

/* As session_run, for work that only downloads data or releases memory: also runs on a device that
 * is left alone, while it answers. is_once: the work must not be repeated, such as a release. If a
 * signal handler takes too long during such work, returns OUTCOME_FAILED; the work has been done.
 */
enum outcome session_rescue(enum gpu_status (*work)(struct context *s, void *argument),
                            void *argument, size_t size, size_t bytes, bool is_once);

struct direct_product;

/* Computes small products (lib/multiply/direct.h), together with products of other threads. Returns
 * true if it ran: *outcome is OUTCOME_DONE, or why some products failed. Returns false if the
 * caller must call session_run. */
bool session_run_products(struct direct_product *p, unsigned count, enum outcome *outcome);

/* Returns true if the device would compute this product by session_run_products. Only sets p->plan.
 */
bool session_fits_product(struct direct_product *p);

struct gather_source;
struct gather_block;

/* session_add_slots accepts small products of another process on the open device `number`
 * (lib/session/gather_launcher.h). The slots are behind the block; both must stay until
 * session_remove_slots. may_view: this memory is page-locked. session_ring_slots announces pending
 * products. */
enum gpu_status session_add_slots(unsigned number, struct gather_source *source,
                                  struct gather_block *block, bool may_view);
void session_ring_slots(unsigned number);
void session_remove_slots(unsigned number, struct gather_source *source);

/* session_pay counts `ns` nanoseconds that GMP has spent in calls above their thresholds.
 * session_expect counts the least time of a call that GMP would begin now. The first call after the
 * sum suffices opens the device (lib/session/start/rent.h): a program that makes no further call
 * does not pay for it. If a server runs, session_expect waits for it, for at most half of a long
 * `ns`. It returns OUTCOME_DONE if the device is open. Any thread. */
void session_pay(int64_t ns);
enum outcome session_expect(int64_t ns);

/* Returns true if that sum does not suffice yet; then GMP computes. */
bool session_rents(void);

/* Returns what session_run would return now before it starts an operation. */
enum outcome session_ready(void);

/* Counts a fault of the device that the calling thread has used last: a check of its result on the
 * host (option `verify`) failed after session_run. Any thread. */
void session_fault(void);

/* Starts opening the device, unless that has begun, and waits until it is open. Returns
 * OUTCOME_DONE, or why there is no device. In a signal handler it does neither and returns
 * OUTCOME_OPENING: the thread may have been inside malloc, and opening would wait for malloc. Any
 * thread. */
enum outcome session_wait(void);

/* ---- several devices */

/* Devices have numbers from 0, in the order of the option `device`. SESSION_ANY: the device
 * expected to finish a call first. */
enum { SESSION_DEVICES = CONTEXT_DEVICES, SESSION_ANY = -1 };

/* Sets number[], room for SESSION_DEVICES, to the usable devices, ascending, and returns their
 * count. Leaves out devices that run jobs alone. */
unsigned session_devices(unsigned *number);

/* Sets number[] to the usable devices, ascending, and returns their count.  Returns 0 if no device
 * of another group member (gpu_caps.jobs_only) is among them. */
unsigned session_devices_of_group(unsigned *number);

/* Sets number[] to the usable devices that have no call, ascending, and returns their count. All
 * have about the same number of compute units. Sets *peers if each can copy from the memory of the
 * others (gpu_peer_copy). */
unsigned session_devices_idle(unsigned *number, bool *peers);

/* Sets whether operations of the calling thread belong to a call that its device has already
 * counted (session_ask_work). */
void session_go_on(bool goes_on);

/* Returns true if the device can be used now; for SESSION_ANY, if any can. */
bool session_is_usable(int device);

/* session_bind sends the calling thread's operations to this device only, until the next
 * session_bind; returns the previous binding. Operations that use data on one device need it.
 * session_bound returns the current binding. */
int session_bind(int device);
int session_bound(void);

/* Limits SESSION_ANY to these devices for the calling thread, a bit each; 0: all. */
void session_allow(uint32_t devices);

/* Returns the devices of another process that may run the calling thread's operations
 * (gpu_caps.jobs). Returns 0 if the thread is bound, or the devices belong to this process. */
uint32_t session_devices_there(void);

/* Returns true if the devices that can be used now belong to mpgpu-serve. */
bool session_is_served(void);

/* Returns the device for data that several operations will use: the thread's bound device, or the
 * usable device with the least memory in use. */
int session_place(void);

/* Sets *work to what this process's device i has done, for statistics and messages. Calls are
 * counted only if statistics are on. Returns false if i is too large. */
struct session_work {
    char about[512]; /* as session_describe */
    bool is_used;    /* it can be used now */
    uint64_t calls, ns;
};
bool session_ask_work(unsigned i, struct session_work *work);

/* ---- */

/* Writes a line about the device ("cuda: NVIDIA H200, driver ..."), or why there is none, for
 * statistics and messages. With several devices the lines are joined. */
void session_describe(char *text, size_t size);

/* Sets *dev to the first open device and *p to its profile. Returns OUTCOME_DONE, or why there is
 * none. */
enum outcome session_profile(struct gpu_device *dev, struct profile *p);

/* Makes this profile count from now on. For measurements. */
void session_use_profile(const struct profile *p);

/* Makes the device open whatever its thresholds. For measurements. Call it before the device is
 * opened. */
void session_open_any(void);

/* Makes the library print one line on standard error if the options name a backend or device that
 * is not there. For programs that do not print it themselves, as this package's do. Call it before
 * the first question. */
void session_say_missing(void);

/* Reads the options and sets the thresholds to the smallest of all devices. Touches no device. Acts
 * once; any thread. */
void session_init(void);

/* Checks whether there may be a GPU; if not, sets the thresholds of CPUs. Called at the first call
 * above the initial thresholds. Acts once; any thread, also in a signal handler. */
void session_look(void);

/* The program is about to filter its system calls. Unless a device is being opened or is named by
 * the options, this process will use no device: GMP computes, without a system call. Any thread. */
void session_expect_filter(void);

#endif
