/* Preloaded: every sync of a file takes MILLRACE_SYNC_MS milliseconds longer, as on a slow disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void wait_like_a_disk(void) {
  const char *text = getenv("MILLRACE_SYNC_MS");
  long ms = text ? atol(text) : 0;
  struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, 0);
}

int fdatasync(int fd) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  wait_like_a_disk();
  return real(fd);
}

int fsync(int fd) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  wait_like_a_disk();
  return real(fd);
}
