/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests how the servers of a group (members) connect to each other, and which connections they
 * refuse. Both ends of a connection are in this process. A "stranger" is a peer that does not use
 * group_wire_call, or does not answer like a member. */
#include "config.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/testing.h"
#include "tools/serve/group/group.h"
#include "tools/serve/group/group_wire.h"

enum { SECONDS = 10 };

static struct sockaddr_in address;

static int listen_here(void) {
    socklen_t size = sizeof address;
    int file = socket(AF_INET, SOCK_STREAM, 0);
    address =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    ck_assert_int_eq(bind(file, (struct sockaddr *)&address, sizeof address), 0);
    ck_assert_int_eq(listen(file, 8), 0);
    ck_assert_int_eq(getsockname(file, (struct sockaddr *)&address, &size), 0);
    return file;
}

/* Makes a table of the group's servers. Rank 0 is this process; rank 1 is at the address of the
 * test's socket, which rank 0 uses, too. */
static void make_table(void) {
    struct group_table *t = &group_table;
    memset(t, 0, sizeof *t);
    t->ranks = 2;
    t->file = listen_here();
    memset(t->key, 7, sizeof t->key);
    snprintf(t->peer[1].host, sizeof t->peer[1].host, "elsewhere");
    t->peer[1].port = ntohs(address.sin_port);
    t->peer[1].addresses = 1;
    t->peer[1].address[0] = address.sin_addr.s_addr;
}

static int join(struct group_welcome *w) {
    struct group_hello hello = {.token = {1, 2}};
    return group_wire_call(1, &hello, w, SECONDS);
}

START_TEST(members_join) {
    static struct group_welcome w;
    char one = GROUP_PING;
    bool any;
    make_table();
    if (!group_net_begin(true)) {
        puts("skipped: members join: no UCX");
        return;
    }
    group_member_begin();
    group_member_is_ready();
    int file = join(&w);
    ck_assert_msg(file >= 0, "%s", gpu_error_text());
    ck_assert_uint_eq(w.devices, 0);
    ck_assert_int_eq(group_member_joined(&any), 1);
    ck_assert(group_wire_send(file, &one, 1) && group_wire_receive(file, &one, 1));
    ck_assert_int_eq(one, GROUP_PING);
    ck_assert(!group_member_is_ended());
    one = GROUP_END;
    ck_assert(group_wire_send(file, &one, 1) && group_wire_receive(file, &one, 1));
    ck_assert(group_member_is_ended());
    close(file);
    for (int i = 0; i < 1000 && group_member_joined(&any) > 0; i++)
        usleep(10000);
    ck_assert_int_eq(group_member_joined(&any), 0);
    ck_assert(any);
}
END_TEST

/* ---- connections to a member */

/* Connects to the member and receives its challenge. */
static int call(struct group_challenge *challenge) {
    int file = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(connect(file, (struct sockaddr *)&address, sizeof address), 0);
    group_wire_set_time(file, SECONDS);
    ck_assert(group_wire_receive(file, challenge, sizeof *challenge));
    return file;
}

static struct group_hello hello_of(const char *version, const struct group_challenge *challenge) {
    struct group_hello hello = {.magic = GROUP_MAGIC};
    snprintf(hello.version, sizeof hello.version, "%s", version);
    memcpy(hello.build, gpu_images_id, sizeof hello.build);
    group_wire_prove(challenge->nonce, &hello, offsetof(struct group_hello, proof), hello.proof);
    return hello;
}

START_TEST(another_version_is_told) {
    static struct group_welcome w;
    struct group_challenge challenge;
    make_table();
    group_member_begin();
    int file = call(&challenge);
    struct group_hello hello = hello_of("0.0.0", &challenge);
    ck_assert(group_wire_send(file, &hello, sizeof hello));
    ck_assert(group_wire_receive(file, &w, sizeof w));
    ck_assert_int_eq(w.status, GPU_ABSENT);
    ck_assert(strstr(w.text, "version " PACKAGE_VERSION) != NULL);
    close(file);
}
END_TEST

/* Sends proofs (codes that show that the sender has the group's key) that were made for another
 * connection or message, or changed. The member must not answer. */
START_TEST(without_the_key_there_is_no_answer) {
    static struct group_welcome w;
    struct group_challenge challenge;
    make_table();
    group_member_begin();
    for (int wrong = 0; wrong < 3; wrong++) {
        int file = call(&challenge);
        challenge.nonce[0] ^= wrong == 0;
        struct group_hello hello = hello_of(PACKAGE_VERSION, &challenge);
        hello.proof[31] ^= wrong == 1;
        hello.rank += wrong == 2;
        ck_assert(group_wire_send(file, &hello, sizeof hello));
        ck_assert(!group_wire_receive(file, &w, 1));
        close(file);
    }
}
END_TEST

/* ---- connections from a member to a stranger */

/* If true, the stranger proves that it has the group's key, and then refuses the connection. */
static bool has_key;

static void *be_stranger(void *unused) {
    static struct group_welcome w;
    struct group_challenge challenge = {.magic = GROUP_MAGIC};
    struct group_hello hello;
    (void)unused;
    int file = accept(group_table.file, NULL, NULL);
    group_wire_send(file, &challenge, sizeof challenge);
    group_wire_receive(file, &hello, sizeof hello);
    w = (struct group_welcome){.magic = GROUP_MAGIC, .status = has_key ? GPU_ABSENT : GPU_OK};
    snprintf(w.text, sizeof w.text, "it is version 9");
    if (has_key)
        group_wire_prove(hello.nonce, &w, offsetof(struct group_welcome, proof), w.proof);
    group_wire_send(file, &w, sizeof w);
    close(file);
    return NULL;
}

START_TEST(strangers_are_named) {
    static struct group_welcome w;
    pthread_t thread;
    for (int i = 0; i < 2; i++) {
        make_table();
        has_key = i == 1;
        ck_assert_int_eq(pthread_create(&thread, NULL, be_stranger, NULL), 0);
        int file = join(&w);
        ck_assert_int_eq(file >= 0, has_key);
        ck_assert_str_eq(has_key ? w.text : gpu_error_text(),
                         has_key ? "it is version 9" : "rank 1 on elsewhere does not answer");
        if (file >= 0)
            close(file);
        pthread_join(thread, NULL);
        close(group_table.file);
    }
    ck_assert_int_eq(join(&w), -1); /* nobody listens */
}
END_TEST

/* ---- group files that users write */

#define KEY "key 0123456789abcdef0123456789abcdef0123456789ABCDEF0123456789abcdef\n"

static const char *read_text(const char *text, mode_t mode) {
    char path[] = "/tmp/mpgpu-test-group.XXXXXX";
    int file = mkstemp(path);
    ck_assert(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    ck_assert_int_eq(fchmod(file, mode), 0);
    close(file);
    memset(&group_table, 0, sizeof group_table);
    const char *wrong = group_table_read(path);
    unlink(path);
    return wrong;
}

START_TEST(a_file_names_the_members) {
    const char *wrong =
        read_text("# two hosts\n" KEY "\n192.0.2.1 7000\n 127.0.0.1\t7999 # here\n", 0600);
    ck_assert_msg(!wrong, "%s", wrong);
    ck_assert_uint_eq(group_table.ranks, 2);
    ck_assert_uint_eq(group_table.rank, 1);
    ck_assert_uint_eq(group_table.key[1], 0x23);
    ck_assert_str_eq(group_table.peer[0].host, "192.0.2.1");
    ck_assert_uint_eq(group_table.peer[0].port, 7000);
    ck_assert(group_is_leader() && !group_is_near(0));
    close(group_table.file);
}
END_TEST

START_TEST(bad_files_are_refused) {
    static const char *const bad[] = {"",
                                      KEY,
                                      "127.0.0.1 7999\n",
                                      KEY "127.0.0.1\n",
                                      KEY "127.0.0.1 0\n",
                                      KEY "127.0.0.1 65536\n",
                                      KEY "127.0.0.1 79990000\n",
                                      KEY "127.0.0.1 7999x\n",
                                      KEY "127.0.0.1 7999 7998\n",
                                      KEY "localhost 7999\n",
                                      "key 00\n127.0.0.1 7999\n",
                                      KEY "192.0.2.1 7999\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_msg(read_text(bad[i], 0600), "%zu", i);
        ck_assert_uint_eq(group_table.ranks, 0);
    }
    ck_assert(read_text(KEY "127.0.0.1 7999\n", 0640));
    ck_assert(group_table_read("/nowhere"));
    if (access("/dev/zero", R_OK) == 0) /* one endless line, if it is private */
        ck_assert(group_table_read("/dev/zero"));
}
END_TEST

int main(void) {
    return testing_main("group", 4,
                        TESTS(ONCE(members_join), ONCE(another_version_is_told),
                              ONCE(without_the_key_there_is_no_answer), ONCE(strangers_are_named),
                              ONCE(a_file_names_the_members), ONCE(bad_files_are_refused)));
}
