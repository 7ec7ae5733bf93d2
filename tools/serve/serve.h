/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-serve: its devices, and its clients. */
#ifndef MPGPU_SERVE_H
#define MPGPU_SERVE_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "gpu/served/served.h"
#include "lib/session/gather_launcher.h"

enum { SERVE_CLIENTS = 128, SERVE_OBJECTS = 1 << 16, SERVE_LOCKS = 8192 };

/* A device: of this process, or of another member of the group (tools/serve/group/), to which jobs
 * alone are sent. */
struct serve_device {
    struct gpu_device dev; /* another member's has no impl, and its backend a name alone */
    bool is_members;
    atomic_bool is_gone;    /* nobody is offered it any more */
    atomic_bool is_suspect; /* a call has failed that should not */
};
/* The first are those of this process. */
extern struct serve_device serve_device[SERVED_DEVICES];
extern atomic_uint serve_devices, serve_own_devices; /* how many */

/* Device memory, which a client knows by a number. */
struct serve_object {
    struct serve_device *device; /* NULL: there is none */
    gpu_mem mem;
    uint64_t bytes;
};

struct serve_region {
    char *begin; /* NULL: there is none */
    size_t bytes;
};

/* Page-locked host memory. */
struct serve_lock {
    uint64_t region, offset, bytes;
};

/* What a job works with: memory that both see, or an object by its number. */
struct serve_use {
    char *p;
    uint64_t bytes, place, object;
};

/* Small products of a client for one device. */
struct serve_slots {
    char *begin; /* of their block; NULL: there is none */
    atomic_bool is_open;
    struct gather_source source;
};

struct serve_channel {
    struct serve_client *client;
    unsigned number;
    bool is_served; /* there is a thread */
    pthread_t thread;
    /* Of the job that runs.  Its thread changes these while the client's lock is held for reading,
     * others look at them while it is held for writing. */
    struct serve_use *use;
    uint32_t uses, room;
};

struct serve_client {
    struct serve_client *next;
    pid_t pid;
    int process; /* a descriptor of it, or -1 */
    char name[16];
    uint64_t token[2];
    struct served_shared *shared;
    atomic_bool is_ending; /* its threads come to an end */
    bool is_taken_down;    /* a thread does that, */
    atomic_int users;      /* when none of these is left */
    atomic_bool is_begun;  /* it holds `life` */
    int64_t came;          /* when; of served_clock */
    /* Held for reading by a channel that calls the device for this client; for writing while
     * something is taken away that others may use. */
    pthread_rwlock_t lock;
    struct serve_object *object;
    uint32_t objects, room;
    atomic_uint wrong; /* jobs that devices have shared with a wrong result */
    struct serve_region region[SERVED_REGIONS]; /* the first is that of `shared` */
    struct serve_lock *locked;
    uint32_t locks;
    struct serve_channel channel[SERVED_CHANNELS];
    struct serve_slots slots[SERVED_DEVICES];
    _Atomic uint64_t requests, jobs, memory; /* counts, and bytes */
};

/* ---- serve_log.c */

/* Opens those of the first three descriptors that are closed: else what is opened next would have
 * such a number, and be written to.  Before anything else is opened. */
void serve_log_begin(void);

/* One line to stderr, unless that is less important than asked for (levels as in gpu/gpu.h). */
void serve_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void serve_log_level(int level);

/* ---- serve_memory.c: memory that both see */

/* Mapped, with its descriptor; MAP_FAILED where there can't be any. */
void *serve_memory_make(size_t bytes, int *file);

/* Page-locks it for the device. */
enum gpu_status serve_memory_lock_pages(char *p, size_t bytes);

/* Before devices are closed: none of a client's memory is page-locked; and afterwards what was is
 * again.  Return false if that fails. */
bool serve_memory_unlock_pages(struct serve_client *c);
bool serve_memory_lock_pages_again(struct serve_client *c);

/* Nothing of it is page-locked any more. */
void serve_memory_release(struct served_shared *shared);

/* The same for memory whose first SERVED_LOCKED_BYTES may be page-locked. */
void serve_memory_release_spare(struct served_shared *shared, bool is_locked);

/* A further region of the client's: its descriptor and number; -1 where there can't be one. */
int serve_memory_region(struct serve_client *c, uint64_t bytes, uint64_t *number);

/* Page-lock host memory, and no more; `lock` is held for writing. */
enum gpu_status serve_memory_lock(struct serve_client *c, uint64_t region, uint64_t offset,
                                  uint64_t bytes);
bool serve_memory_unlock(struct serve_client *c, uint64_t region, uint64_t offset);
bool serve_memory_drop(struct serve_client *c, uint64_t region);
void serve_memory_drop_all(struct serve_client *c);

/* Returns true if all of it is page-locked.  Takes the client's lock. */
bool serve_memory_is_locked(struct serve_client *c, const void *p, size_t bytes);

/* Waits until no job uses {p, bytes}, or object number `object`.  The caller holds the lock for
 * writing; while this waits, others may take it. */
void serve_memory_await(struct serve_client *c, const char *p, uint64_t bytes, uint64_t object);

/* {region, offset, bytes} as an address, or NULL where it is outside. */
char *serve_memory_at(const struct serve_client *c, uint64_t region, uint64_t offset,
                      uint64_t bytes);

/* ---- serve_spares.c: memory that is ready before a client comes */

/* A client's, with a descriptor to hand out; NULL where there is none.  *is_locked: its first
 * SERVED_LOCKED_BYTES are page-locked. */
struct served_shared *serve_spares_shared(int *file, bool *is_locked);

/* A region, as of serve_memory_make. */
void *serve_spares_region(size_t bytes, int *file);

/* Drops them all, and makes no more until serve_spares_go_on. */
void serve_spares_drop(void);
void serve_spares_go_on(void);

/* Starts the thread that makes them. */
void serve_spares_begin(void);

/* ---- serve_buffers.c: device memory */

/* Of any content; and back, when nothing uses it any more. */
enum gpu_status serve_buffers_take(struct serve_device *d, uint64_t bytes, gpu_mem *mem);
void serve_buffers_put(struct serve_device *d, gpu_mem mem, uint64_t bytes);
void serve_buffers_close(void);

/* ---- serve_open.c */

/* Opens those of this process: of a word the first, or those of a list.  Of several that a word
 * means the first `rank` are passed over.  False, and serve_log, where none opens. */
bool serve_open_devices(unsigned rank);

/* After that: why none opens, for clients. */
const char *serve_open_reason(void);

/* From here on only programs are served whose environment shows the same devices. */
void serve_socket_compare_visible(void);

/* From here on a CPU is opened too if its kernels are built. */
void serve_open_built_cpus(void);

/* Call this first in a process that a program has started: signals, files, mask and folder are no
 * longer those of that program, nor are CPUs and priority unless the server is private.  False if
 * that cannot be. */
bool serve_on_demand_begin(bool is_private);

/* ---- serve_owner.c: the program of a private server (SERVED_OWNER) */

/* Makes the server private.  `key` (served_socket_private) stays valid.  Returns false if it is
 * none.  Before any thread is made. */
bool serve_owner_set(const char *key);

/* The key; NULL for the user's server. */
const char *serve_owner_key(void);

/* A descriptor that is readable once the owner has ended, or -1. */
int serve_owner_file(void);

/* Makes a thread that ends the process five seconds after the owner, also while a driver hangs.
 * Returns false without a thread.  Does nothing for the user's server. */
bool serve_owner_begin(void);

/* NULL, or why a private server must end. */
const char *serve_owner_reason_to_end(void);

/* Returns true if the server serves this process: for a private one the owner, its children and
 * theirs, otherwise any.  Any thread. */
bool serve_owner_allows(pid_t peer);

/* ---- serve_devices.c */

/* Looks at those of this process of which a call has failed.  False if no device is left. */
bool serve_devices_check(void);

/* What clients are told of the devices. */
void serve_devices_offer(struct served_welcome *w);

/* A line for each, "BACKEND: NAME", and no end of the last. */
void serve_devices_list(char *text, size_t size);

/* ---- serve_idle.c: devices that nobody uses are closed for a while */

/* Called before devices of this process are used.  Opens them again, if they are closed.  Returns
 * false if that fails.  serve_idle_end must follow in any case.  Not inside another, nor
 * with a client's lock. */
bool serve_idle_enter(void);
void serve_idle_end(void);

/* The same without opening them; serve_idle_leave must follow.  In between devices stay open or
 * closed. */
void serve_idle_hold(void);
void serve_idle_leave(void);
bool serve_idle_is_closed(void);

/* They do not open again: the server must end. */
bool serve_idle_has_failed(void);

/* Closes them if nobody has used them for so long and no client has memory there; 0: never. */
void serve_idle_look(long seconds);

/* ---- serve_slots.c: small products */

/* Does any of {p, bytes} lie in slots?  `lock` is held. */
bool serve_slots_overlap(const struct serve_client *c, const char *p, size_t bytes);

/* None of the client's is under way afterwards, and none begins.  Its threads have ended. */
void serve_slots_close(struct serve_client *c);

/* ---- serve_objects.c: numbers; `lock` is held */

/* What it names, or NULL. */
struct serve_object *serve_objects_get(const struct serve_client *c, uint64_t number);

/* Allocates device memory of any content, and sets *number to its number.  Returns GPU_NOMEM also
 * for too many objects.  Takes the lock. */
enum gpu_status serve_objects_alloc(struct serve_client *c, struct serve_device *d, uint64_t bytes,
                                    uint64_t *number);

/* Waits until nothing of the client uses the memory, and frees it: another client may have it next.
 * Returns false if the number is none of device memory.  Takes the lock. */
bool serve_objects_free(struct serve_client *c, uint64_t number);

/* All that the client had is released; none of its threads is there any more. */
void serve_objects_release(struct serve_client *c);

/* ---- serve_request.c */

/* Does what a request of the channel says; the answer, where it has one (*has_answer), is left in
 * the channel.  NULL, or why the client is dropped. */
const char *serve_request(struct serve_channel *ch, const struct served_request *r,
                          bool *has_answer);

/* ---- serve_channel.c */

/* Starts its thread. */
bool serve_channel_begin(struct serve_channel *ch);

/* May so many threads spin for requests? */
void serve_channel_spinners(int most);

/* ---- serve_clients.c */

/* A new client, for a process: its token, and in *file what it is to have.  False, and why not in
 * *why. */
bool serve_clients_add(pid_t pid, uint64_t token[2], int *file, const char **why);

/* The client of a token, kept until serve_clients_leave; NULL if there is none. */
struct serve_client *serve_clients_find(const uint64_t token[2], pid_t pid);
void serve_clients_leave(struct serve_client *c);

/* The client has ended, or is dropped: `why`, or NULL.  Any thread. */
void serve_clients_end(struct serve_client *c, const char *why);

/* Wait at most so many milliseconds until one ends, or one of the files is ready (true). */
bool serve_clients_watch(const int *files, int count, int ms);

/* Calls work(c) for each, and returns true if all of these calls do. */
bool serve_clients_each(bool (*work)(struct serve_client *c));

/* Has any of them memory on a device? */
bool serve_clients_have_memory(void);

/* How many there are; a line for each. */
int serve_clients_count(void);

/* Is there a client of that process, which has not ended? */
bool serve_clients_has(pid_t pid);
void serve_clients_list(char *text, size_t size);

/* All end: `why`.  Waits at most so many milliseconds until what they had is released. */
void serve_clients_end_all(const char *why, int ms);

/* ---- serve_socket.c */

/* Are these who calls' version and kernels' id this server's?  If not, `text` says so. */
bool serve_socket_same_version(const char version[32], const char build[sizeof gpu_images_id],
                               char *text, size_t size);

/* The socket: the one that systemd has opened, or a new one; -1, and serve_log, where there is none
 * or another server runs (*runs). */
int serve_socket_open(bool *runs);

/* It is taken away, if this server has made it; is it still there? */
void serve_socket_close(int file);
bool serve_socket_is_there(int file);

/* Answers those who have connected. */
void serve_socket_accept(int file);

/* Tells every process that has connected why it is not served, then closes the socket. */
void serve_socket_refuse(int file, const char *why);

/* Has a client asked for the server's end? */
bool serve_socket_is_ended(void);

#endif
