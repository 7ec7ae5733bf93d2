/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The connection of a member to another member. */
#include "config.h"

#include "tools/serve/group/group_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "gpu/error.h"

enum { CONNECT_MS = 3000, IDLE_SECONDS = 10 };

/* ---- proofs */

void group_wire_prove(const unsigned char *nonce, const void *message, size_t bytes,
                      unsigned char *proof) {
    struct sha256 h;
    sha256_start(&h);
    sha256_feed(&h, group_table.key, GROUP_KEY);
    sha256_feed(&h, nonce, GROUP_NONCE);
    sha256_feed(&h, message, bytes);
    sha256_end(&h, proof);
}

/* Returns true if the proof is right.  Takes the same time wherever the proofs differ, so that
 * timing reveals nothing. */
bool group_wire_is_proved(const unsigned char *nonce, const void *message, size_t bytes,
                          const unsigned char *proof) {
    unsigned char right[SHA256_BYTES], differs = 0;
    group_wire_prove(nonce, message, bytes, right);
    for (int i = 0; i < SHA256_BYTES; i++)
        differs |= right[i] ^ proof[i];
    return differs == 0;
}

/* ---- bytes */

bool group_wire_send(int file, const void *data, size_t bytes) {
    for (const char *at = data; bytes > 0;) {
        ssize_t n = send(file, at, bytes, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        bytes -= (size_t)n;
    }
    return true;
}

bool group_wire_receive(int file, void *data, size_t bytes) {
    for (char *at = data; bytes > 0;) {
        ssize_t n = recv(file, at, bytes, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        bytes -= (size_t)n;
    }
    return true;
}

/* Sets the time limit of sends and receives.  Also enables TCP keepalive, which finds a host that
 * failed without closing the connection. */
void group_wire_set_time(int file, int seconds) {
    const struct timeval time = {.tv_sec = seconds};
    const int on = 1, idle = IDLE_SECONDS;
    setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
    setsockopt(file, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(file, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/* ---- calling */

static bool connect_in_time(int file, const struct sockaddr_in *address) {
    struct pollfd ready = {.fd = file, .events = POLLOUT};
    int error = 0;
    socklen_t size = sizeof error;
    if (connect(file, (const struct sockaddr *)address, sizeof *address) == 0)
        return true;
    return errno == EINPROGRESS && poll(&ready, 1, CONNECT_MS) > 0 &&
           getsockopt(file, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

static int connect_to(uint32_t address, uint32_t port) {
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {.s_addr = address}};
    int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (file < 0 || !connect_in_time(file, &to)) {
        if (file >= 0)
            close(file);
        return -1;
    }
    fcntl(file, F_SETFL, 0);
    return file;
}

/* Proofs both ways. */
static bool introduce(int file, struct group_hello *hello, struct group_welcome *welcome) {
    struct group_challenge challenge;
    if (!group_wire_receive(file, &challenge, sizeof challenge) || challenge.magic != GROUP_MAGIC ||
        getrandom(hello->nonce, GROUP_NONCE, 0) != GROUP_NONCE)
        return false;
    group_wire_prove(challenge.nonce, hello, offsetof(struct group_hello, proof), hello->proof);
    return group_wire_send(file, hello, sizeof *hello) &&
           group_wire_receive(file, welcome, sizeof *welcome) && welcome->magic == GROUP_MAGIC &&
           group_wire_is_proved(hello->nonce, welcome, offsetof(struct group_welcome, proof),
                                welcome->proof) &&
           welcome->address.bytes <= GROUP_ADDRESS_BYTES;
}

int group_wire_call(uint32_t rank, struct group_hello *hello, struct group_welcome *welcome,
                    int seconds) {
    const struct group_peer *peer = &group_table.peer[rank];
    hello->magic = GROUP_MAGIC;
    hello->rank = group_table.rank;
    hello->address = group_net_address;
    snprintf(hello->version, sizeof hello->version, "%s", PACKAGE_VERSION);
    memcpy(hello->build, gpu_images_id, sizeof hello->build);
    for (uint32_t i = 0; i < peer->addresses; i++) {
        int file = connect_to(peer->address[i], peer->port);
        if (file < 0)
            continue;
        group_wire_set_time(file, seconds);
        if (introduce(file, hello, welcome))
            return file;
        close(file);
    }
    gpu_fail(GPU_FAILED, "rank %u on %s does not answer", rank, peer->host);
    return -1;
}
