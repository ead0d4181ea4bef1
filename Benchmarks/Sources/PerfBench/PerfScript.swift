internal import Foundation
internal import PerfProfile

/// A profile of `perf record`, read from the output of `perf script`.
struct PerfScript {
  /// A part of a file in memory.
  private struct Mapping {
    let addresses: Range<UInt64>
    let offset: UInt64
    let path: String

    /// Parses `...
    ///
    /// PERF_RECORD_MMAP2 7/7: [0x55d0c7f28000(0xd000) @ 0x3000 ...]: r-xp /usr/bin/gzip`.
    init?(_ line: Substring) {
      guard let event = line.firstRange(of: "PERF_RECORD_MMAP"),
        let open = line[event.upperBound...].firstIndex(of: "["),
        let close = line[open...].firstRange(of: "]: ")
      else { return nil }
      let numbers = line[open..<close.lowerBound].split { "[()@ ".contains($0) }.prefix(3).map {
        UInt64($0.hasPrefix("0x") ? $0.dropFirst(2) : $0, radix: 16)
      }
      let words = line[close.upperBound...].split(separator: " ", maxSplits: 1)
      guard numbers.count == 3, let start = numbers[0], let count = numbers[1],
        let offset = numbers[2], !start.addingReportingOverflow(count).overflow, words.count == 2
      else { return nil }
      addresses = start..<(start + count)
      self.offset = offset
      path = String(words[1])
    }
  }

  /// A line of a stack.
  private struct StackFrame {
    let address: UInt64
    let name: String?
    let path: String

    /// Parses `   430e deflate_slow (/usr/bin/gzip)`.
    init?(_ line: Substring) {
      guard line.hasSuffix(")"), let open = line.lastIndex(of: "(") else { return nil }
      let words = line[..<open].split(maxSplits: 1, whereSeparator: \.isWhitespace)
      guard words.count == 2, let address = UInt64(words[0], radix: 16) else { return nil }
      self.address = address
      path = String(line[line.index(after: open)...].dropLast())
      let text = words[1].prefix { $0 != " " && $0 != "+" }
      name = text == "[unknown]" ? nil : String(text)
    }

    /// Returns the function of the address.
    ///
    /// Before Linux 5.18 perf writes addresses in memory, since then offsets in the file.
    func function(_ mappings: [Mapping], _ places: FunctionPlaces) -> FunctionPlaces.Function {
      guard let mapping = mappings.last(where: { $0.addresses.contains(address) }) else {
        return places.function(path: path, offset: address)
      }
      return places.function(
        path: mapping.path, offset: address - mapping.addresses.lowerBound + mapping.offset)
    }
  }

  /// The number of samples by running function.
  private(set) var counts: [FunctionPlaces.Function: Int] = [:]
  /// The functions' names in perf, if it has any.
  private(set) var names: [FunctionPlaces.Function: String] = [:]
  /// The number of samples with a function.
  private(set) var samples = 0

  /// Creates an empty profile.
  init() {}

  /// Adds another run of the same program.
  mutating func add(_ other: PerfScript) {
    counts.merge(other.counts, uniquingKeysWith: +)
    names.merge(other.names) { first, _ in first }
    samples += other.samples
  }

  /// Returns the self time of a function in percent.
  func share(of function: FunctionPlaces.Function) -> Double {
    100 * Double(counts[function, default: 0]) / Double(max(samples, 1))
  }

  /// Runs a command with perf, discards its output, and reads the recorded profile.
  static func record(
    _ words: [String], perf: String, rate: Int, data: String, _ places: FunctionPlaces
  ) throws -> PerfScript {
    PerfScript(
      try text(
        words, perf: perf, rate: rate, data: data,
        options: ["-F", "ip,sym,dso", "--no-inline", "--show-mmap-events"]), places)
  }

  /// Runs a command with perf, discards its output, and returns that of `perf script` with options.
  static func text(
    _ words: [String], perf: String, rate: Int, data: String, options: [String]
  ) throws -> String {
    _ = try run(
      perf, ["record", "-q", "-F", "\(rate)", "-g", "-o", data, "--"] + words, keepsOutput: false)
    return try run(perf, ["script", "-i", data] + options, keepsOutput: true)
  }

  /// Parses mappings and stacks: one line per frame, innermost first, and an empty line after each
  /// sample.
  init(_ text: String, _ places: FunctionPlaces) {
    var mappings: [Mapping] = []
    var isFound = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.allSatisfy(\.isWhitespace) {
        isFound = false
      } else if let mapping = Mapping(line) {
        mappings.append(mapping)
      } else if !isFound, let frame = StackFrame(line), frame.address >> 63 == 0 {
        // The upper half of the addresses belongs to the kernel, whose time counts for the calling
        // function.
        isFound = true
        samples += 1
        let function = frame.function(mappings, places)
        counts[function, default: 0] += 1
        names[function] = frame.name
      }
    }
  }

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - program: The path.
  ///   - arguments: The arguments.
  ///   - keepsOutput: Whether its output is returned; it is discarded otherwise.
  /// - Returns: The output.
  /// - Throws: `BenchError` if it fails.
  static func run(
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
        description: "\(program) \(arguments[0]) failed with exit code \(process.terminationStatus)"
      )
    }
    return String(decoding: data, as: UTF8.self)
  }
}
