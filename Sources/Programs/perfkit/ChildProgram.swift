internal import Foundation
internal import Glibc
internal import PerfGate

/// A running verb or another program in a child process, with its output so far.
final class ChildProgram {
  /// The program and the surroundings of all children.
  struct Program {
    let path: String
    let directory: String
    let variables: [String: String]
  }

  /// The time between the first request to stop and the kill, in seconds.
  private static let grace = 10.0
  /// The most bytes of messages that are kept.
  private static let mostMessages = 1 << 16

  private let process = Process()
  private let output = Pipe()
  private let errors = Pipe()
  /// The moment of the kill after a request to stop; nil without one.
  private var killTime: Date?

  /// Standard output.
  private(set) var text: [UInt8] = []
  /// Whole lines of standard error.
  private(set) var messages: [String] = []
  private var partialMessage: [UInt8] = []
  private var hasOutput = true
  private var hasErrors = true

  /// Starts a program.
  ///
  /// - Throws: The reason why the program cannot be started.
  init(_ program: Program, _ words: [String]) throws {
    // If Process.run fails, it leaves its socket pair and the pipes open.
    guard access(program.path, X_OK) == 0 else {
      throw Failure(String(cString: strerror(errno)))
    }
    process.executableURL = URL(fileURLWithPath: program.path)
    process.arguments = words
    process.currentDirectoryURL = URL(fileURLWithPath: program.directory)
    process.environment = program.variables
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
  }

  /// The descriptors to wait for.
  var descriptors: [Int32] {
    (hasOutput ? [output.fileHandleForReading.fileDescriptor] : [])
      + (hasErrors ? [errors.fileHandleForReading.fileDescriptor] : [])
  }

  /// Reads from a descriptor that is ready; returns the new lines of standard error.
  func read(_ descriptor: Int32) -> [String] {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    if count < 0, errno == EINTR { return [] }
    guard descriptor == errors.fileHandleForReading.fileDescriptor else {
      hasOutput = count > 0
      text += buffer.prefix(max(count, 0))
      return []
    }
    hasErrors = count > 0
    partialMessage += buffer.prefix(max(count, 0))
    var lines = partialMessage.split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    partialMessage = hasErrors ? Array(lines.removeLast()).suffix(Self.mostMessages) : []
    let new = lines.map { String(decoding: $0, as: UTF8.self) }.filter { !$0.isEmpty }
    messages += new
    while messages.reduce(0, { $0 + $1.utf8.count }) > Self.mostMessages { messages.removeFirst() }
    return new
  }

  /// Returns the exit status if the output has ended, or nil.
  ///
  /// The status of a verb that a signal ended is 128 and the signal's number.
  func exitStatus() -> Int32? {
    guard !hasOutput, !hasErrors else { return nil }
    process.waitUntilExit()
    let status = process.terminationStatus
    return process.terminationReason == .exit ? status : 128 + status
  }

  /// Reads the output until the program ends.
  ///
  /// - Parameter isWanted: Asked five times a second; the program is stopped when it returns false.
  /// - Returns: The exit status.
  func finish(while isWanted: () -> Bool) -> Int32 {
    while true {
      if let status = exitStatus() { return status }
      if !isWanted() { stop() }
      var ready = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&ready, nfds_t(ready.count), 200) > 0 else { continue }
      for descriptor in ready where descriptor.revents != 0 { _ = read(descriptor.fd) }
    }
  }

  /// Asks the verb to stop, and kills it if it does not within ten seconds.
  ///
  /// The verb keeps finished launches. The guard of a killed verb ends the processes that it measures.
  func stop() {
    guard let killTime else {
      killTime = Date(timeIntervalSinceNow: Self.grace)
      return process.terminate()
    }
    // Another process may have the number of an ended one.
    if killTime < Date(), process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }
}
