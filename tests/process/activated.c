/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Starts mpgpu-serve as systemd's socket activation does: the socket exists first, and the
 * server is started when a client has connected. Prints the server's answer; XDG_RUNTIME_DIR
 * must be set.
 * Usage: activated SERVER */
#include "config.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/served/served_socket.h"

enum { BACKLOG = 8, PASSED = 3 /* PASSED: the descriptor at which systemd passes the socket */ };

static int make_socket(struct sockaddr_un *address) {
    int file = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    address->sun_family = AF_UNIX;
    if (file < 0 || !served_socket_path(address->sun_path, true) ||
        bind(file, (struct sockaddr *)address, sizeof *address) != 0 || listen(file, BACKLOG) != 0)
        exit(1);
    return file;
}

/* Forks a process that waits for a connection and then becomes the server. */
static pid_t start(const char *server, int listening) {
    char pid[16];
    pid_t child = fork();
    if (child != 0)
        return child;
    poll(&(struct pollfd){.fd = listening, .events = POLLIN}, 1, -1);
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    setenv("LISTEN_PID", pid, 1);
    setenv("LISTEN_FDS", "1", 1);
    if (listening != PASSED)
        dup2(listening, PASSED);
    execl(server, "mpgpu-serve", "--foreground", (char *)NULL);
    _exit(127);
}

/* Checks that the server answers, and that it does not remove the socket, which it did not
 * create. */
int main(int argc, char **argv) {
    struct served_hello hello = {.purpose = SERVED_OPEN};
    static struct served_welcome welcome;
    struct sockaddr_un address;
    int file, status;
    pid_t peer;
    if (argc != 2)
        return 2;
    pid_t server = start(argv[1], make_socket(&address));
    bool is_in = served_socket_ask(&hello, &welcome, &file, &peer) == GPU_OK;
    puts(is_in ? "let in" : gpu_error_text());
    if (is_in)
        kill(server, SIGTERM);
    waitpid(server, &status, 0);
    return unlink(address.sun_path) != 0 || WIFSIGNALED(status);
}
