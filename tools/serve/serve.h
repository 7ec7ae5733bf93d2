/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-serve: the interfaces of its files. */
#ifndef MPGPU_SERVE_H
#define MPGPU_SERVE_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "gpu/served/served.h"
#include "lib/session/gather_launcher.h"

enum { SERVE_CLIENTS = 128, SERVE_OBJECTS = 1 << 16, SERVE_LOCKS = 8192 };

/* A device of this process, or of another member of the group (tools/serve/group/); the latter only
 * runs jobs. */
struct serve_device {
    struct gpu_device dev; /* another member's has no impl, and its backend a name alone */
    bool is_members;
    atomic_bool is_gone;    /* no client is offered it any more */
    atomic_bool is_suspect; /* a call has failed unexpectedly */
};
/* This process's devices come first. */
extern struct serve_device serve_device[SERVED_DEVICES];
extern atomic_uint serve_devices, serve_own_devices; /* how many */

/* Device memory, which a client names by a number. */
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
    bool is_ready; /* false while a thread page-locks it */
};

/* One piece of memory that a job uses: shared memory, or an object named by its number. */
struct serve_use {
    char *p;
    uint64_t bytes, place, object;
};

/* Small products of a client for one device. */
struct serve_slots {
    char *begin; /* the begin of the slots' block; NULL: no block */
    atomic_bool is_open;
    struct gather_source source;
};

struct serve_channel {
    struct serve_client *client;
    unsigned number;
    bool is_served; /* there is a thread */
    pthread_t thread;
    /* The memory that the running job uses.  The channel's thread changes the list while it holds
     * the client's lock for reading.  Other threads read the list while they hold the lock for
     * writing. */
    struct serve_use *use;
    uint32_t uses, room;
};

struct serve_client {
    struct serve_client *next;
    pid_t pid;
    int process; /* a pidfd of the client, or -1 */
    char name[16];
    uint64_t token[2];
    struct served_shared *shared;
    atomic_bool is_ending; /* its threads must end */
    bool is_taken_down;    /* a thread releases the client, */
    atomic_int users;      /* when none of these is left */
    atomic_bool is_begun;  /* the client holds `life` */
    int64_t came;          /* when; of served_clock */
    /* A channel holds the lock for reading while it calls the device for this client.  A thread
     * holds the lock for writing while it removes an object that other threads may use. */
    pthread_rwlock_t lock;
    struct serve_object *object;
    uint32_t objects, room;
    atomic_uint wrong; /* jobs that devices have shared with a wrong result */
    struct serve_region region[SERVED_REGIONS]; /* the first contains `shared` */
    struct serve_lock *locked;
    uint32_t locks;
    struct serve_channel channel[SERVED_CHANNELS];
    struct serve_slots slots[SERVED_DEVICES];
    _Atomic uint64_t requests, jobs, memory; /* counts, and bytes */
};

/* ---- serve_log.c */

/* Opens the closed ones of descriptors 0 to 2: otherwise a file that is opened later would get such
 * a number, and messages would be written to it.  Call it before anything else is opened. */
void serve_log_begin(void);

/* Prints one line to stderr if `level` is at most the log level (levels as in gpu/gpu.h). */
void serve_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void serve_log_level(int level);

/* ---- serve_memory.c: memory shared with clients */

/* Creates and maps shared memory; *file is its descriptor.  Returns MAP_FAILED on failure. */
void *serve_memory_make(size_t bytes, int *file);

/* Page-locks {p, bytes} for the device. */
enum gpu_status serve_memory_lock_pages(char *p, size_t bytes);

/* Unlock a client's page-locked memory before devices are closed, and lock it again after they were
 * reopened.  Return false on failure. */
bool serve_memory_unlock_pages(struct serve_client *c);
bool serve_memory_lock_pages_again(struct serve_client *c);

/* Unmaps a client's memory, none of which is page-locked. */
void serve_memory_release(struct served_shared *shared);

/* Unmaps memory whose first SERVED_LOCKED_BYTES may be page-locked. */
void serve_memory_release_spare(struct served_shared *shared, bool is_locked);

/* Creates another region for the client.  Returns its descriptor and sets *number; -1 on
 * failure. */
int serve_memory_region(struct serve_client *c, uint64_t bytes, uint64_t *number);

/* Page-lock and unlock host memory.  The caller holds `lock` for writing.  It is released while
 * pages are locked, so that jobs of the client can run. */
enum gpu_status serve_memory_lock(struct serve_client *c, uint64_t region, uint64_t offset,
                                  uint64_t bytes);
bool serve_memory_unlock(struct serve_client *c, uint64_t region, uint64_t offset);

/* Page-locks what the client's first entry names, if it is not ready.  Takes the lock. */
void serve_memory_lock_first(struct serve_client *c);
bool serve_memory_drop(struct serve_client *c, uint64_t region);
void serve_memory_drop_all(struct serve_client *c);

/* Returns true if all of it is page-locked.  Takes the client's lock. */
bool serve_memory_is_locked(struct serve_client *c, const void *p, size_t bytes);

/* Waits until no job uses {p, bytes}, or object number `object`.  The caller holds the lock for
 * writing; it is released during the wait. */
void serve_memory_await(struct serve_client *c, const char *p, uint64_t bytes, uint64_t object);

/* Returns the address of {region, offset, bytes}, or NULL if it exceeds the region. */
char *serve_memory_at(const struct serve_client *c, uint64_t region, uint64_t offset,
                      uint64_t bytes);

/* ---- serve_spares.c: memory prepared for the next clients */

/* Returns shared memory for a new client, with its descriptor; NULL on failure.  *is_locked: its
 * first SERVED_LOCKED_BYTES are page-locked, as those of a spare are. */
struct served_shared *serve_spares_shared(int *file, bool *is_locked);

/* Returns a region, as serve_memory_make. */
void *serve_spares_region(size_t bytes, int *file);

/* Releases all spare memory, and creates no more until serve_spares_go_on. */
void serve_spares_drop(void);
void serve_spares_go_on(void);

/* Starts the thread that creates spare memory. */
void serve_spares_begin(void);

/* ---- serve_buffers.c: device memory */

/* Take device memory of unspecified content; put it back when nothing uses it any more. */
enum gpu_status serve_buffers_take(struct serve_device *d, uint64_t bytes, gpu_mem *mem);
void serve_buffers_put(struct serve_device *d, gpu_mem mem, uint64_t bytes);
void serve_buffers_close(void);

/* ---- serve_open.c */

/* Opens this process's devices by the option `device`: the first match of a word, or each entry of
 * a list.  Skips the first `rank` matches of a word.  Returns false, with a line in the log, if
 * none opens. */
bool serve_open_devices(unsigned rank);

/* Returns why none has opened, as a text for clients. */
const char *serve_open_reason(void);

/* Restricts the server to programs whose environment shows the same devices. */
void serve_socket_compare_visible(void);

/* Makes the server open a CPU device too, if its kernels are built. */
void serve_open_built_cpus(void);

/* Detaches from the program that has started this server: resets signals, files, umask and folder,
 * and, unless the server is private, CPUs and priority.  Call it first.  Returns false on
 * failure. */
bool serve_on_demand_begin(bool is_private);

/* ---- serve_owner.c: the program of a private server (SERVED_OWNER) */

/* Makes the server private.  `key` (served_socket_private) must stay valid.  Returns false if it is
 * not a key.  Call it before any thread is created. */
bool serve_owner_set(const char *key);

/* Returns the key; NULL for the user's server. */
const char *serve_owner_key(void);

/* Returns a descriptor that is readable once the owner has ended, or -1. */
int serve_owner_file(void);

/* Starts a thread that ends the process five seconds after the owner's end, even if a driver hangs.
 * Returns false without a thread.  Does nothing for the user's server. */
bool serve_owner_begin(void);

/* Returns NULL, or why a private server must end. */
const char *serve_owner_reason_to_end(void);

/* Returns true if the server serves this process: for a private one the owner, its children and
 * theirs, otherwise any.  Any thread. */
bool serve_owner_allows(pid_t peer);

/* ---- serve_devices.c */

/* Tests this process's suspect devices.  Returns false if no device is left. */
bool serve_devices_check(void);

/* Fills in the devices that clients are offered. */
void serve_devices_offer(struct served_welcome *w);

/* Lists the devices, a line "BACKEND: NAME" each; the last has no newline. */
void serve_devices_list(char *text, size_t size);

/* ---- serve_idle.c: closes unused devices until they are needed */

/* Call serve_idle_enter before using devices of this process.  It reopens closed devices, and
 * returns false on failure. serve_idle_end must follow in either case.  Do not nest these calls,
 * nor hold a client's lock. */
bool serve_idle_enter(void);
void serve_idle_end(void);

/* Prevents that devices are opened or closed until serve_idle_leave, which must follow.  Opens no
 * device. */
void serve_idle_hold(void);
void serve_idle_leave(void);
bool serve_idle_is_closed(void);

/* Returns true if reopening has failed: the server must end. */
bool serve_idle_has_failed(void);

/* Closes the devices if no one has used them for `seconds` seconds and no client has memory on
 * them.  0: never. */
void serve_idle_look(long seconds);

/* ---- serve_slots.c: small products */

/* Returns true if {p, bytes} overlaps slots.  The caller holds `lock`. */
bool serve_slots_overlap(const struct serve_client *c, const char *p, size_t bytes);

/* Waits until none of the client's small products is under way; no more begins.  The client's
 * threads have ended. */
void serve_slots_close(struct serve_client *c);

/* ---- serve_objects.c: numbers of device memory; the caller holds `lock` */

/* Returns the object of a number, or NULL. */
struct serve_object *serve_objects_get(const struct serve_client *c, uint64_t number);

/* Allocates device memory of any content, and sets *number to its number.  Returns GPU_NOMEM also
 * for too many objects.  Takes the lock. */
enum gpu_status serve_objects_alloc(struct serve_client *c, struct serve_device *d, uint64_t bytes,
                                    uint64_t *number);

/* Waits until no job of the client uses the memory, and frees it: another client may get it next.
 * Returns false if no object has this number.  Takes the lock. */
bool serve_objects_free(struct serve_client *c, uint64_t number);

/* Releases all objects of the client, whose threads have ended. */
void serve_objects_release(struct serve_client *c);

/* ---- serve_request.c */

/* Executes a request of the channel.  Writes the answer, if the request has one (*has_answer), to
 * the channel.  Returns NULL, or why the client is dropped. */
const char *serve_request(struct serve_channel *ch, const struct served_request *r,
                          bool *has_answer);

/* ---- serve_channel.c */

/* Starts the channel's thread.  Returns false on failure. */
bool serve_channel_begin(struct serve_channel *ch);

/* Sets how many threads may spin for requests. */
void serve_channel_spinners(int most);

/* ---- serve_clients.c */

/* Adds a client for a process, and sets *file to the descriptor of its shared memory.  The same
 * thread must call serve_clients_lock: until then the client is valid, and no device is closed.  On
 * failure, returns NULL and sets *why. */
struct serve_client *serve_clients_add(pid_t pid, int *file, const char **why);

/* Page-locks a new client's memory, if no spare was there for it.  Jobs copy until it is ready, and
 * small products wait.  Call it once the client has its answer, even if the client has ended:
 * threads of its channels may wait for the memory. */
void serve_clients_lock(struct serve_client *c);

/* Returns the client of a token, valid until serve_clients_leave; NULL if there is none. */
struct serve_client *serve_clients_find(const uint64_t token[2], pid_t pid);
void serve_clients_leave(struct serve_client *c);

/* Ends a client.  `why` is the reason for dropping it, or NULL if it has ended by itself.  Any
 * thread. */
void serve_clients_end(struct serve_client *c, const char *why);

/* Waits at most `ms` milliseconds until a client ends, or one of the files is ready (true). */
bool serve_clients_watch(const int *files, int count, int ms);

/* Calls work(c) for each client, and returns true if all calls do. */
bool serve_clients_each(bool (*work)(struct serve_client *c));

/* Returns true if a client has memory on a device. */
bool serve_clients_have_memory(void);

/* serve_clients_count returns the number of clients, serve_clients_list a line for each. */
int serve_clients_count(void);

/* Returns true if the process has a client that has not ended. */
bool serve_clients_has(pid_t pid);
void serve_clients_list(char *text, size_t size);

/* Ends all clients for the reason `why`.  Waits at most `ms` milliseconds until their memory is
 * released. */
void serve_clients_end_all(const char *why, int ms);

/* ---- serve_socket.c */

/* Returns true if the caller's version and kernels are the same as this server's; otherwise writes
 * the difference to `text`. */
bool serve_socket_same_version(const char version[32], const char build[sizeof gpu_images_id],
                               char *text, size_t size);

/* Returns the socket that systemd has opened, or a new one.  Returns -1, with a line in the log, on
 * failure or if another server runs (*runs). */
int serve_socket_open(bool *runs);

/* serve_socket_close removes the socket if this server has created it.  serve_socket_is_there
 * returns true if its file still exists. */
void serve_socket_close(int file);
bool serve_socket_is_there(int file);

/* Answers all processes that have connected. */
void serve_socket_accept(int file);

/* Answers every process that has connected with `why` it is refused, then closes the socket. */
void serve_socket_refuse(int file, const char *why);

/* Returns true if a client has asked the server to end. */
bool serve_socket_is_ended(void);

#endif
