internal import PerfModel

/// The counts in an output file of callgrind that was written with `--dump-instr=yes`.
///
/// The format is the "Callgrind Format Specification", version 1, of the valgrind manual.
public struct CallgrindCounts: Sendable {
  /// An address of an object file.
  struct Place: Hashable {
    /// The index of the object.
    let object: Int
    let address: UInt64
  }

  /// The path of the objects by index; `anonymous` for code without a file.
  let objects: [String]
  /// The executed instructions at each address.
  let instructions: [Place: UInt64]
  /// The calls of the function at each address.
  let calls: [Place: UInt64]
  /// The misses of the first data cache at each address; nil if caches were not simulated.
  let dataMisses: [Place: UInt64]?
  /// The mispredicted branches at each address; nil if branch prediction was not simulated.
  let branchMisses: [Place: UInt64]?
  /// The sum of each event by its name, such as `Ir`.
  let totals: [String: UInt64]

  /// The object of generated code.
  static let anonymous = "???"
  /// The events that are misses of the first data cache.
  static let dataMissEvents = ["D1mr", "D1mw"]
  /// The events that are mispredicted branches.
  static let branchMissEvents = ["Bim", "Bcm"]

  /// Reads a file.
  ///
  /// - Parameter bytes: The whole file.
  /// - Throws: `tool` if the file has another format or is incomplete.
  public init(_ bytes: [UInt8]) throws(PerfProfileError) {
    var parser = CallgrindParser()
    for line in bytes.split(separator: UInt8(ascii: "\n")) { try parser.read(line) }
    objects = parser.objects.all
    instructions = parser.instructions
    calls = parser.calls
    dataMisses = parser.dataMisses
    branchMisses = parser.branchMisses
    totals = parser.totals
    // The file ends with the line of the totals.
    guard bytes.last == UInt8(ascii: "\n"), let total = totals["Ir"],
      total == instructions.values.reduce(0, &+)
    else {
      throw CallgrindParser.failure(
        "its counts are incomplete, as for a program that replaces itself by another one (exec) or is "
          + "killed; count the program that it starts, e.g. not a wrapper of python3")
    }
  }

  /// The metrics of the counted work; those of simulated caches only if caches were simulated.
  ///
  /// The estimated cycles are the formula of KCachegrind for its event `CEst` (globalconfig.cpp),
  /// `Ir + 10 Bm + 10 L1m + 100 LLm`, without the events that callgrind does not count.
  public var metrics: [String: Double] {
    func sum(_ events: [String]) -> Double {
      events.reduce(0) { $0 + Double(totals[$1] ?? 0) }
    }
    let instructions = sum(["Ir"])
    var metrics = [
      MetricName.workInstructions: instructions,
      MetricName.workCalls: Double(calls.values.reduce(0, &+)),
    ]
    if totals["D1mr"] != nil {
      metrics[MetricName.workDataMisses] = sum(Self.dataMissEvents)
      metrics[MetricName.workEstimatedCycles] =
        instructions + 10 * (sum(Self.branchMissEvents) + sum(["I1mr"] + Self.dataMissEvents))
        + 100 * sum(["ILmr", "DLmr", "DLmw"])
    }
    return metrics
  }

  /// The share of the instructions in code without a file, such as compiled at run time.
  public var generatedShare: Double {
    guard let object = objects.firstIndex(of: Self.anonymous), let total = totals["Ir"], total > 0
    else { return 0 }
    let generated = instructions.reduce(UInt64(0)) {
      $1.key.object == object ? $0 &+ $1.value : $0
    }
    return Double(generated) / Double(total)
  }
}

/// The reader of the lines of callgrind's format.
struct CallgrindParser {
  private typealias Bytes = ArraySlice<UInt8>

  private(set) var objects = Numbering<String>()
  private(set) var instructions: [CallgrindCounts.Place: UInt64] = [:]
  private(set) var calls: [CallgrindCounts.Place: UInt64] = [:]
  private(set) var dataMisses: [CallgrindCounts.Place: UInt64]?
  private(set) var branchMisses: [CallgrindCounts.Place: UInt64]?
  private(set) var totals: [String: UInt64] = [:]

  private var events: [String] = []
  private var positions = 0
  /// The place of the address among the positions of a line.
  private var addressIndex: Int?
  private var instructionIndex: Int?
  private var dataMissIndices: [Int] = []
  private var branchMissIndices: [Int] = []
  /// The objects by their numbers in the file.
  private var numbered: [UInt64: Int] = [:]
  private var object: Int?
  /// The object of the next called function; nil for the caller's object.
  private var calledObject: Int?
  /// The address of the last line, to which addresses may be relative.
  private var address: UInt64 = 0
  /// Whether the next line has the cost of a call, which its callees contain as well.
  private var isOfCall = false

  static func failure(_ reason: String) -> PerfProfileError {
    .tool(path: "callgrind", reason: reason)
  }

  mutating func read(_ line: ArraySlice<UInt8>) throws(PerfProfileError) {
    guard let first = line.first else { return }
    switch first {
    case 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "*"):
      try readCosts(line)
    case UInt8(ascii: "#"): return
    default: try readKey(line)
    }
  }

  private mutating func readKey(_ line: Bytes) throws(PerfProfileError) {
    let separators = [UInt8(ascii: "="), UInt8(ascii: ":")]
    guard let separator = line.firstIndex(where: separators.contains) else {
      throw Self.invalid(line)
    }
    let value = line[(separator + 1)...].drop { $0 == UInt8(ascii: " ") }
    switch String(decoding: line[..<separator], as: UTF8.self) {
    case "positions":
      let names = Self.words(value).map { String(decoding: $0, as: UTF8.self) }
      positions = names.count
      addressIndex = names.firstIndex(of: "instr")
    case "events":
      events = Self.words(value).map { String(decoding: $0, as: UTF8.self) }
      instructionIndex = events.firstIndex(of: "Ir")
      dataMissIndices = CallgrindCounts.dataMissEvents.compactMap { events.firstIndex(of: $0) }
      branchMissIndices = CallgrindCounts.branchMissEvents.compactMap { events.firstIndex(of: $0) }
      if !dataMissIndices.isEmpty { dataMisses = dataMisses ?? [:] }
      if !branchMissIndices.isEmpty { branchMisses = branchMisses ?? [:] }
    case "totals":
      // Zeros at the end of a line are left out.
      totals = Dictionary(events.map { ($0, 0) }) { first, _ in first }
      for (event, word) in zip(events, Self.words(value)) {
        guard let count = Self.number(word) else { throw Self.invalid(line) }
        totals[event] = count
      }
    case "ob": object = try readObject(value, in: line)
    case "cob": calledObject = try readObject(value, in: line)
    case "calls":
      let words = Self.words(value)
      guard words.count == positions + 1, let count = Self.number(words[0]), let object,
        let index = addressIndex, let target = place(words[index + 1])
      else { throw Self.invalid(line) }
      // The target is relative to the line before, and the next line is not relative to the target.
      calls[.init(object: calledObject ?? object, address: target), default: 0] &+= count
      (calledObject, isOfCall) = (nil, true)
    default: break
    }
  }

  /// Reads the name of an object, `(number) name` or, where it occurs again, `(number)`.
  private mutating func readObject(_ value: Bytes, in line: Bytes) throws(PerfProfileError) -> Int {
    guard value.first == UInt8(ascii: "("), let end = value.firstIndex(of: UInt8(ascii: ")")),
      let number = Self.number(value[(value.startIndex + 1)..<end])
    else { return objects.number(of: String(decoding: value, as: UTF8.self)) }
    let name = value[(end + 1)...].drop { $0 == UInt8(ascii: " ") }
    if !name.isEmpty {
      numbered[number] = objects.number(of: String(decoding: name, as: UTF8.self))
    }
    guard let object = numbered[number] else { throw Self.invalid(line) }
    return object
  }

  private mutating func readCosts(_ line: Bytes) throws(PerfProfileError) {
    let words = Self.words(line)
    guard let index = addressIndex, let event = instructionIndex, let object,
      words.count >= positions, let address = place(words[index])
    else { throw Self.invalid(line) }
    self.address = address
    defer { isOfCall = false }
    guard !isOfCall else { return }
    let here = CallgrindCounts.Place(object: object, address: address)
    let costs = words.dropFirst(positions)
    let count = try Self.sum([event], of: costs, in: line)
    if count > 0 { instructions[here, default: 0] &+= count }
    let data = try Self.sum(dataMissIndices, of: costs, in: line)
    if data > 0 { dataMisses?[here, default: 0] &+= data }
    let branches = try Self.sum(branchMissIndices, of: costs, in: line)
    if branches > 0 { branchMisses?[here, default: 0] &+= branches }
  }

  /// Returns the sum of some events of a line, whose zeros at the end are left out.
  private static func sum(
    _ indices: [Int], of costs: ArraySlice<Bytes>, in line: Bytes
  ) throws(PerfProfileError) -> UInt64 {
    var sum: UInt64 = 0
    for index in indices where index < costs.count {
      guard let count = number(costs[costs.startIndex + index]) else { throw invalid(line) }
      sum &+= count
    }
    return sum
  }

  /// Returns an address that may be relative to the last one.
  private func place(_ word: Bytes) -> UInt64? {
    switch word.first {
    case UInt8(ascii: "*"): address
    case UInt8(ascii: "+"): Self.number(word.dropFirst()).map { address &+ $0 }
    case UInt8(ascii: "-"): Self.number(word.dropFirst()).map { address &- $0 }
    default: Self.number(word)
    }
  }

  private static func words(_ line: Bytes) -> [Bytes] {
    line.split(separator: UInt8(ascii: " "))
  }

  /// Returns a decimal number, or a hexadecimal one after `0x`.
  private static func number(_ word: Bytes) -> UInt64? {
    let isHexadecimal = word.starts(with: "0x".utf8)
    let text = isHexadecimal ? word.dropFirst(2) : word
    return UInt64(String(decoding: text, as: UTF8.self), radix: isHexadecimal ? 16 : 10)
  }

  private static func invalid(_ line: Bytes) -> PerfProfileError {
    failure("line '\(String(decoding: line.prefix(60), as: UTF8.self))' of its counts is invalid")
  }
}
