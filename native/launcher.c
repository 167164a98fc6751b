/*
 * The launcher of hooks for Linux: what src/hooks/install/launcher.ts says in shell, for the two ways that are gone thousands
 * of times a day, "nothing waits" and "start Node". A shell takes longer to start than all of this. Whatever is not plain
 * here is left to the shell launcher, which lies beside it and is what both are measured by.
 *
 *   hook <host> <agent> [full|rewake]    as the shell launcher
 *   hook --probe                         says "launcher", so that whoever installs it knows that it runs here
 *
 * It finds beside itself
 *
 *   hook.facts    our home, the Node to start and the words to start it with, a line each
 *   hook.sh       the shell launcher
 */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_TEXT 65536
#define MOST_WORDS 32
#define BOOT_ID "/proc/sys/kernel/random/boot_id"

static char *or_empty(char *text) { return text ? text : ""; }

/* Puts parts of a path together; 0 where that is too long for one. */
static int join(char out[PATH_MAX], const char *a, const char *b, const char *c) {
  size_t at = 0;
  const char *parts[] = {a, b, c};
  for (int i = 0; i < 3; i++) {
    size_t length = strlen(parts[i]);
    if (at + length >= PATH_MAX) return 0;
    memcpy(out + at, parts[i], length + 1);
    at += length;
  }
  return 1;
}

/* A whole text that is not too long and has no NUL in it, from a descriptor that is then closed; 0 where it is none. */
static int read_text(int fd, char out[MOST_TEXT]) {
  ssize_t length = 0, got = 1;
  if (fd < 0) return 0;
  while (got > 0 && length < MOST_TEXT - 1) {
    got = read(fd, out + length, MOST_TEXT - 1 - length);
    if (got > 0) length += got;
  }
  close(fd);
  if (got != 0) return 0;
  out[length] = 0;
  return strlen(out) == (size_t)length;
}

/* The next line, without its end; NULL where nothing is left. */
static char *next_line(char **rest) {
  char *line = *rest;
  if (!*line) return NULL;
  char *end = strchr(line, '\n');
  if (end) *end = 0;
  *rest = end ? end + 1 : line + strlen(line);
  return line;
}

static int is_agent_id(const char *text) {
  return *text && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-") == strlen(text);
}

static int is_newer(const struct stat *a, const struct stat *b) {
  if (a->st_mtim.tv_sec != b->st_mtim.tv_sec) return a->st_mtim.tv_sec > b->st_mtim.tv_sec;
  return a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

/* A quiet file says: made since the machine was started, and every spool that it names is empty. */
static int is_current(int quiet) {
  static char text[MOST_TEXT], boot[MOST_TEXT];
  struct stat spool;
  if (!read_text(quiet, text) || !read_text(open(BOOT_ID, O_RDONLY | O_CLOEXEC), boot)) return 0;
  char *rest = text, *end = strchr(boot, '\n'), *line;
  if (!end || end == boot || !strchr(text, '\n')) return 0;
  *end = 0;
  if (strcmp(next_line(&rest), boot) != 0) return 0;
  while ((line = next_line(&rest))) {
    if (stat(line, &spool) == 0 && spool.st_size > 0) return 0;
  }
  return 1;
}

/* Whether certainly nothing waits for the agent. */
static int is_quiet(const char *home, const char *agent) {
  char path[PATH_MAX];
  struct stat quiet, config;
  if (!is_agent_id(agent) || !join(path, home, "/quiet/", agent)) return 0;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &quiet) != 0 || !S_ISREG(quiet.st_mode)) return 0;
  /* A project that is trusted, or a setting newer than the quiet file, may name another store. */
  if (!join(path, home, "/trusted.json", "") || access(path, F_OK) == 0) return 0;
  if (!join(path, home, "/config.json", "") || (stat(path, &config) == 0 && !is_newer(&quiet, &config))) return 0;
  return is_current(fd);
}

static void note_alive(const char *home, const char *agent) {
  char path[PATH_MAX];
  if (!join(path, home, "/live/", agent)) return;
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);
}

/* Leaves with nothing to say, in the form that the host wants. */
static int leave(const char *host) {
  if (strcmp(host, "cursor") == 0 || strcmp(host, "generic") == 0) write(1, "{}\n", 3);
  return 0;
}

/* Becomes Node, or comes back. `rest` is what the facts say after our home. */
static void start_node(char *rest, const char *home, char *host, char *agent, const char *word) {
  char *words[MOST_WORDS + 8], *line;
  int count = 0;
  struct stat program;
  while (count < MOST_WORDS && (line = next_line(&rest))) words[count++] = line;
  if (count < 2 || *rest || access(words[0], X_OK) != 0) return;
  if (stat(words[count - 1], &program) != 0 || !S_ISREG(program.st_mode)) return;
  words[count++] = "hook";
  words[count++] = "--host";
  words[count++] = host;
  if (*agent) {
    words[count++] = "--agent";
    words[count++] = agent;
  }
  if (strcmp(word, "rewake") == 0) words[count++] = "--rewake";
  words[count] = NULL;
  if (setenv("POSTERN_HOME", home, 1) == 0) execv(words[0], words);
}

/* Where we lie: as the kernel knows it, or where it cannot be asked as we were called. */
static int find_folder(char out[PATH_MAX]) {
  ssize_t length = readlink("/proc/self/exe", out, PATH_MAX - 1);
  const char *called = (const char *)getauxval(AT_EXECFN);
  if (length > 0) out[length] = 0;
  else if (!called || !join(out, called, "", "")) return 0;
  char *end = strrchr(out, '/');
  if (end) *end = 0;
  return end != NULL;
}

int main(int argc, char **argv) {
  static char facts[MOST_TEXT];
  char folder[PATH_MAX], path[PATH_MAX];
  char *host = argc > 1 ? argv[1] : "", *agent = or_empty(getenv("POSTERN_AGENT")), *word = argc > 3 ? argv[3] : "";
  if (strcmp(host, "--probe") == 0) return write(1, "launcher\n", 9) == 9 ? 0 : 1;
  if (!*agent && argc > 2) agent = argv[2];

  if (!find_folder(folder)) return leave(host);

  if (join(path, folder, "/hook.facts", "") && read_text(open(path, O_RDONLY | O_CLOEXEC), facts)) {
    char *rest = facts, *recorded = next_line(&rest), *home = or_empty(getenv("POSTERN_HOME"));
    if (!*home) home = or_empty(recorded);
    if (!*word && !*or_empty(getenv("POSTERN_STORE")) && is_quiet(home, agent)) {
      note_alive(home, agent);
      return leave(host);
    }
    /* Where nobody sits at it Claude Code waits for the watcher before it ends. */
    int is_unattended = strcmp(or_empty(getenv("CLAUDE_CODE_SESSION_ATTENDED")), "0") == 0;
    if (strcmp(word, "rewake") == 0 && is_unattended) return leave(host);
    start_node(rest, home, host, agent, word);
  }
  if (join(path, folder, "/hook.sh", "")) execv(path, argv);
  return leave(host);
}
