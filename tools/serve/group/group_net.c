/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Links to other members by UCX.  UCX's library is loaded only when a group begins, because other
 * servers do not need it. */
#include "config.h"

#include "tools/serve/group/group_net.h"

#include "tools/serve/group/group.h"

#ifdef HAVE_UCX

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <ucp/api/ucp.h>
#include <unistd.h>

#include "gpu/driver.h"
#include "gpu/error.h"

enum {
    LINKS = 2 * GROUP_RANKS,
    MESSAGE = 1,   /* the id of this project's active messages in UCX */
    LOOK_MS = 500, /* the UCX thread checks its lists at least this often */
    /* a thread that waits for an answer calls goes_on (group_net_call) this often */
    CALL_MS = 20,
    MEMORY_PARTS = 4 /* a message may have at most 1/MEMORY_PARTS of the host's memory */
};

/* ---- UCX's functions */

#define UCX(F)                                                                                     \
    F(ucp_init_version)                                                                            \
    F(ucp_config_read)                                                                             \
    F(ucp_config_release)                                                                          \
    F(ucp_worker_create)                                                                           \
    F(ucp_worker_get_address)                                                                      \
    F(ucp_worker_get_efd)                                                                          \
    F(ucp_worker_set_am_recv_handler)                                                              \
    F(ucp_worker_progress)                                                                         \
    F(ucp_worker_arm)                                                                              \
    F(ucp_worker_signal)                                                                           \
    F(ucp_ep_create)                                                                               \
    F(ucp_ep_close_nbx)                                                                            \
    F(ucp_am_send_nbx)                                                                             \
    F(ucp_am_recv_data_nbx)                                                                        \
    F(ucp_am_data_release)                                                                         \
    F(ucp_request_free)                                                                            \
    F(ucs_status_string)

#define FIELD(name) __typeof__(name) *name;
#define NAME(name) #name "\0"
static struct { UCX(FIELD) } ucx;
static struct driver library = {.backend = "ucx",
                                .library = "libucp.so.0",
                                .symbols = UCX(NAME),
                                .functions = &ucx,
                                .mutex = PTHREAD_MUTEX_INITIALIZER};

/* ---- data that other threads share with the UCX thread */

enum kind { JOB, ANSWER };

struct header {
    uint64_t token[2], number;
    uint64_t kind;
};

struct message {
    struct message *next;
    uint64_t link;
    struct header header;
    /* the payload of `bytes` bytes; if is_descriptor, UCX's descriptor of a payload that was not
     * received yet */
    void *payload;
    size_t bytes;
    bool is_descriptor;
};

struct link {
    uint64_t number; /* 0: the entry is unused */
    uint64_t token[2];
    enum { WANTED, OPEN, BROKEN, CLOSING } state;
    ucp_ep_h ep;
    struct group_address to;
};

struct call {
    struct call *next;
    uint64_t link, number;
    bool has_ended;
    void *answer;
    size_t bytes;
    pthread_cond_t changed;
};

struct group_address group_net_address;
static ucp_worker_h worker;
static size_t most_bytes;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* protects those below but arriving */
static struct link links[LINKS];
static struct call *calls;
static struct message *posted, **last_posted = &posted;
/* messages whose payload was not received yet; only the UCX thread uses this list */
static struct message *arriving;
static uint64_t numbers;

static void free_message(struct message *m) {
    if (!m->is_descriptor)
        free(m->payload);
    free(m);
}

/* Returns the link with this number, or NULL.  The caller holds the mutex. */
static struct link *find(uint64_t number) {
    for (unsigned i = 0; i < LINKS; i++)
        if (number && links[i].number == number)
            return &links[i];
    return NULL;
}

static void fail_calls(uint64_t link) {
    for (struct call *c = calls; c; c = c->next)
        if (c->link == link) {
            c->has_ended = true;
            pthread_cond_signal(&c->changed);
        }
}

/* ---- received messages; these functions run in the UCX thread, `make` also in others */

static void end_call(struct message *m) {
    pthread_mutex_lock(&mutex);
    struct call *c = calls;
    while (c && (c->number != m->header.number || c->link != m->link))
        c = c->next;
    if (c && !c->has_ended) {
        c->has_ended = true;
        c->answer = m->payload;
        c->bytes = m->payload ? m->bytes : 0;
        m->payload = NULL;
        pthread_cond_signal(&c->changed);
    }
    pthread_mutex_unlock(&mutex);
}

/* Handles a received message: an answer or a job.  If the payload is missing, the sender or this
 * process had too little memory for it. */
static void take(struct message *m) {
    if (m->header.kind == ANSWER) {
        end_call(m);
    } else if (!m->payload) {
        group_net_answer(m->link, m->header.number, NULL, 0);
    } else {
        group_job_begin(m->link, m->header.number, m->payload, m->bytes);
        m->payload = NULL;
    }
    free_message(m);
}

static void on_received(void *request, ucs_status_t status, size_t bytes, void *message) {
    (void)bytes;
    struct message *m = message;
    if (status != UCS_OK) {
        free(m->payload);
        m->payload = NULL;
    }
    take(m);
    ucx.ucp_request_free(request);
}

static void receive(struct message *m) {
    void *descriptor = m->payload;
    const ucp_request_param_t how = {.op_attr_mask =
                                         UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                     .cb.recv_am = on_received,
                                     .user_data = m};
    m->payload = malloc(m->bytes);
    m->is_descriptor = false;
    if (!m->payload)
        ucx.ucp_am_data_release(worker, descriptor);
    ucs_status_ptr_t request =
        m->payload ? ucx.ucp_am_recv_data_nbx(worker, descriptor, m->payload, m->bytes, &how)
                   : NULL;
    if (UCS_PTR_IS_ERR(request)) {
        free(m->payload);
        m->payload = NULL;
    }
    if (!UCS_PTR_IS_PTR(request))
        take(m);
}

static struct message *make(uint64_t link, const struct header *header, size_t bytes) {
    struct message *m = calloc(1, sizeof *m);
    if (m)
        *m = (struct message){.link = link, .header = *header, .bytes = bytes};
    return m;
}

/* Returns the number of the link that has the header's token; 0 if there is none. */
static uint64_t link_of(const struct header *h) {
    uint64_t number = 0;
    pthread_mutex_lock(&mutex);
    for (unsigned i = 0; i < LINKS && !number; i++)
        if (links[i].number && links[i].state <= OPEN &&
            memcmp(links[i].token, h->token, sizeof h->token) == 0)
            number = links[i].number;
    pthread_mutex_unlock(&mutex);
    return number;
}

static ucs_status_t on_message(void *unused, const void *header, size_t header_bytes, void *data,
                               size_t bytes, const ucp_am_recv_param_t *param) {
    struct header h;
    (void)unused;
    const bool is_known = header_bytes == sizeof h;
    if (is_known)
        memcpy(&h, header, sizeof h);
    const uint64_t link = is_known ? link_of(&h) : 0;
    struct message *m = link && h.kind <= ANSWER ? make(link, &h, bytes) : NULL;
    if (!m) {
        serve_log(1, "a message that no member sends is dropped");
        return UCS_OK;
    }
    if (bytes == 0 || bytes > most_bytes) {
        take(m);
        return UCS_OK;
    }
    if (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) {
        m->is_descriptor = true;
        m->payload = data;
        m->next = arriving;
        arriving = m;
        return UCS_INPROGRESS;
    }
    m->payload = malloc(bytes);
    if (m->payload)
        memcpy(m->payload, data, bytes);
    take(m);
    return UCS_OK;
}

/* ---- sent messages; these functions run in the UCX thread */

static void on_sent(void *request, ucs_status_t status, void *message) {
    (void)status; /* if sending failed, on_error reports the broken link */
    free_message(message);
    ucx.ucp_request_free(request);
}

static void send_message(ucp_ep_h ep, struct message *m) {
    const ucp_request_param_t how = {.op_attr_mask =
                                         UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                     .cb.send = on_sent,
                                     .user_data = m};
    ucs_status_ptr_t request =
        ucx.ucp_am_send_nbx(ep, MESSAGE, &m->header, sizeof m->header, m->payload, m->bytes, &how);
    if (!request || UCS_PTR_IS_ERR(request))
        free_message(m);
}

static void set_broken(struct link *l, const char *why) {
    pthread_mutex_lock(&mutex);
    if (l->number && l->state != CLOSING) {
        l->state = BROKEN;
        fail_calls(l->number);
        serve_log(2, "a link of the group is broken: %s", why);
    }
    pthread_mutex_unlock(&mutex);
}

static void on_error(void *link, ucp_ep_h ep, ucs_status_t status) {
    (void)ep;
    set_broken(link, ucx.ucs_status_string(status));
}

static void open_link(struct link *l) {
    const ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
                                                  UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                                                  UCP_EP_PARAM_FIELD_ERR_HANDLER,
                                    .address = (const ucp_address_t *)l->to.byte,
                                    .err_mode = UCP_ERR_HANDLING_MODE_PEER,
                                    .err_handler = {.cb = on_error, .arg = l}};
    ucp_ep_h ep = NULL;
    ucs_status_t status = ucx.ucp_ep_create(worker, &params, &ep);
    l->ep = ep;
    if (status != UCS_OK)
        set_broken(l, ucx.ucs_status_string(status));
}

static void close_link(struct link *l) {
    const ucp_request_param_t how = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                     .flags = UCP_EP_CLOSE_FLAG_FORCE};
    ucs_status_ptr_t request = l->ep ? ucx.ucp_ep_close_nbx(l->ep, &how) : NULL;
    if (UCS_PTR_IS_PTR(request))
        ucx.ucp_request_free(request);
    pthread_mutex_lock(&mutex);
    l->ep = NULL;
    l->number = 0;
    pthread_mutex_unlock(&mutex);
}

/* Opens links in state WANTED, and closes links in state CLOSING. */
static void look_at_links(void) {
    for (unsigned i = 0; i < LINKS; i++) {
        struct link *l = &links[i];
        pthread_mutex_lock(&mutex);
        const bool is_wanted = l->number && l->state == WANTED;
        const bool is_closing = l->number && l->state == CLOSING;
        if (is_wanted)
            l->state = OPEN;
        pthread_mutex_unlock(&mutex);
        if (is_wanted)
            open_link(l);
        if (is_closing)
            close_link(l);
    }
}

/* Takes the next message from the list.  Returns NULL if there is none, or if its link is not open
 * yet; `work`, which opens the link, must then run again.  Sets *ep to NULL if the message can no
 * longer be sent. */
static struct message *next_posted(ucp_ep_h *ep) {
    pthread_mutex_lock(&mutex);
    const struct link *l = posted ? find(posted->link) : NULL;
    struct message *m = l && l->state == WANTED ? NULL : posted;
    if (m && !(posted = m->next))
        last_posted = &posted;
    *ep = l && l->state == OPEN ? l->ep : NULL;
    if (l && m)
        memcpy(m->header.token, l->token, sizeof l->token);
    pthread_mutex_unlock(&mutex);
    return m;
}

/* Opens and closes links, sends and receives.  Returns true if there was a message. */
static bool work(void) {
    ucp_ep_h ep;
    struct message *m, *arrives = arriving;
    arriving = NULL;
    bool any = arrives != NULL;
    for (; (m = arrives); any = true) {
        arrives = m->next;
        receive(m);
    }
    look_at_links();
    for (; (m = next_posted(&ep)); any = true)
        if (ep)
            send_message(ep, m);
        else
            free_message(m);
    return any;
}

static void *run(void *file) {
    struct pollfd event = {.fd = (int)(intptr_t)file, .events = POLLIN};
    for (;;) {
        bool any = false;
        while (ucx.ucp_worker_progress(worker))
            any = true;
        if (work() || any)
            continue;
        if (ucx.ucp_worker_arm(worker) == UCS_OK)
            poll(&event, 1, LOOK_MS);
    }
    return NULL;
}

/* ---- the beginning */

static ucs_status_t open_worker(int *file) {
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                 .features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP};
    const ucp_worker_params_t single = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                        .thread_mode = UCS_THREAD_MODE_SINGLE};
    const ucp_am_handler_param_t handler = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
                                                          UCP_AM_HANDLER_PARAM_FIELD_CB,
                                            .id = MESSAGE,
                                            .cb = on_message};
    ucp_config_t *config;
    ucp_context_h context;
    ucs_status_t status = ucx.ucp_config_read(NULL, NULL, &config);
    if (status != UCS_OK)
        return status;
    status = ucx.ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, config, &context);
    ucx.ucp_config_release(config);
    if (status == UCS_OK)
        status = ucx.ucp_worker_create(context, &single, &worker);
    if (status == UCS_OK)
        status = ucx.ucp_worker_set_am_recv_handler(worker, &handler);
    return status == UCS_OK ? ucx.ucp_worker_get_efd(worker, file) : status;
}

static ucs_status_t find_address(void) {
    ucp_address_t *address;
    size_t bytes;
    ucs_status_t status = ucx.ucp_worker_get_address(worker, &address, &bytes);
    if (status == UCS_OK && bytes > GROUP_ADDRESS_BYTES)
        return UCS_ERR_BUFFER_TOO_SMALL;
    if (status == UCS_OK) {
        group_net_address.bytes = (uint32_t)bytes;
        memcpy(group_net_address.byte, address, bytes);
    }
    return status;
}

/* Loads UCX, after setting UCX's environment variables.  They keep UCX's signal handlers and memory
 * hooks out of this process, which has a GPU driver. */
bool group_net_begin(bool is_one_host) {
    int file = -1;
    pthread_t thread;
    setenv("UCX_HANDLE_ERRORS", "none", 0);
    setenv("UCX_MEM_EVENTS", "no", 0);
    if (is_one_host)
        setenv("UCX_NET_DEVICES", "lo", 0);
    if (driver_get(&library) != GPU_OK) {
        serve_log(1, "no group without UCX: %s", gpu_error_text());
        return false;
    }
    most_bytes = (size_t)sysconf(_SC_PHYS_PAGES) / MEMORY_PARTS * (size_t)sysconf(_SC_PAGESIZE);
    ucs_status_t status = open_worker(&file);
    if (status == UCS_OK)
        status = find_address();
    if (status != UCS_OK) {
        serve_log(1, "no group: UCX: %s", ucx.ucs_status_string(status));
        return false;
    }
    if (pthread_create(&thread, NULL, run, (void *)(intptr_t)file) != 0) {
        serve_log(1, "no group: no thread for UCX");
        return false;
    }
    pthread_detach(thread);
    return true;
}

/* ---- functions that other threads call */

uint64_t group_net_open(const struct group_address *to, const uint64_t token[2]) {
    uint64_t number = 0;
    pthread_mutex_lock(&mutex);
    for (unsigned i = 0; i < LINKS && !number; i++)
        if (!links[i].number) {
            number = ++numbers;
            links[i] = (struct link){.number = number, .state = WANTED, .to = *to};
            memcpy(links[i].token, token, sizeof links[i].token);
        }
    pthread_mutex_unlock(&mutex);
    ucx.ucp_worker_signal(worker);
    return number;
}

void group_net_close(uint64_t link) {
    pthread_mutex_lock(&mutex);
    struct link *l = find(link);
    if (l) {
        l->state = CLOSING;
        fail_calls(link);
    }
    pthread_mutex_unlock(&mutex);
    ucx.ucp_worker_signal(worker);
}

bool group_net_is_open(uint64_t link) {
    pthread_mutex_lock(&mutex);
    const struct link *l = find(link);
    const bool is_open = l && l->state <= OPEN;
    pthread_mutex_unlock(&mutex);
    return is_open;
}

static bool post(uint64_t link, enum kind kind, uint64_t number, void *payload, size_t bytes) {
    const struct header header = {.number = number, .kind = kind};
    struct message *m = make(link, &header, bytes);
    if (!m) {
        free(payload);
        return false;
    }
    m->payload = payload;
    pthread_mutex_lock(&mutex);
    *last_posted = m;
    last_posted = &m->next;
    pthread_mutex_unlock(&mutex);
    ucx.ucp_worker_signal(worker);
    return true;
}

void group_net_answer(uint64_t link, uint64_t number, void *payload, size_t bytes) {
    post(link, ANSWER, number, payload, bytes);
}

static void begin_call(struct call *c) {
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&c->changed, &clock);
    pthread_condattr_destroy(&clock);
    pthread_mutex_lock(&mutex);
    const struct link *l = find(c->link);
    c->number = ++numbers;
    c->has_ended = !l || l->state > OPEN;
    c->next = calls;
    calls = c;
    pthread_mutex_unlock(&mutex);
}

/* Waits until the call has ended, at most CALL_MS.  Returns false if it has not ended by then.  The
 * caller holds the mutex. */
static bool wait_for_call(struct call *c) {
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += CALL_MS * 1000000L;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    return c->has_ended || pthread_cond_timedwait(&c->changed, &mutex, &end) == 0;
}

static void end_of_call(struct call *c) {
    struct call **place = &calls;
    while (*place != c)
        place = &(*place)->next;
    *place = c->next;
    pthread_cond_destroy(&c->changed);
}

void *group_net_call(uint64_t link, void *payload, size_t *bytes, bool (*goes_on)(void *of),
                     void *of) {
    struct call c = {.link = link};
    begin_call(&c);
    bool is_under_way = post(link, JOB, c.number, payload, *bytes);
    pthread_mutex_lock(&mutex);
    while (is_under_way && !c.has_ended) {
        if (wait_for_call(&c))
            continue;
        pthread_mutex_unlock(&mutex);
        is_under_way = goes_on(of);
        pthread_mutex_lock(&mutex);
    }
    end_of_call(&c);
    pthread_mutex_unlock(&mutex);
    *bytes = c.bytes;
    return c.answer;
}

#else

#include <stdlib.h>

struct group_address group_net_address;

bool group_net_begin(bool is_one_host) {
    (void)is_one_host;
    serve_log(1, "no group: this mpgpu-serve was built without UCX (configure --with-ucx)");
    return false;
}

uint64_t group_net_open(const struct group_address *to, const uint64_t token[2]) {
    (void)to, (void)token;
    return 0;
}

void group_net_close(uint64_t link) {
    (void)link;
}

bool group_net_is_open(uint64_t link) {
    (void)link;
    return false;
}

void *group_net_call(uint64_t link, void *payload, size_t *bytes, bool (*goes_on)(void *of),
                     void *of) {
    (void)link, (void)bytes, (void)goes_on, (void)of;
    free(payload);
    return NULL;
}

void group_net_answer(uint64_t link, uint64_t number, void *payload, size_t bytes) {
    (void)link, (void)number, (void)bytes;
    free(payload);
}
#endif
