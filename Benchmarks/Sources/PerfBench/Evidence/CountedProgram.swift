internal import Foundation
internal import PerfProtocol

/// A C program of eight functions that is linked again and again, with other layouts.
struct CountedProgram {
  /// The number of functions, each with an eighth of the work.
  static let functions = 8
  /// Iterations of each function with which all functions execute about 10 million instructions.
  static let short = 312_500
  /// Iterations of each function with which the program takes about 30 ms.
  static let long = 9 * short

  private let workshop: BenchWorkshop
  private let compiler: String
  /// The iterations of each function.
  private let iterations: Int

  /// Compiles the functions; nil without a C compiler.
  init?(in workshop: BenchWorkshop, iterations: Int = Self.short) throws {
    guard let compiler = workshop.tool("clang") ?? workshop.tool("cc") else { return nil }
    (self.workshop, self.compiler, self.iterations) = (workshop, compiler, iterations)
    for index in 0..<Self.functions { try compile(index, iterations: iterations, "f\(index)") }
    try source("main", Self.main)
  }

  /// The C file that calls all functions.
  static var main: String {
    let names = (0..<functions).map { "f\($0)" }
    return names.map { "unsigned \($0)(unsigned);" }.joined(separator: "\n") + """

      #include <stdio.h>
      static char shelf[1 << 24];
      int main(void) {
        unsigned x = 1;
        // The kernel counts resident pages in batches of 64 (256 KiB), which is below the margin.
        for (unsigned i = 0; i < sizeof shelf; i += 4096) ((volatile char *)shelf)[i] = 1;
        \(names.map { "x = \($0)(x);" }.joined(separator: "\n  "))
        return printf("%u\\n", x) < 0;
      }
      """
  }

  /// Links the program with an order of its functions, padding and an unused function that depend
  /// on a seed.
  ///
  /// - Parameters:
  ///   - seed: The seed of the layout.
  ///   - slower: The function that does more work, or nil.
  ///   - more: The additional work, as a fraction of the program's work.
  /// - Returns: The path of the program.
  /// - Throws: `BenchError` when the compiler fails.
  func link(seed: UInt64, slower: Int? = nil, more: Double = 0.001) throws -> String {
    var random = SeededGenerator(seed: seed)
    let name = "linked-\(seed)-\(slower ?? -1)"
    try source("pad", Self.deadCode(&random))
    var objects = (0..<Self.functions).map { "f\($0)" } + ["main", "pad"]
    if let slower {
      let all = Double(iterations * Self.functions)
      try compile(slower, iterations: iterations + Int((all * more).rounded()), "slower")
      objects[slower] = "slower"
    }
    objects.shuffle(using: &random)
    let path = workshop.file(name)
    try run(objects.map { workshop.file("\($0).o") } + ["-lpthread", "-o", path])
    return path
  }

  /// Returns a C file that does nothing: padding and a function without a caller.
  static func deadCode(_ random: inout SeededGenerator) -> String {
    let padding = random.next() % 4096
    let unused = (0..<(random.next() % 50)).map { "x = x * 3 + \($0);" }.joined(separator: "\n  ")
    return """
      __asm__(".text\\n.skip \(padding)\\n");
      unsigned unused(unsigned x) {
        \(unused)
        return x;
      }
      """
  }

  /// Compiles a program whose instructions differ from launch to launch.
  func nondeterministic(_ kind: String) throws -> String {
    let body =
      switch kind {
      case "threads":
        """
        #include <pthread.h>
        static volatile int done;
        static volatile unsigned spins;
        static void *other(void *none) {
          struct timespec pause = { 0, 20000000 };
          nanosleep(&pause, 0);
          done = 1;
          return none;
        }
        int main(void) {
          pthread_t thread;
          pthread_create(&thread, 0, other, 0);
          while (!done) spins++;
          return pthread_join(thread, 0);
        }
        """
      case "timer":
        """
        int main(void) {
          struct timespec now, end;
          clock_gettime(CLOCK_MONOTONIC, &end);
          volatile unsigned spins = 0;
          do {
            for (int i = 0; i < 1000; i++) spins++;
            clock_gettime(CLOCK_MONOTONIC, &now);
          } while ((now.tv_sec - end.tv_sec) * 1e9 + now.tv_nsec - end.tv_nsec < 5e7);
          return 0;
        }
        """
      default:
        """
        #include <sys/random.h>
        int main(void) {
          unsigned random;
          if (getrandom(&random, sizeof random, 0) < 0) return 1;
          volatile unsigned sum = 0;
          for (unsigned i = 0; i < 1000000 + random % 500000; i++) sum += i;
          return 0;
        }
        """
      }
    try source(kind, "#include <time.h>\n" + body)
    let path = workshop.file("program-\(kind)")
    try run([workshop.file("\(kind).o"), "-lpthread", "-o", path])
    return path
  }

  private func compile(_ index: Int, iterations: Int, _ name: String) throws {
    try source(
      name,
      """
      unsigned f\(index)(unsigned x) {
        for (unsigned i = 0; i < \(iterations); i++) {
          x = x * 1664525u + \(2 * index + 1)u;
          __asm__ volatile("" : "+r"(x));
        }
        return x;
      }
      """)
  }

  private func source(_ name: String, _ text: String) throws {
    let path = workshop.file("\(name).c")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    // The position of a loop in its cache line can change its time by a third.
    try run(
      [
        "-O1", "-g", "-falign-functions=64", "-falign-loops=64", "-c", path, "-o",
        workshop.file("\(name).o"),
      ])
  }

  private func run(_ words: [String]) throws {
    _ = try Child(compiler, words).wait(watchesMemory: false)
  }
}
