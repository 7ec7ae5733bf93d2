/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The interfaces between the files of mpgpu-serve. */
#ifndef MPGPU_SERVE_H
#define MPGPU_SERVE_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "gpu/served/served.h"
#include "lib/session/coalesce_launcher.h"

enum { SERVE_CLIENTS = 128, SERVE_OBJECTS = 1 << 16, SERVE_LOCKS = 8192 };

/* A device of this process, or of another member of the group (tools/serve/group/).  Another
 * member's device only runs jobs. */
struct serve_device {
    /* for another member's device, impl is NULL and the backend has only a name */
    struct gpu_device dev;
    bool is_members;
    atomic_bool is_gone; /* true if the device is no longer offered to clients */
    /* true after an unexpected failure of a call, until the device is tested */
    atomic_bool is_suspect;
};
/* All devices.  Those of this process come first. */
extern struct serve_device serve_device[SERVED_DEVICES];
extern atomic_uint serve_devices, serve_own_devices; /* how many */

/* A block of device memory that a client has allocated and refers to by a number. */
struct serve_object {
    struct serve_device *device; /* NULL: the entry is unused */
    gpu_mem mem;
    uint64_t bytes;
    bool is_shared; /* true if the client can map the memory (serve_objects_share) */
};

struct serve_region {
    char *begin; /* NULL: this entry of the array is unused */
    size_t bytes;
};

/* Page-locked host memory. */
struct serve_lock {
    uint64_t region, offset, bytes;
    bool is_ready; /* false while a thread is page-locking the range */
};

/* A range of shared memory, or an object given by its number, that a running job uses. */
struct serve_use {
    char *p;
    uint64_t bytes, place, object;
};

/* The slots of a client for one device: shared memory through which it passes small products. */
struct serve_slots {
    char *begin; /* the beginning of the block with the slots; NULL: there is none */
    atomic_bool is_open;
    struct coalesce_source source;
};

struct serve_channel {
    struct serve_client *client;
    unsigned number;
    bool is_served; /* a thread serves the requests in this channel */
    pthread_t thread;
    /* The memory that the running job uses.  The channel's thread (is_served) changes this list
     * while it holds the client's lock for reading.  Other threads read the list while they hold
     * this lock for writing. */
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
    atomic_bool is_ending; /* true once the client's threads must end */
    /* a thread is releasing the client, which first waits until `users` is 0 */
    bool is_taken_down;
    atomic_int users; /* the number of threads that use the client now */
    /* true once the client has locked the mutex `life`: when the lock is then released, the server
     * knows that the client has ended */
    atomic_bool is_begun;
    pid_t holder; /* the thread that has locked `life` */
    int64_t came; /* when; of served_clock */
    /* Protects the client's memory and objects.  A thread holds the lock for reading while it looks
     * them up, for example for a job (struct serve_use), and for writing while it adds or removes
     * some. */
    pthread_rwlock_t lock;
    struct serve_object *object;
    uint32_t objects, room;
    /* number of shared jobs (computed by several devices together) that had a wrong result */
    atomic_uint wrong;
    struct serve_region region[SERVED_REGIONS]; /* region 0 contains `shared` */
    struct serve_lock *locked;
    uint32_t locks;
    struct serve_channel channel[SERVED_CHANNELS];
    struct serve_slots slots[SERVED_DEVICES];
    _Atomic uint64_t requests, jobs, memory; /* counts, and bytes */
};

/* ---- serve_log.c */

/* Opens those of the descriptors 0 to 2 that are closed, so that no file opened later gets such a
 * number and receives messages.  Call it before any other file is opened. */
void serve_log_begin(void);

/* Prints a line to stderr if `level` is at most the log level (levels as in gpu/gpu.h). */
void serve_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void serve_log_level(int level);

/* ---- serve_memory.c: memory shared with clients */

/* Creates and maps shared memory; *file is its descriptor.  Returns MAP_FAILED on failure. */
void *serve_memory_make(size_t bytes, int *file);

/* Page-locks {p, bytes}, so that devices can copy from it directly. */
enum gpu_status serve_memory_lock_pages(char *p, size_t bytes);

/* Unlock a client's page-locked memory before devices are closed, and lock it again after they have
 * reopened.  Return false on failure. */
bool serve_memory_unlock_pages(struct serve_client *c);
bool serve_memory_lock_pages_again(struct serve_client *c);

/* Unmaps memory shared with a client.  No part of it may be page-locked. */
void serve_memory_release(struct served_shared *shared);

/* Unmaps shared memory that no client has used.  Its first SERVED_LOCKED_BYTES are page-locked if
 * is_locked. */
void serve_memory_release_spare(struct served_shared *shared, bool is_locked);

/* Creates another region of shared memory for the client.  Sets *number and returns the descriptor;
 * -1 on failure. */
int serve_memory_region(struct serve_client *c, uint64_t bytes, uint64_t *number);

/* Page-lock and unlock a client's host memory.  The caller holds the client's lock for writing.
 * serve_memory_lock releases the lock while pages are being locked, so that jobs can run. */
enum gpu_status serve_memory_lock(struct serve_client *c, uint64_t region, uint64_t offset,
                                  uint64_t bytes);
bool serve_memory_unlock(struct serve_client *c, uint64_t region, uint64_t offset);

/* Page-locks the memory that a client shares with the server from its start (region 0, offset 0),
 * unless it is page-locked already.  Takes the client's lock. */
void serve_memory_lock_first(struct serve_client *c);
bool serve_memory_drop(struct serve_client *c, uint64_t region);
void serve_memory_drop_all(struct serve_client *c);

/* Returns true if all of {p, bytes} is page-locked.  Takes the client's lock. */
bool serve_memory_is_locked(struct serve_client *c, const void *p, size_t bytes);

/* Waits until no job uses {p, bytes}, or object number `object`.  The caller holds the client's
 * lock for writing; the lock is released during the wait. */
void serve_memory_await(struct serve_client *c, const char *p, uint64_t bytes, uint64_t object);

/* Returns the address of {region, offset, bytes}, or NULL if it exceeds the region. */
char *serve_memory_at(const struct serve_client *c, uint64_t region, uint64_t offset,
                      uint64_t bytes);

/* ---- serve_spares.c: spare memory, allocated before clients connect */

/* Returns shared memory for a new client, with its descriptor; NULL on failure.  Sets *is_locked to
 * true if the first SERVED_LOCKED_BYTES of the memory are page-locked, as in spare memory. */
struct served_shared *serve_spares_shared(int *file, bool *is_locked);

/* Returns a region like serve_memory_make, but from spare memory if there is some of this size. */
void *serve_spares_region(size_t bytes, int *file);

/* Releases the page-locked spare memory, but no spare regions.  No spare memory is created until
 * serve_spares_resume is called. */
void serve_spares_drop(void);
void serve_spares_resume(void);

/* Starts the thread that allocates spare memory. */
void serve_spares_begin(void);

/* ---- serve_buffers.c: device memory */

/* serve_buffers_take returns device memory of unspecified content; if is_shared, memory of zeros
 * that other processes can map. serve_buffers_put takes back memory that nothing uses any more.
 * Shared memory is never kept for another client, because its first client may still map it. */
enum gpu_status serve_buffers_take(struct serve_device *d, uint64_t bytes, bool is_shared,
                                   gpu_mem *mem);
void serve_buffers_put(struct serve_device *d, gpu_mem mem, uint64_t bytes, bool is_shared);
void serve_buffers_close(void);

/* ---- serve_open.c */

/* Opens this process's devices by the option `device`: the first device that matches a word, or
 * each entry of a list.  Skips the first `rank` matches of a word.  If no device can be opened,
 * writes a line to the log and returns false. */
bool serve_open_devices(unsigned rank);

/* Returns the reason why no device could be opened, as a text for clients. */
const char *serve_open_reason(void);

/* Restricts the server to programs that see the same devices as the server.  Environment variables
 * such as CUDA_VISIBLE_DEVICES hide devices. */
void serve_socket_compare_visible(void);

/* Lets the server also open a CPU as a device, if the kernels for it have been built. */
void serve_open_built_cpus(void);

/* Detaches from the program that started this server: resets signals, the limits of descriptors and
 * stacks, and the current folder.  Also resets CPU affinity and priority, unless the server is
 * private.  Call it first.  Returns false on failure. */
bool serve_on_demand_begin(bool is_private);

/* ---- serve_owner.c: the owner of a private server, which is the program that started it
 * (SERVED_OWNER) */

/* Makes this server private, with a key from served_socket_private that must stay valid.  Returns
 * false if `key` is malformed.  Call it before any thread is created. */
bool serve_owner_set(const char *key);

/* Returns the key of a private server; NULL if this is the user's common server. */
const char *serve_owner_key(void);

/* Returns a descriptor that becomes readable when the owner has ended; -1 if there is none. */
int serve_owner_file(void);

/* Starts a thread that ends the process five seconds after the owner's end, even if a driver hangs.
 * Does nothing if the server is not private.  Returns false if there is no thread. */
bool serve_owner_begin(void);

/* Returns NULL, or the reason why a private server must end. */
const char *serve_owner_reason_to_end(void);

/* Returns true if the server may serve this process.  A private server serves only the owner and
 * its descendants.  Any thread. */
bool serve_owner_allows(pid_t peer);

/* ---- serve_devices.c */

/* Tests this process's devices that are suspect.  Returns false if no device works any more. */
bool serve_devices_check(void);

/* Fills in the list of devices that a new client is offered. */
void serve_devices_offer(struct served_welcome *w);

/* Writes a line with backend and name for each device, after their count if there are several; the
 * last line has no newline. */
void serve_devices_list(char *text, size_t size);

/* ---- serve_idle.c: closes unused devices until they are needed */

/* Allows the caller to use devices of this process, and reopens closed devices; returns false if
 * that fails. serve_idle_end must follow in either case.  Do not nest these calls, and do not hold
 * a client's lock. */
bool serve_idle_enter(void);
void serve_idle_end(void);

/* Prevents the opening and closing of devices until serve_idle_leave, which must follow.  Does not
 * open devices. */
void serve_idle_block(void);
void serve_idle_leave(void);
bool serve_idle_is_closed(void);

/* Returns true if devices could not be reopened, so that the server must end. */
bool serve_idle_has_failed(void);

/* Closes the devices if they have not been used for `seconds` seconds and no client has memory on
 * them.  0: never closes them. */
void serve_idle_look(long seconds);

/* ---- serve_slots.c: small products, which clients write to slots in shared memory */

/* Returns true if {p, bytes} overlaps one of the client's blocks of slots (shared memory for small
 * products).  The caller holds the client's lock. */
bool serve_slots_overlap(const struct serve_client *c, const char *p, size_t bytes);

/* Stops small products of the client, and waits until none is running.  The client's threads must
 * have ended. */
void serve_slots_close(struct serve_client *c);

/* ---- serve_objects.c: device memory of clients, by numbers */

/* Returns the object with this number, or NULL.  The caller holds the client's lock. */
struct serve_object *serve_objects_get(const struct serve_client *c, uint64_t number);

/* Allocates device memory of unspecified content, and sets *number to its number. is_shared:
 * allocates memory of zeros that the client can map.  Returns GPU_NOMEM without memory, or if there
 * are too many objects.  Takes the client's lock. */
enum gpu_status serve_objects_alloc(struct serve_client *c, struct serve_device *d, uint64_t bytes,
                                    bool is_shared, uint64_t *number);

/* Returns a descriptor of shared device memory, which the caller closes; -1 if the client has no
 * shared memory of this number.  Takes the client's lock. */
int serve_objects_share(struct serve_client *c, uint64_t number);

/* Waits until no job of the client uses the object, and frees it for the next client.  Clears the
 * object's memory first if the option `clear` is set.  Returns false if no object has this number.
 * Takes the client's lock. */
bool serve_objects_free(struct serve_client *c, uint64_t number);

/* Releases all objects of the client.  The client's threads must have ended. */
void serve_objects_release(struct serve_client *c);

/* ---- serve_request.c */

/* Executes a request of the channel.  Writes the answer to the channel if the request has one
 * (*has_answer).  Returns NULL, or the reason why the client must be dropped. */
const char *serve_request(struct serve_channel *ch, const struct served_request *r,
                          bool *has_answer);

/* ---- serve_channel.c */

/* Starts the channel's thread.  Returns false on failure. */
bool serve_channel_begin(struct serve_channel *ch);

/* Sets how many threads may spin while they wait for requests. */
void serve_channel_spinners(int most);

/* ---- serve_clients.c */

/* Adds a client for process `pid`.  Sets *file to the descriptor of the client's shared memory.
 * The same thread must then call serve_clients_lock.  Until that call, the client stays valid and
 * no device is closed.  On failure, returns NULL and sets *why. */
struct serve_client *serve_clients_add(pid_t pid, int *file, const char **why);

/* Page-locks a new client's memory, unless it came from spare memory.  Until then, jobs copy their
 * data and small products wait.  Call this function after the client has received its answer.  Call
 * it even if the client has ended, because the client's channels may wait for the lock. */
void serve_clients_lock(struct serve_client *c);

/* Returns the client with this token; NULL if there is none.  The client is valid until
 * serve_clients_leave. */
struct serve_client *serve_clients_find(const uint64_t token[2], pid_t pid);
void serve_clients_leave(struct serve_client *c);

/* Ends a client.  `why` is the reason for dropping it; NULL if the client has ended by itself.  Any
 * thread. */
void serve_clients_end(struct serve_client *c, const char *why);

/* Waits at most `ms` milliseconds until a client ends or one of the files is readable.  Returns
 * true if a file is. */
bool serve_clients_watch(const int *files, int count, int ms);

/* Calls work(c) for each client.  Returns true if all calls returned true. */
bool serve_clients_each(bool (*work)(struct serve_client *c));

/* Returns true if a client has memory on a device. */
bool serve_clients_have_memory(void);

/* serve_clients_count returns the number of clients.  serve_clients_list writes a line for each
 * client. */
int serve_clients_count(void);

/* Returns true if the process is a client that has not ended. */
bool serve_clients_has(pid_t pid);
void serve_clients_list(char *text, size_t size);

/* Ends all clients for the reason `why`.  Waits at most `ms` milliseconds until their memory is
 * released. */
void serve_clients_end_all(const char *why, int ms);

/* ---- serve_socket.c */

/* Returns true if the caller has the same version and kernels as this server; otherwise writes the
 * difference to `text`. */
bool serve_socket_same_version(const char version[32], const char build[sizeof gpu_images_id],
                               char *text, size_t size);

/* Returns the socket that systemd has passed, or a new one.  On failure, or if another server runs
 * (*runs), writes a line to the log and returns -1. */
int serve_socket_open(bool *runs);

/* serve_socket_close removes the socket's file if this server has created it.
 * serve_socket_is_there returns true if that file still exists. */
void serve_socket_close(int file);
bool serve_socket_is_there(int file);

/* Answers all processes that are waiting for a connection. */
void serve_socket_accept(int file);

/* Refuses every process that is waiting for a connection, with the reason `why`, then closes the
 * socket. */
void serve_socket_refuse(int file, const char *why);

/* Returns true if a client has asked the server to end. */
bool serve_socket_is_ended(void);

#endif
