/*
 * flock(2), poll(2) and _exit(2) for Node, which has none of them. The lock belongs to the open file, excludes that of Go, Rust, Python
 * and flock(1), and goes with the process that holds it.
 *
 *   tryLock(fd)           true where the lock was free and is ours now
 *   lock(fd, callback)    waits in a thread of its own, then calls back with 0 or an errno
 *   unlock(fd)
 *   isReadable(fd, ms)    true once a read of it would not wait; nothing else happens meanwhile
 *   exit(code)            ends the process as it is, by _exit(2)
 *
 * Threads of libuv's would not do: a process that ends waits for them, and one may wait for a lock for ever. Whoever
 * gives up waiting closes its descriptor; the lock is then let go as soon as it is got.
 */
#define _GNU_SOURCE
#define NAPI_VERSION 8
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <node_api.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* Shared by the thread that waits and the environment that asked; whoever leaves last frees it. */
typedef struct {
  pthread_mutex_t mutex;
  int holders;
  /* Once the environment has gone, nothing of it may be touched. */
  int is_gone;
  int fd;
  int error;
  napi_threadsafe_function answer;
} Wait;

static int lock_file(int fd, int operation) {
  while (flock(fd, operation) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

static napi_value fail(napi_env env, int error) {
  napi_throw_error(env, NULL, strerror(error));
  return NULL;
}

static int read_fd(napi_env env, napi_callback_info info, size_t count, napi_value *arguments) {
  int fd = -1;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  if (count == 0 || napi_get_value_int32(env, arguments[0], &fd) != napi_ok) fd = -1;
  return fd;
}

static napi_value try_lock(napi_env env, napi_callback_info info) {
  napi_value fd, is_ours;
  int error = lock_file(read_fd(env, info, 1, &fd), LOCK_EX | LOCK_NB);
  if (error != 0 && error != EWOULDBLOCK) return fail(env, error);
  napi_get_boolean(env, error == 0, &is_ours);
  return is_ours;
}

static napi_value unlock(napi_env env, napi_callback_info info) {
  napi_value fd;
  int error = lock_file(read_fd(env, info, 1, &fd), LOCK_UN);
  return error == 0 ? NULL : fail(env, error);
}

static napi_value is_readable(napi_env env, napi_callback_info info) {
  napi_value arguments[2], is_ready;
  struct pollfd waited = {.events = POLLIN};
  int timeout = 0;
  int found = 0;
  waited.fd = read_fd(env, info, 2, arguments);
  if (napi_get_value_int32(env, arguments[1], &timeout) != napi_ok || timeout < 0) timeout = 0;
  found = poll(&waited, 1, timeout);
  if (found == -1 && errno != EINTR) return fail(env, errno);
  napi_get_boolean(env, found > 0, &is_ready);
  return is_ready;
}

/* Node would first end its threads and take apart what the kernel takes back as a whole. */
static napi_value exit_at_once(napi_env env, napi_callback_info info) {
  napi_value argument;
  size_t count = 1;
  int code = 1;
  napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
  napi_get_value_int32(env, argument, &code);
  _exit(code);
}

static void leave(Wait *wait) {
  pthread_mutex_lock(&wait->mutex);
  int left = --wait->holders;
  pthread_mutex_unlock(&wait->mutex);
  if (left > 0) return;
  pthread_mutex_destroy(&wait->mutex);
  free(wait);
}

static void *wait_for_lock(void *data) {
  Wait *wait = data;
  int error = lock_file(wait->fd, LOCK_EX);
  close(wait->fd);
  pthread_mutex_lock(&wait->mutex);
  wait->error = error;
  if (!wait->is_gone) napi_call_threadsafe_function(wait->answer, wait, napi_tsfn_nonblocking);
  pthread_mutex_unlock(&wait->mutex);
  leave(wait);
  return NULL;
}

/* The environment ends, by now or later than the wait. */
static void forget(void *data) {
  Wait *wait = data;
  pthread_mutex_lock(&wait->mutex);
  wait->is_gone = 1;
  pthread_mutex_unlock(&wait->mutex);
  leave(wait);
}

static void call_back(napi_env env, napi_value callback, void *context, void *data) {
  Wait *wait = data;
  napi_value receiver, error;
  (void)context;
  /* Without an environment it was forgotten, and may be freed. */
  if (env == NULL) return;
  napi_remove_env_cleanup_hook(env, forget, wait);
  napi_get_undefined(env, &receiver);
  napi_create_int32(env, wait->error, &error);
  napi_call_function(env, receiver, callback, 1, &error, NULL);
  napi_release_threadsafe_function(wait->answer, napi_tsfn_release);
  leave(wait);
}

/* Node lets go of what only a worker thread had loaded, while a thread of ours may still be about to run it. */
static void stay_loaded(void) {
  Dl_info self;
  if (dladdr((void *)stay_loaded, &self) != 0) dlopen(self.dli_fname, RTLD_NOW | RTLD_NODELETE);
}

static napi_value lock(napi_env env, napi_callback_info info) {
  napi_value arguments[2], name;
  int fd = read_fd(env, info, 2, arguments);
  pthread_t thread;
  Wait *wait = malloc(sizeof(Wait));
  if (wait == NULL) return fail(env, ENOMEM);
  /* Another number for the same open file: ours may be closed, and mean another file, before the thread runs. */
  wait->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (wait->fd == -1) {
    int error = errno;
    free(wait);
    return fail(env, error);
  }
  napi_create_string_utf8(env, "flock", NAPI_AUTO_LENGTH, &name);
  if (napi_create_threadsafe_function(env, arguments[1], NULL, name, 0, 1, NULL, NULL, NULL, call_back, &wait->answer) !=
      napi_ok) {
    close(wait->fd);
    free(wait);
    return fail(env, EINVAL);
  }
  /* Whoever waits keeps the process alive by a timer of its own, for as long as it means to wait. */
  napi_unref_threadsafe_function(env, wait->answer);
  stay_loaded();
  pthread_mutex_init(&wait->mutex, NULL);
  wait->holders = 2;
  wait->is_gone = 0;
  int error = pthread_create(&thread, NULL, wait_for_lock, wait);
  if (error != 0) {
    napi_release_threadsafe_function(wait->answer, napi_tsfn_abort);
    close(wait->fd);
    pthread_mutex_destroy(&wait->mutex);
    free(wait);
    return fail(env, error);
  }
  napi_add_env_cleanup_hook(env, forget, wait);
  pthread_detach(thread);
  return NULL;
}

NAPI_MODULE_INIT() {
  const napi_property_descriptor functions[] = {
      {"tryLock", NULL, try_lock, NULL, NULL, NULL, napi_enumerable, NULL},
      {"lock", NULL, lock, NULL, NULL, NULL, napi_enumerable, NULL},
      {"unlock", NULL, unlock, NULL, NULL, NULL, napi_enumerable, NULL},
      {"isReadable", NULL, is_readable, NULL, NULL, NULL, napi_enumerable, NULL},
      {"exit", NULL, exit_at_once, NULL, NULL, NULL, napi_enumerable, NULL},
  };
  napi_define_properties(env, exports, sizeof(functions) / sizeof(*functions), functions);
  return exports;
}
