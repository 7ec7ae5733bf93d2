/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The devices of this process, one unless the option `device` lists several: opened once, at the
 * first operation above the threshold, in the background; and the operations that run on them. */
#ifndef MPGPU_SESSION_H
#define MPGPU_SESSION_H

#include "lib/base/outcome.h"
#include "lib/device/context.h"

/* One operation: work(s, copy of {argument, size}), size <= SESSION_ARGUMENT, in a thread that
 * calls devices (lib/process/executor.h), which gives a gpu_status; the copy comes back into
 * *argument, unless that is GPU_NOMEM.  At first use opens the device; with open:wait, waits for
 * it.  Operations of several threads run at once as far as there are streams; where memory does not
 * suffice, once more alone.  Memory of the program is touched by the caller first
 * (lib/memory/touch.h), then by work through lib/transfer/transfer.h alone: where it does not come
 * back in time (option `watchdog`; `bytes` are those of operands and result) the device is left
 * alone, and the program goes on. Returns OUTCOME_DONE, or why it was not done.  A GPU_FAILED or
 * GPU_NOBUILD counts as a fault; after three the device is left alone. */
enum { SESSION_ARGUMENT = 1536 }; /* bytes */
enum outcome session_run(enum gpu_status (*work)(struct context *s, void *argument), void *argument,
                         size_t size, size_t bytes);

/* The same for a job that names no memory of a device: also on a device that runs jobs alone. */
enum outcome session_run_job(enum gpu_status (*work)(struct context *s, void *argument),
                             void *argument, size_t size, size_t bytes);

/* From here on session_run calls `work` in the calling thread, which serves another process and has
 * no signal handlers.  Before the first call. */
void session_run_here(void);

/* Opens these devices, which are open for others too and stay so, in the background, in place of
 * what the options name.  Returns how many of them, the first ones, have numbers: their places.
 * Call it after session_init, before operations. */
unsigned session_adopt(const struct gpu_device *dev, unsigned count);

/* Closes what contexts of adopted devices have, and all of it is made again on {dev, ...}, which
 * are the same devices, opened anew.  Between the two, no operation is begun. session_close_devices
 * returns false, and nothing has changed, if operations are under way for more than a second or a
 * device is left alone.  After session_open_again has returned false no operation is to begin any
 * more. */
bool session_close_devices(void);
bool session_open_again(const struct gpu_device *dev);

/* Launches of small products so far. */
unsigned session_launches(void);

/* Releases device memory that contexts keep from one operation to the next, if no operation is
 * under way within a second. */
void session_trim(void);

/* The same for what only brings data back or releases memory: also on a device that is left alone,
 * while it answers.  is_once: the work is not repeated, such as a release.  If a signal handler
 * takes too long during such work, returns OUTCOME_FAILED; the work has been done. */
enum outcome session_rescue(enum gpu_status (*work)(struct context *s, void *argument),
                            void *argument, size_t size, size_t bytes, bool is_once);

struct direct_product;

/* Small products (lib/multiply/direct.h), together with those of other threads.  True: *outcome is
 * OUTCOME_DONE, or why not all were done.  False: the caller asks session_run. */
bool session_run_products(struct direct_product *p, unsigned count, enum outcome *outcome);

/* Would the device make this product so?  p->plan is chosen, nothing else happens. */
bool session_fits_product(struct direct_product *p);

struct gather_source;
struct gather_block;

/* Small products of another process on device `number`, which is open, from here on
 * (lib/session/gather_launcher.h): in slots behind the block, in memory that stays until
 * session_remove_slots; may_view: it is page-locked.  session_ring_slots says that there are some.
 */
enum gpu_status session_add_slots(unsigned number, struct gather_source *source,
                                  struct gather_block *block, bool may_view);
void session_ring_slots(unsigned number);
void session_remove_slots(unsigned number, struct gather_source *source);

/* GMP has spent so many nanoseconds in calls above their thresholds, or will at least in one that
 * it begins now: opens the device once that suffices (lib/session/start/rent.h).  Any thread. */
void session_pay(int64_t ns);
void session_expect(int64_t ns);

/* Has that not sufficed yet?  Then GMP computes. */
bool session_rents(void);

/* What session_run would say now before it begins. */
enum outcome session_ready(void);

/* Counts a fault that was found after session_run: a check of the
 * result on the host (option `verify`) failed.  Of the device that the calling thread has used
 * last.  Any thread. */
void session_fault(void);

/* Starts opening the device if nobody has yet, and waits until it is there:
 * OUTCOME_DONE, or why there is none; OUTCOME_OPENING in a handler of a signal, where neither is
 * done, since the thread may have been inside malloc, for which the opening would wait.  Any
 * thread. */
enum outcome session_wait(void);

/* ---- several devices */

/* They have numbers from 0 on, in the order of the option.  SESSION_ANY: the one that will have
 * done a call first. */
enum { SESSION_DEVICES = CONTEXT_DEVICES, SESSION_ANY = -1 };

/* The numbers of those that can be used now, ascending, at most SESSION_DEVICES; how many.  Without
 * those that run jobs alone. */
unsigned session_devices(unsigned *number);

/* Sets number[] to the usable devices, ascending, and returns their count.  Returns 0 if no device
 * of another group member (gpu_caps.jobs_only) is among them. */
unsigned session_devices_of_group(unsigned *number);

/* The numbers of those that can be used now and have no call, ascending; how many.  Each has about
 * as many compute units as the first of them.  *peers: each copies from the memory of the others
 * (gpu_peer_copy). */
unsigned session_devices_idle(unsigned *number, bool *peers);

/* Whether what the calling thread runs from here on belongs to a call that its device has counted
 * (session_ask_work). */
void session_go_on(bool goes_on);

/* Can it be used now?  SESSION_ANY: any. */
bool session_is_usable(int device);

/* From here on the calling thread's operations go to this device and no other, as those must that
 * work with what lies on it; until the next session_bind.  The one before. */
int session_bind(int device);
int session_bound(void);

/* From here on SESSION_ANY means one of these for the calling thread, a bit each; 0: all. */
void session_allow(uint32_t devices);

/* Returns the devices of another process that may do what the calling thread wants done
 * (gpu_caps.jobs); 0 if the thread is bound, or the devices are this process's. */
uint32_t session_devices_there(void);

/* Returns true if the devices that can be used now are those of mpgpu-serve. */
bool session_is_served(void);

/* Where something is to be kept that several operations work with: the device that has the least
 * memory in use; the one that the thread is bound to. */
int session_place(void);

/* What device i of those that have been begun has done, for statistics and messages; calls are
 * counted where these are on.  False beyond the last. */
struct session_work {
    char about[512]; /* as session_describe */
    bool is_used;    /* it can be used now */
    uint64_t calls, ns;
};
bool session_ask_work(unsigned i, struct session_work *work);

/* ---- */

/* A line about the device ("cuda: NVIDIA H200, driver ..."), or why there is
 * none, for statistics and messages; of several one after another. */
void session_describe(char *text, size_t size);

/* The first open device, and the profile that counts for it.  OUTCOME_DONE, or why there is none.
 */
enum outcome session_profile(struct gpu_device *dev, struct profile *p);

/* Let this profile count from now on: for measurements. */
void session_use_profile(const struct profile *p);

/* Open the device whatever its thresholds: for measurements.  Before it is opened. */
void session_open_any(void);

/* If the options name a backend or a device that is not there, one line on standard error says so.
 * For programs that do not say it themselves, as this package's do.  Before the first question. */
void session_say_missing(void);

/* Read options, set thresholds: the smallest of all devices.  No device is touched.  Once; any
 * thread. */
void session_init(void);

/* Look whether there may be a GPU: else the thresholds of CPUs count from here on.  For the first
 * call that is large by the others.  Once; any thread, also in a handler of a signal. */
void session_look(void);

/* The program is about to filter its system calls.  Unless a device is being opened, or is named by
 * the options, there will be none: calls go to GMP, without a system call.  Any thread. */
void session_expect_filter(void);

#endif
