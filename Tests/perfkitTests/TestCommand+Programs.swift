import Foundation
import Glibc
import PerfTestSupport
import Testing

extension TestCommand {
  /// Compiles a C program in the folder with clang.
  func compile(_ words: String...) throws {
    try compile(by: ["clang", "-O1"] + words)
  }

  /// Compiles a C file of `Programs` in the folder.
  func compile(program name: String, _ options: String...) throws {
    try compile(by: ["clang", "-O1", Self.programSources + "/" + name] + options)
  }

  /// Compiles a library with a function that takes CPU time.
  func compileLibrary(_ file: String, with function: String) throws {
    try compile(program: "burn.c", "-DNAME=\(function)", "-shared", "-fPIC", "-o", file)
  }

  /// Copies a file of `Programs` into the folder.
  func copy(program name: String) throws {
    try FileManager.default.copyItem(
      atPath: Self.programSources + "/" + name, toPath: folder(name))
  }

  /// The folder of the programs that the tests record.
  static let programSources = #filePath.replacing("/TestCommand+Programs.swift", with: "/Programs")

  /// Runs a compiler in the folder.
  func compile(by words: [String]) throws {
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    compiler.arguments = words
    try compiler.run()
    compiler.waitUntilExit()
    try #require(compiler.terminationStatus == 0)
  }

  /// Runs a program in the folder, in a process of its own.
  ///
  /// - Parameters:
  ///   - path: The path of the program, whose texts are each shorter than a pipe's buffer.
  ///   - words: Its arguments.
  ///   - variables: Environment variables besides those of the tests.
  /// - Returns: The exit status, standard output, and standard error in one line.
  /// - Throws: The reason why the program cannot be started.
  func runProcess(
    _ path: String, _ words: [String], variables: [String: String] = [:]
  ) throws -> (status: Int32, output: String, errors: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = words
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.environment = ProcessInfo.processInfo.environment.merging(variables) { _, own in own }
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let reasons = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (
      process.terminationStatus, text,
      reasons.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    )
  }

  /// Returns whether a program is in PATH.
  static func hasTool(_ name: String) -> Bool {
    let folders = (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":")
    return folders.contains { access("\($0)/\(name)", X_OK) == 0 }
  }
}
