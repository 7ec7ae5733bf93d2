/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Connections to other members, as of a client's channels.  Neither side waits for the other to
 * take bytes while the other waits for it to do so: who sends takes what comes meanwhile. */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gpu/error.h"
#include "tools/serve/group/group.h"
#include "tools/serve/group/group_wire.h"

enum { HELLO_SECONDS = 5 };

static struct group_link *links;
static bool is_gone[GROUP_RANKS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of both */

/* ---- opening */

static struct group_link *make(uint32_t rank, int file) {
    struct group_link *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->rank = rank;
    l->file = file;
    pthread_mutex_init(&l->mutex, NULL);
    pthread_mutex_lock(&mutex);
    l->next = links;
    links = l;
    l->is_lost = is_gone[rank];
    pthread_mutex_unlock(&mutex);
    return l;
}

struct group_link *group_link_open(uint32_t rank, uint32_t wish, uint32_t device, uint32_t channel,
                                   uint64_t token[2]) {
    struct group_hello hello = {.wish = wish, .device = device, .channel = channel};
    struct group_welcome welcome;
    pthread_mutex_lock(&mutex);
    bool may_be_there = !is_gone[rank];
    pthread_mutex_unlock(&mutex);
    if (!may_be_there) {
        gpu_fail(GPU_FAILED, "rank %u on %s is gone", rank, group_table.peer[rank].host);
        return NULL;
    }
    memcpy(hello.token, token, sizeof hello.token);
    int file = group_wire_call(rank, &hello, &welcome, HELLO_SECONDS);
    if (file < 0)
        return NULL;
    memcpy(token, welcome.token, sizeof welcome.token);
    group_wire_set_time(file, 0);
    struct group_link *l = make(rank, file);
    if (!l)
        close(file);
    return l;
}

void group_link_close(struct group_link *l) {
    pthread_mutex_lock(&mutex);
    struct group_link **place = &links;
    while (*place != l)
        place = &(*place)->next;
    *place = l->next;
    pthread_mutex_unlock(&mutex);
    close(l->file);
    pthread_mutex_destroy(&l->mutex);
    free(l);
}

void group_link_lose(uint32_t rank) {
    pthread_mutex_lock(&mutex);
    is_gone[rank] = true;
    for (struct group_link *l = links; l; l = l->next)
        if (l->rank == rank)
            shutdown(l->file, SHUT_RDWR);
    pthread_mutex_unlock(&mutex);
}

static enum gpu_status lost(struct group_link *l) {
    l->is_lost = true;
    return gpu_fail(GPU_FAILED, "rank %u on %s is gone", l->rank, group_table.peer[l->rank].host);
}

/* ---- bytes */

/* Takes bytes of reads that have come; false where the connection has ended. */
static bool take_reads(struct group_link *l) {
    while (l->reads > 0) {
        struct group_read *r = &l->read[l->first];
        ssize_t n = recv(l->file, r->to, r->bytes, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return true;
        if (n <= 0)
            return false;
        r->to += n;
        r->bytes -= (size_t)n;
        if (r->bytes == 0) {
            l->first = (l->first + 1) % GROUP_READS;
            l->reads--;
        }
    }
    return true;
}

static bool send_bytes(struct group_link *l, const char *data, size_t bytes) {
    while (bytes > 0) {
        ssize_t n = send(l->file, data, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n > 0) {
            data += n;
            bytes -= (size_t)n;
            continue;
        }
        if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
            return false;
        struct pollfd ready = {.fd = l->file,
                               .events = (short)(POLLOUT | (l->reads > 0 ? POLLIN : 0))};
        if (poll(&ready, 1, -1) > 0 && (ready.revents & POLLIN) && !take_reads(l))
            return false;
    }
    return true;
}

static bool flush(struct group_link *l) {
    size_t bytes = l->kept;
    l->kept = 0;
    return send_bytes(l, l->keeps, bytes);
}

/* What comes behind the reads. */
static bool receive(struct group_link *l, void *data, size_t bytes) {
    struct pollfd ready = {.fd = l->file, .events = POLLIN};
    while (take_reads(l) && l->reads > 0)
        poll(&ready, 1, -1);
    return l->reads == 0 && group_wire_receive(l->file, data, bytes);
}

/* ---- requests */

/* Those that the other side need not begin at once. */
static bool is_quiet(uint32_t op) {
    return op == SERVED_RECORD || op == SERVED_QUEUE_WAIT || op == SERVED_FORGET ||
           op == SERVED_SERIES || op == SERVED_ZERO;
}

static void keep(struct group_link *l, const struct served_request *r) {
    const size_t head = offsetof(struct served_request, args), args = r->nargs * sizeof *r->args;
    memcpy(l->keeps + l->kept, r, head);
    memcpy(l->keeps + l->kept + head, r->args, args);
    l->kept += head + args;
}

enum gpu_status group_link_post(struct group_link *l, const struct served_request *request,
                                const void *data, size_t bytes) {
    bool goes_on = !l->is_lost;
    if (goes_on && l->kept + sizeof *request > sizeof l->keeps)
        goes_on = flush(l);
    if (goes_on)
        keep(l, request);
    if (goes_on && !is_quiet(request->op))
        goes_on = flush(l) && send_bytes(l, data, bytes);
    return goes_on ? GPU_OK : lost(l);
}

enum gpu_status group_link_expect(struct group_link *l, void *to, size_t bytes) {
    struct pollfd ready = {.fd = l->file, .events = POLLIN};
    bool goes_on = !l->is_lost && take_reads(l);
    while (goes_on && l->reads == GROUP_READS) {
        poll(&ready, 1, -1);
        goes_on = take_reads(l);
    }
    if (!goes_on)
        return lost(l);
    if (bytes > 0)
        l->read[(l->first + l->reads++) % GROUP_READS] = (struct group_read){to, bytes};
    return GPU_OK;
}

enum gpu_status group_link_answer(struct group_link *l, uint64_t *value) {
    struct group_answer answer;
    if (l->is_lost || !receive(l, &answer, sizeof answer))
        return lost(l);
    if (value)
        *value = answer.value;
    answer.text[sizeof answer.text - 1] = '\0';
    return answer.status == GPU_OK ? GPU_OK : gpu_fail(answer.status, "%s", answer.text);
}
