import Foundation
import PerfTestSupport

@testable import perfkit

/// A git repository with a program in C, its recipe and a scenario, in the folder of a command.
///
/// The program has two functions; how long each works says its source, so that a commit can slow one.
struct TestRepository {
  let perfkit: TestCommand

  /// Where it lies: the folder's name has a space, as users' folders do.
  let root: String

  /// What builds the program.
  static let build =
    "mkdir -p bin && cc -O1 -g -fno-omit-frame-pointer -falign-loops=64 -o bin/work work.c\n"

  init(gate: String = "", ignored: String = "bin\n.perfkit\nReports\n") throws {
    perfkit = try TestCommand(named: "my books")
    root = perfkit.folder.path
    try write("perfkit.yml", "build: [/bin/sh, build.sh]\nproducts: bin\n\(gate)\n")
    try write("build.sh", Self.build)
    try write(".gitignore", ignored)
    try scenario("work", budget: "wall <= 60 s")
    try program(decode: 20, layout: 20)
    try git("init", "--quiet", "--initial-branch=main")
    try git("config", "user.name", "A Reader")
    try git("config", "user.email", "reader@example.org")
    try commit("First")
  }

  /// Writes a scenario that measures the program.
  func scenario(_ name: String, budget: String, margin: String = "10%") throws {
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

  /// Writes the program; each function works so many times a million steps.
  ///
  /// Every step takes the same time in both: a product waits for the one before, and the loops are
  /// aligned alike. Sums in memory do not (AMD's processors keep some of them in registers), and of two
  /// loops whose code lies differently on its cache lines one can be a third slower.
  func program(decode: Int, layout: Int) throws {
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

  /// Writes a program of which one launch fails.
  ///
  /// - Parameters:
  ///   - path: The path of its source.
  ///   - rounds: How often it goes round a loop before; 0 takes no time.
  ///   - launch: The number of the launch that fails, from 1, of whatever revision.
  /// - Throws: A file error when it cannot be written.
  func failingProgram(_ path: String, rounds: Int = 0, launch: Int) throws {
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

  func write(_ path: String, _ text: String) throws {
    let file = URL(fileURLWithPath: "\(root)/\(path)")
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  /// Builds what lies in it, as a user does before `run`.
  func build() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["build.sh"]
    process.currentDirectoryURL = URL(fileURLWithPath: root)
    try process.run()
    process.waitUntilExit()
  }

  func commit(_ message: String) throws {
    try git("add", "--all")
    try git("commit", "--quiet", "-m", message)
  }

  /// Runs git in it.
  @discardableResult
  func git(_ words: String...) throws -> String {
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

  /// Puts a git before the other, which goes on for ever once it is asked something.
  ///
  /// - Parameter question: What stands among its words.
  /// - Returns: The environment variables by which it is found, and the path of a file that is there once it was
  ///   asked.
  /// - Throws: A file error when they cannot be written.
  func gitThatHangs(
    at question: String
  ) throws -> (variables: [String: String], began: String) {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let began = root + "/.git/began"
    // An hour is as good as for ever, should nobody end it.
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

  struct GitFailed: Error {
    let words: [String]
    let status: Int32
  }
}
