internal import Foundation

/// The profile of `perf record`, read from `perf script`.
struct PerfScript {
  /// Self time in percent by function.
  let shares: [String: Double]
  let samples: Int

  /// Runs a command under perf, its output thrown away, and reads what it recorded.
  static func record(
    _ words: [String], perf: String, rate: Int, data: String
  ) throws -> PerfScript {
    _ = try run(
      perf, ["record", "-q", "-F", "\(rate)", "-g", "-o", data, "--"] + words, keepsOutput: false)
    let text = try run(
      perf, ["script", "-i", data, "-F", "ip,sym,dso", "--no-inline"], keepsOutput: true)
    return PerfScript(text)
  }

  /// A function by which both profilers' can be matched; what has no name is its module's.
  static func key(_ name: String, module: String) -> String {
    let isUnnamed =
      name == "[unknown]" || name.hasSuffix("(no symbols)") || name.hasPrefix("\(module)+0x")
    // One profiler has a library's name from its link, the other from its file.
    let file = module.firstRange(of: ".so").map { module[..<$0.upperBound] } ?? module[...]
    if isUnnamed { return "\(file) (no symbols)" }
    // A symbol's version is no part of its name, and of those that an address has each profiler
    // takes another: `pthread_mutex_lock` has one with underscores, memcpy and memmove are one.
    return String(name.prefix { $0 != "@" }.drop { $0 == "_" })
      .replacing("memcpy", with: "memmove")
  }

  /// Reads stacks: a line a frame, innermost first, and an empty line behind each sample.
  init(_ text: String) {
    var counts: [String: Int] = [:]
    var samples = 0
    var isFound = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.allSatisfy(\.isWhitespace) {
        isFound = false
        continue
      }
      guard !isFound, let frame = Self.frame(line), !frame.isKernel else { continue }
      // Kernel time belongs to the function that called the kernel.
      isFound = true
      samples += 1
      counts[Self.key(frame.name, module: frame.module), default: 0] += 1
    }
    self.samples = samples
    shares = counts.mapValues { 100 * Double($0) / Double(max(samples, 1)) }
  }

  /// Reads `   55d0c7f2a1b0 deflate_slow (/usr/bin/gzip)`.
  private static func frame(
    _ line: Substring
  ) -> (name: String, module: String, isKernel: Bool)? {
    guard line.hasSuffix(")"), let open = line.lastIndex(of: "(") else { return nil }
    let words = line[..<open].split(maxSplits: 1, whereSeparator: \.isWhitespace)
    guard words.count == 2, let address = UInt64(words[0], radix: 16) else { return nil }
    let path = String(line[line.index(after: open)...].dropLast())
    let name = words[1].split(separator: "+").first.map(String.init) ?? "[unknown]"
    // The upper half of the addresses is the kernel's.
    return (
      name.trimmingCharacters(in: .whitespaces), (path as NSString).lastPathComponent,
      address >> 63 == 1
    )
  }

  private static func run(
    _ program: String, _ arguments: [String], keepsOutput: Bool
  ) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = keepsOutput ? pipe : FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = keepsOutput ? try pipe.fileHandleForReading.readToEnd() ?? Data() : Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchError(
        description: "\(program) \(arguments[0]) exited with \(process.terminationStatus)")
    }
    return String(decoding: data, as: UTF8.self)
  }
}
