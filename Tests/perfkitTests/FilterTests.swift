import Foundation
import Glibc
import PerfTestSupport
import Testing

@testable import perfkit

/// `perfkit record` over programs that forbid system calls to their own threads (seccomp).
@Suite(.serialized) struct FilterTests {
  /// What a program does under a filter of its own, and says of it.
  private static let program = """
    #define _GNU_SOURCE
    #include <linux/filter.h>
    #include <linux/seccomp.h>
    #include <pthread.h>
    #include <sched.h>
    #include <signal.h>
    #include <stddef.h>
    #include <stdio.h>
    #include <string.h>
    #include <sys/prctl.h>
    #include <sys/syscall.h>
    #include <sys/wait.h>
    #include <time.h>
    #include <unistd.h>

    static void work(long n) { volatile long x = 0; while (n--) x += n; }
    static void rest(long us) {
      const struct timespec pause = {0, us * 1000};
      nanosleep(&pause, NULL);
    }
    // What happens to a thread that makes one of two calls; for itself, or for all threads.
    static int forbid(int one, int other, unsigned what, int for_all) {
      struct sock_filter filter[] = {
          BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, one, 1, 0),
          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, other, 0, 1),
          BPF_STMT(BPF_RET | BPF_K, what),
          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
      struct sock_fprog program = {5, filter};
      prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
      if (for_all)
        return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
      return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    }
    static void say_end(pid_t child) {
      int status = 0;
      waitpid(child, &status, 0);
      printf("exit %d signal %d\\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1,
             WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    }
    static void *behind(void *unused) { rest(60000); printf("behind\\n"); return unused; }
    static void *between(void *unused) {
      for (;;) { unshare(CLONE_NEWUSER); rest(300); }
      return unused;
    }

    int main(int count, char **words) {
      pid_t child;
      pthread_t thread;
      sigset_t profiling;
      const char *what = words[1];
      setvbuf(stdout, NULL, _IONBF, 0);
      work(20000000);
      if (strcmp(what, "forks") == 0) {
        // Its children have the filter as well, and no thread of theirs may make that call.
        forbid(SYS_socket, SYS_socket, SECCOMP_RET_KILL_PROCESS, 0);
        if ((child = fork()) == 0) { work(30000000); _exit(0); }
        say_end(child);
      } else if (strcmp(what, "leaves") == 0) {
        forbid(SYS_socket, SYS_socket, SECCOMP_RET_KILL_THREAD, 0);
        if ((child = fork()) == 0) { alarm(20); work(30000000); pthread_exit(NULL); }
        say_end(child);
      } else if (strcmp(what, "leaves later") == 0) {
        if ((child = fork()) == 0) {
          rest(20000);
          pthread_create(&thread, NULL, behind, NULL);
          forbid(SYS_process_vm_readv, SYS_rt_tgsigqueueinfo, SECCOMP_RET_KILL_PROCESS, 0);
          pthread_exit(NULL);
        }
        say_end(child);
      } else if (strcmp(what, "enters") == 0) {
        forbid(SYS_process_vm_readv, SYS_rt_tgsigqueueinfo, SECCOMP_RET_KILL_PROCESS, 0);
        printf("entered %d\\n", unshare(CLONE_NEWUSER));
        work(60000000);
      } else if (strcmp(what, "forks between") == 0) {
        // Another thread makes calls for which the sampler's thread is ended and begun.
        pthread_create(&thread, NULL, between, NULL);
        rest(5000);
        for (int round = 0; round < 30; round++) {
          rest(777);
          if ((child = fork()) == 0) {
            alarm(20);
            forbid(SYS_socket, SYS_socket, SECCOMP_RET_ALLOW, 1);
            _exit(0);
          }
          say_end(child);
        }
      } else if (count == 2) {
        // A signal of ours is on its way as the filter comes, and would kill the next program.
        sigemptyset(&profiling);
        sigaddset(&profiling, SIGPROF);
        sigprocmask(SIG_BLOCK, &profiling, NULL);
        work(60000000);
        forbid(SYS_rt_sigtimedwait, SYS_socket, SECCOMP_RET_KILL_PROCESS, 1);
        execl("/proc/self/exe", words[0], what, "again", NULL);
      } else {
        sigemptyset(&profiling);
        sigaddset(&profiling, SIGPROF);
        sigprocmask(SIG_UNBLOCK, &profiling, NULL);
      }
      printf("done\\n");
      return 0;
    }
    """

  @Test(arguments: ["forks", "leaves", "leaves later", "enters", "forks between", "replaces"])
  func `a program under a filter of its own does what it does alone`(_ what: String) throws {
    let perfkit = try TestCommand()
    try Self.program.write(
      toFile: perfkit.folder("filters.c"), atomically: true, encoding: .utf8)
    try perfkit.compile("filters.c", "-o", "filters", "-lpthread")
    let command = [
      "/bin/sh", "-c", "exec \"$0\" \"$1\" > \"$2\"", perfkit.folder("filters"), what,
    ]
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = command.dropFirst() + [perfkit.folder("alone.txt")]
    try process.run()
    process.waitUntilExit()
    let alone = try String(contentsOfFile: perfkit.folder("alone.txt"), encoding: .utf8)
    try #require(alone.hasSuffix("done\n"))
    let result = perfkit.run(
      ["record", "--no-report", "--follow", "--"] + command + [perfkit.folder("sampled.txt")])
    #expect(result.status == .done, "\(result.errors)")
    #expect(
      try String(contentsOfFile: perfkit.folder("sampled.txt"), encoding: .utf8) == alone,
      "\(result.errors)")
  }

  @Test func `a child whose first thread was never sampled ends when nobody samples any more`()
    throws
  {
    let perfkit = try TestCommand()
    try """
    #include <fcntl.h>
    #include <pthread.h>
    #include <stdio.h>
    #include <time.h>
    #include <unistd.h>
    static void rest(long ms) {
      const struct timespec pause = {0, ms * 1000000};
      nanosleep(&pause, NULL);
    }
    static pid_t parent;
    static void *behind(void *unused) {
      while (getppid() == parent) rest(1);
      rest(500);
      return unused;
    }
    int main(int count, char **words) {
      volatile long x = 0;
      for (long n = 0; n < 50000000; n++) x += n;
      parent = getpid();
      if (fork() != 0) {
        // So long there is somebody who follows the child.
        rest(100);
        return 0;
      }
      FILE *out = fopen(words[1], "w");
      fputs("ended", out);
      pthread_t thread;
      pthread_create(&thread, NULL, behind, NULL);
      pthread_exit(NULL);
    }
    """.write(toFile: perfkit.folder("lives.c"), atomically: true, encoding: .utf8)
    try perfkit.compile("lives.c", "-o", "lives", "-lpthread")
    let path = perfkit.folder("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    let result = perfkit(
      "record", "--no-report", "--follow", "--", perfkit.folder("lives"), path)
    #expect(result.status == .done, "\(result.errors)")
    // The other end is closed when the child has ended, or a minute has passed, which it never takes.
    try #require(fcntl(reader, F_SETFL, 0) == 0)
    var end = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
    try #require(poll(&end, 1, 60_000) == 1)
    let text = FileHandle(fileDescriptor: reader).readDataToEndOfFile()
    #expect(String(decoding: text, as: UTF8.self) == "ended")
  }
}
