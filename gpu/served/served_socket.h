/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The server's socket, for the server and its clients: its path, and messages that can contain a
 * descriptor. Both processes must belong to the same user. */
#ifndef MPGPU_SERVED_SOCKET_H
#define MPGPU_SERVED_SOCKET_H

#include <stdbool.h>
#include <sys/types.h>

#include "gpu/served/served.h"

enum {
    /* The least number of a descriptor that stays open. Higher numbers than 63 would make the table
     * of descriptors grow, for which a process with threads waits about 20 ms. */
    SERVED_FIRST_FILE = 40,
    SERVED_PATH = 108, /* bytes of a path in struct sockaddr_un */
    SERVED_KEY = 40    /* bytes of a private server's key, including the final 0 */
};

struct sockaddr_un;

/* Sets `path` to the path of the socket. Its folder belongs to the user: in $XDG_RUNTIME_DIR,
 * otherwise in the cache's folder. Creates the folder if `make` is set. Returns false, with
 * gpu_error_text(), if there is no folder that this user alone may use. */
bool served_socket_path(char *path, bool make);

/* Sets *address to the socket address of a private server, and returns its size. The address is
 * abstract: it is no file and vanishes when the server ends. `key` is the owner's process number, a
 * slash and a number. */
unsigned served_socket_private(const char *key, struct sockaddr_un *address);

/* served_socket_is_private returns true if this process uses a private server
 * (gpu_served_be_private). served_socket_set_private records that the private server is process
 * `pid`, started with `key`: from then on this process and its children connect to that server
 * alone. */
bool served_socket_is_private(void);
void served_socket_set_private(const char *key, pid_t pid);

/* Moves a descriptor to SERVED_FIRST_FILE or above. Programs use low numbers: while another thread
 * waits for the server, a program may close all of them or use them again. Returns the new number;
 * `file` itself if that fails. */
int served_file_move(int file);

/* Connects to the server. Returns the connection, or -1 with gpu_error_text() and errno. errno is
 * EPERM if the server belongs to another user or is in another PID namespace. Sets *peer to the
 * server's process, which belongs to the same user. */
int served_socket_connect(pid_t *peer);

/* Returns the process at the other end if it belongs to this user, otherwise 0. */
pid_t served_socket_peer(int connection);

/* Send or receive a message of `bytes` bytes. served_socket_send includes a descriptor if file >=
 * 0. served_socket_receive sets *file to the received descriptor or -1. Both return false on
 * failure, on a message of another size, or on timeout. */
bool served_socket_send(int connection, const void *message, size_t bytes, int file);
bool served_socket_receive(int connection, void *message, size_t bytes, int *file);

/* Microseconds to wait for the answer to a message that the server answers at once. */
enum { SERVED_ANSWER_US = 1000000 };

/* Sends *hello to the server and waits for its answer. Returns the status of the answer; without
 * one, GPU_ABSENT or GPU_FAILED. */
enum gpu_status served_socket_ask(struct served_hello *hello, struct served_welcome *welcome,
                                  int *file, pid_t *peer);

/* As served_socket_ask, but waits for the answer for at most `us` microseconds. */
enum gpu_status served_socket_ask_within(int64_t us, struct served_hello *hello,
                                         struct served_welcome *welcome, int *file, pid_t *peer);

/* Returns a hash of the environment variables that determine which devices a driver shows. */
uint64_t served_visible(void);

/* Returns true if the process is stopped, as by SIGSTOP. */
bool served_is_stopped(pid_t pid);

/* Returns the start time of a process in clock ticks; 0 if it has ended or cannot be seen. */
uint64_t served_begun(pid_t pid);

/* Returns the parent of a process; 0 if the process has ended or cannot be seen. */
pid_t served_parent(pid_t pid);

/* Returns true if process `pid` that started at `begun` is still alive.  If start times cannot be
 * read, any process with this number counts. */
bool served_lives(pid_t pid, uint64_t begun);

#endif
