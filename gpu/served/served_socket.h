/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The server's socket, for both sides: where it lies, and a message with a descriptor.  Only
 * processes of the same user speak with each other. */
#ifndef MPGPU_SERVED_SOCKET_H
#define MPGPU_SERVED_SOCKET_H

#include <stdbool.h>
#include <sys/types.h>

#include "gpu/served/served.h"

enum {
    SERVED_PATH = 108, /* bytes, as the address of a socket has them */
    SERVED_KEY = 40    /* bytes of a private server's key, with the 0 at its end */
};

struct sockaddr_un;

/* The path of the socket, in a folder of the user's own: in $XDG_RUNTIME_DIR, else in the cache's
 * folder.  False where there is none, or its folder may be another user's; gpu_error_text() tells.
 * `make`: the folder is made. */
bool served_socket_path(char *path, bool make);

/* The address of a private server's socket, and its size.  It is in no folder: the kernel forgets
 * it when the server ends.  `key` is the owner's process, a slash and a number. */
unsigned served_socket_private(const char *key, struct sockaddr_un *address);

/* Does this process have a server of its own (gpu_served_be_private)?  Once `pid` is started with
 * `key`, this process and its children connect to that server alone. */
bool served_socket_is_private(void);
void served_socket_set_private(const char *key, pid_t pid);

/* A connection to the server, or -1 where there is none: gpu_error_text() tells.  *peer is the
 * server's process, which runs for the same user. */
int served_socket_connect(pid_t *peer);

/* The process at the other end if it runs for this user, else 0. */
pid_t served_socket_peer(int connection);

/* Send or receive `bytes` bytes, with a descriptor if *file >= 0; after receiving *file is the
 * descriptor that came, or -1.  False if anything else came, or nothing in time. */
bool served_socket_send(int connection, const void *message, size_t bytes, int file);
bool served_socket_receive(int connection, void *message, size_t bytes, int *file);

/* Ask the server for something, and wait for its answer.  GPU_OK, or what it said. */
enum gpu_status served_socket_ask(struct served_hello *hello, struct served_welcome *welcome,
                                  int *file, pid_t *peer);

/* The same, and waits for the answer for at most so many microseconds. */
enum gpu_status served_socket_ask_within(int64_t us, struct served_hello *hello,
                                         struct served_welcome *welcome, int *file, pid_t *peer);

/* A hash of the variables of the environment that say which devices a driver shows. */
uint64_t served_visible(void);

/* Is that process stopped, as by SIGSTOP? */
bool served_is_stopped(pid_t pid);

/* When a process began, in the system's ticks; 0 if it has ended, or that cannot be seen. */
uint64_t served_begun(pid_t pid);

/* The process's parent; 0 if it has ended, or that cannot be seen. */
pid_t served_parent(pid_t pid);

/* Is the process that began then still there?  Where its beginning cannot be seen, any process of
 * that number is taken for it. */
bool served_lives(pid_t pid, uint64_t begun);

#endif
