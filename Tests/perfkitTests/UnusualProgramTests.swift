import Foundation
import Glibc
import PerfTestSupport
import Testing

@testable import perfkit

/// `perfkit record` over programs that begin, load libraries or end as few do.
struct UnusualProgramTests {
  /// A function that uses the CPU, for other files.
  private static let burn =
    "__attribute__((noinline)) long NAME(long n) { volatile long x = 0; while (n--) x += n; return x; }"

  private func write(_ text: String, to path: String) throws {
    try text.write(toFile: path, atomically: true, encoding: .utf8)
  }

  @Test func `a program whose first thread ends before the others ends with the last one`() throws {
    let perfkit = try TestCommand()
    try write(
      """
      #include <pthread.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <signal.h>
      \(Self.burn.replacing("NAME", with: "work"))
      static void *other(void *unused) { work(200000000); return unused; }
      static void end(void) {
        sigset_t mask;
        pthread_sigmask(SIG_BLOCK, NULL, &mask);
        printf("ended, %s\\n", sigismember(&mask, SIGTERM) ? "blocked" : "open");
      }
      int main(int count, char **words) {
        pthread_t thread;
        atexit(end);
        if (count > 1) pthread_create(&thread, NULL, other, NULL);
        work(100000000);
        pthread_exit(NULL);
      }
      """, to: perfkit.folder("leaves.c"))
    try perfkit.compile("leaves.c", "-o", "leaves", "-lpthread")
    for words in [[], ["another"]] {
      let result = perfkit.run(
        ["record", "--no-report", "--", "/bin/sh", "-c", "exec \"$0\" \"$@\" > out.txt"]
          .map { $0.replacing("out.txt", with: perfkit.folder("out.txt")) }
          + [perfkit.folder("leaves")] + words)
      #expect(result.status == .done, "\(result.errors)")
      // What it does at its end is done, and by a thread that may be told to end.
      #expect(
        try String(contentsOfFile: perfkit.folder("out.txt"), encoding: .utf8) == "ended, open\n")
      #expect(try LatestProfile(perfkit).stacks.samples { $0.contains(";work ") } > 0)
    }
  }

  @Test func `where others wait, and their memory, are known behind the first thread's end`() throws
  {
    let perfkit = try TestCommand()
    try write(
      """
      #include <pthread.h>
      #include <stdlib.h>
      #include <time.h>
      __attribute__((noinline)) static void rest(void) {
        const struct timespec pause = {0, 100000000};
        nanosleep(&pause, NULL);
        __asm__ volatile("");
      }
      static void *other(void *first) {
        pthread_join(*(pthread_t *)first, NULL);
        for (int round = 0; round < 5; round++) rest();
        return NULL;
      }
      int main(void) {
        static pthread_t first;
        first = pthread_self();
        volatile char *block = malloc(64 << 20);
        for (int at = 0; at < 64 << 20; at += 4096) block[at] = 1;
        pthread_t thread;
        pthread_create(&thread, NULL, other, &first);
        pthread_exit(NULL);
      }
      """, to: perfkit.folder("rests.c"))
    try perfkit.compile("rests.c", "-o", "rests", "-lpthread")
    let result = perfkit("record", "--no-report", "--", perfkit.folder("rests"))
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.says("[clock_nanosleep] rest "))
    #expect(!result.says("[clock_nanosleep] - "))
    let run = try perfkit("show", "latest", "--format", "json").json()
    let metrics = try #require(run["metrics"] as? [[String: Any]])
    let mean = metrics.first { $0["name"] as? String == "rss.mean" }?["median"] as? Double
    // Nearly all of the time it has 64 MiB; what the kernel says of a thread that has ended is 0.
    #expect(try #require(mean) > Double(32 << 20))
  }

  @Test func `a library that was loaded and not called is not said to have run`() throws {
    let perfkit = try TestCommand()
    for name in ["idle", "busy"] {
      try write(Self.burn.replacing("NAME", with: name), to: perfkit.folder("\(name).c"))
      try perfkit.compile("-shared", "-fPIC", "\(name).c", "-o", "lib\(name).so")
    }
    try write(
      """
      #include <dlfcn.h>
      #include <stdint.h>
      #include <stdio.h>
      #include <time.h>
      int main(int count, char **words) {
        const struct timespec pause = {0, 3000000};
        uintptr_t places[2] = {0, 0};
        for (int round = 0; round < 60; round++) {
          void *library = dlopen(words[1], RTLD_NOW);
          if (!library) return 1;
          places[0] = (uintptr_t)dlsym(library, "idle");
          nanosleep(&pause, NULL);
          dlclose(library);
          library = dlopen(words[2], RTLD_NOW);
          long (*work)(long) = library ? dlsym(library, "busy") : NULL;
          if (!work) return 1;
          places[1] = (uintptr_t)work;
          // Short stays, which come and go between two lists of modules, and long ones, which no
          // machine is too busy to list.
          work(round % 4 == 3 ? 100000000 : 10000000);
          dlclose(library);
        }
        // The one is where the other was, or this test tests nothing.
        return places[0] == places[1] ? 0 : 2;
      }
      """, to: perfkit.folder("turns.c"))
    try perfkit.compile("turns.c", "-o", "turns", "-ldl")
    let result = perfkit(
      "record", "--no-report", "--", perfkit.folder("turns"), perfkit.folder("libidle.so"),
      perfkit.folder("libbusy.so"))
    #expect(result.status == .done, "\(result.errors)")
    #expect(!result.errors.contains("exited with"))
    let profile = try LatestProfile(perfkit)
    #expect(profile.stacks.samples { $0.contains(";busy ") } > 0)
    // The function of a library that ends as the other is loaded.
    #expect(profile.stacks.samples { $0.contains(";idle ") } == 0, "\(profile.stacks.lines)")
  }

  @Test func `hundreds of libraries are known to the last one, also of a child`() throws {
    let perfkit = try TestCommand()
    let count = 400
    try write(Self.burn.replacing("NAME", with: "last"), to: perfkit.folder("last.c"))
    try perfkit.compile("-shared", "-fPIC", "last.c", "-o", "0.so")
    // A path of 200 characters: a list of so many takes 120 KB.
    let folder = perfkit.folder(
      String(repeating: "f", count: max(1, 200 - perfkit.folder.path.count)))
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for index in 0..<count {
      try FileManager.default.copyItem(
        atPath: perfkit.folder("0.so"), toPath: "\(folder)/\(index).so")
    }
    try write(
      """
      #include <dlfcn.h>
      #include <stdio.h>
      int main(int count, char **words) {
        void *library = NULL;
        for (int index = 0; index < \(count); index++) {
          char path[512];
          snprintf(path, sizeof path, "%s/%d.so", words[1], index);
          library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        }
        long (*work)(long) = library ? dlsym(library, "last") : NULL;
        if (!work) return 1;
        work(1500000000);
        return 0;
      }
      """, to: perfkit.folder("many.c"))
    try perfkit.compile("many.c", "-o", "many", "-ldl")
    let script = "\(perfkit.folder("many")) \(folder); exit $?"
    for options in [[], ["--follow"]] {
      let result = perfkit.run(
        ["record", "--no-report"] + options + ["--"]
          + (options.isEmpty ? [perfkit.folder("many"), folder] : ["/bin/sh", "-c", script]))
      #expect(result.status == .done, "\(result.errors)")
      #expect(!result.errors.contains("exited with"))
      let profile = try LatestProfile(perfkit)
      let inLast = profile.stacks.samples { $0.contains(";main;last ") }
      #expect(inLast * 2 > profile.samples, "\(inLast) of \(profile.samples)")
    }
  }

  @Test func `a program that the loader is asked to run has its own names`() throws {
    let perfkit = try TestCommand()
    try write(
      Self.burn.replacing("NAME", with: "work")
        + " int main(void) { return (int)work(300000000) & 1; }",
      to: perfkit.folder("loaded.c"))
    try perfkit.compile("loaded.c", "-o", "loaded")
    #if arch(x86_64)
    let loader = "/lib64/ld-linux-x86-64.so.2"
    #else
    let loader = "/lib/ld-linux-aarch64.so.1"
    #endif
    let result = perfkit("record", "--no-report", "--", loader, perfkit.folder("loaded"))
    #expect(result.status == .done, "\(result.errors)")
    let profile = try LatestProfile(perfkit)
    let inWork = profile.stacks.samples { $0.contains(";main;work ") }
    #expect(inWork * 2 > profile.samples, "\(profile.stacks.lines)")
  }

  @Test(.enabled(if: TestCommand.mayBeRealTime, "nothing may be real-time here"))
  func `a program that lets nothing else run is sampled all the same`() throws {
    let perfkit = try TestCommand()
    try write(
      """
      #include <pthread.h>
      #include <unistd.h>
      \(Self.burn.replacing("NAME", with: "work"))
      static void *other(void *unused) { work(150000000); return unused; }
      int main(void) {
        pthread_t threads[64];
        long count = sysconf(_SC_NPROCESSORS_ONLN);
        if (count > 64) count = 64;
        for (long index = 0; index < count; index++)
          pthread_create(&threads[index], NULL, other, NULL);
        for (long index = 0; index < count; index++) pthread_join(threads[index], NULL);
        return 0;
      }
      """, to: perfkit.folder("greedy.c"))
    try perfkit.compile("greedy.c", "-o", "greedy", "-lpthread")
    let result = perfkit(
      "record", "--no-report", "--", "chrt", "-f", "1", perfkit.folder("greedy"))
    #expect(result.status == .done, "\(result.errors)")
    #expect(!result.errors.contains("of CPU time that the program used"), "\(result.errors)")
    #expect(try LatestProfile(perfkit).stacks.samples { $0.contains(";work ") } > 0)
  }

  @Test func `what children take is told where they are not sampled`() throws {
    let perfkit = try TestCommand()
    let loop = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"
    let script = "(\(loop)); \(loop.replacing("300000", with: "20000"))"
    let alone = perfkit("record", "--no-report", "--", "/bin/sh", "-c", script)
    #expect(alone.status == .done, "\(alone.errors)")
    #expect(alone.errors.contains("perfkit record --follow"), "\(alone.errors)")
    let followed = perfkit("record", "--no-report", "--follow", "--", "/bin/sh", "-c", script)
    #expect(!followed.errors.contains("that the child processes used"), "\(followed.errors)")
    #expect(!followed.errors.contains("perfkit record --follow"), "\(followed.errors)")
  }

  @Test func `children that cannot be followed are told by what they took`() throws {
    let perfkit = try TestCommand()
    try write(
      Self.burn.replacing("NAME", with: "work")
        + " int main(void) { return (int)work(300000000) & 1; }",
      to: perfkit.folder("static.c"))
    try perfkit.compile("-static", "static.c", "-o", "static")
    let script = "\(perfkit.folder("static")); i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done"
    let result = perfkit("record", "--no-report", "--follow", "--", "/bin/sh", "-c", script)
    #expect(result.status == .done, "\(result.errors)")
    #expect(
      result.says("of CPU time that the child processes used"), "\(result.errors)")
  }
}

extension TestCommand {
  /// Whether a process here may let nothing else run.
  fileprivate static var mayBeRealTime: Bool {
    var parameters = sched_param(sched_priority: 1)
    guard hasTool("chrt"), sched_setscheduler(0, SCHED_FIFO, &parameters) == 0 else { return false }
    parameters.sched_priority = 0
    return sched_setscheduler(0, SCHED_OTHER, &parameters) == 0
  }
}
