internal import Foundation

/// A temporary git repository with a C program, its build recipe and a scenario.
///
/// The program has two functions with a configurable amount of work, so that a commit can slow down one.
public struct TestRepository: Sendable {
  /// The folder of the repository; its name contains a space, as those of users do.
  public let folder: TemporaryFolder

  /// The absolute path of the repository.
  public var root: String { folder.path }

  /// The script that builds the program.
  public static let build =
    "mkdir -p bin && cc -O1 -g -fno-omit-frame-pointer -falign-loops=64 -o bin/work work.c\n"

  /// Creates the repository with one commit.
  ///
  /// - Parameters:
  ///   - gate: Additional lines of `perfkit.yml`.
  ///   - ignored: The content of `.gitignore`.
  ///   - steps: The work of each function, in million steps, each of which takes about a millisecond.
  ///     Stacks and small changes need twenty. A large change is found with less, in 96 launches or more.
  /// - Throws: A file error, or `GitFailed`.
  public init(
    gate: String = "", ignored: String = "bin\n.perfkit\nReports\n", steps: Int = 20
  ) throws {
    folder = try TemporaryFolder(named: "my books")
    try write("perfkit.yml", "build: [/bin/sh, build.sh]\nproducts: bin\n\(gate)\n")
    try write("build.sh", Self.build)
    try write(".gitignore", ignored)
    try scenario("work", budget: "wall <= 60 s")
    try program(decode: steps, layout: steps)
    try git("init", "--quiet", "--initial-branch=main")
    try git("config", "user.name", "A Reader")
    try git("config", "user.email", "reader@example.org")
    try commit("First")
  }

  // MARK: - Files

  /// Writes a scenario that measures the program.
  public func scenario(_ name: String, budget: String, margin: String = "10%") throws {
    try write(
      "Scenarios/\(name).yml",
      """
      scenario: \(name)
      summary: A program that works.
      command: [../bin/work]
      iterations: 6
      warmup: 0
      budgets: ["\(budget)"]
      gate: { margin: \(margin), metrics: { cpu.total: {} } }
      """)
  }

  /// Writes the program; each function works the given number of million steps.
  ///
  /// Every step takes the same time in both functions: each product depends on the previous one, and the
  /// loops are aligned. Sums in memory would not do, as AMD processors keep some in registers; of two
  /// loops at different positions in their cache lines, one can be a third slower.
  public func program(decode: Int, layout: Int) throws {
    try write(
      "work.c",
      """
      static volatile unsigned long sink = 1;
      __attribute__((noinline)) void decode_cover(void) {
        unsigned long x = sink;
        for (long i = 0; i < \(decode) * 1000000L; i++) x *= 6364136223846793005UL;
        sink = x;
      }
      __attribute__((noinline)) void lay_out(void) {
        unsigned long x = sink;
        for (long i = 0; i < \(layout) * 1000000L; i++) x *= 6364136223846793005UL;
        sink = x;
      }
      int main(void) {
        decode_cover();
        lay_out();
        return 0;
      }
      """)
  }

  /// Writes a program whose launch with one number fails.
  ///
  /// - Parameters:
  ///   - path: The path of its source.
  ///   - rounds: The rounds of a loop before the end; 0 takes no time.
  ///   - launch: The number of the launch that fails, from 1, counted over all revisions.
  /// - Throws: A file error when it cannot be written.
  public func failingProgram(_ path: String, rounds: Int = 0, launch: Int) throws {
    try write(
      path,
      """
      #include <stdio.h>
      static volatile unsigned long sink;
      int main(void) {
        for (long i = 0; i < \(rounds)L; i++) sink += i;
        FILE *file = fopen("\(root)/.perfkit/launches", "a");
        if (!file) return 2;
        fputc('x', file);
        fseek(file, 0, SEEK_END);
        long count = ftell(file);
        fclose(file);
        return count == \(launch) ? 3 : 0;
      }
      """)
  }

  /// Writes a file of the repository.
  public func write(_ path: String, _ text: String) throws {
    let file = URL(fileURLWithPath: "\(root)/\(path)")
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  /// Builds the work tree, as a user does before `run`.
  public func build() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["build.sh"]
    process.currentDirectoryURL = URL(fileURLWithPath: root)
    try process.run()
    process.waitUntilExit()
  }

  // MARK: - Git

  /// A git command that failed.
  public struct GitFailed: Error {
    let words: [String]
    let status: Int32
  }

  /// Commits all files.
  public func commit(_ message: String) throws {
    try git("add", "--all")
    try git("commit", "--quiet", "-m", message)
  }

  /// Runs git in the repository and returns its output without surrounding white space.
  @discardableResult
  public func git(_ words: String...) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["git"] + words
    process.currentDirectoryURL = URL(fileURLWithPath: root)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw GitFailed(words: words, status: process.terminationStatus)
    }
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Writes a program named git that hangs at one question and passes all others to the real git.
  ///
  /// - Parameter question: The part of the arguments at which it hangs.
  /// - Returns: The environment variables with its folder in PATH, and the path of a file that exists
  ///   once it hangs.
  /// - Throws: A file error when it cannot be written.
  public func gitThatHangs(
    at question: String
  ) throws -> (variables: [String: String], began: String) {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let began = root + "/.git/began"
    // Limited to an hour, in case that no test ends it.
    let tools = root + "/.git/tools"
    try Executable.write(
      """
      #!/bin/sh
      PATH='\(path)'
      case "$*" in
        *'\(question)'*) : > '\(began)'; exec sleep 3600 ;;
      esac
      exec git "$@"
      """, to: tools + "/git")
    return (["PATH": "\(tools):\(path)"], began)
  }

  /// Writes a filter that hangs while a checkout writes its first file.
  ///
  /// - Returns: The path of the filter, and the path of a file that exists once it hangs. Without the
  ///   filter, git writes the file as it is.
  /// - Throws: A file error or `GitFailed`.
  public func checkoutThatHangs() throws -> (filter: String, began: String) {
    let filter = root + "/.git/wait"
    let began = root + "/.git/began"
    // Limited to an hour, in case that no test ends it.
    try Executable.write("#!/bin/sh\n: > '\(began)'\nexec sleep 3600\n", to: filter)
    try write(".git/info/attributes", "work.c filter=wait\n")
    try git("config", "filter.wait.smudge", "'\(filter)'")
    return (filter, began)
  }
}
