internal import CoverCache
internal import Foundation
internal import Glibc
internal import PerfWorkload
internal import Synchronization

/// Replays days of requests through a disk tier while some of its files are damaged.
struct DiskReplay: Workload {
  static let name = "book.disk"
  static let summary = "Requests covers from a disk tier over several days."
  static let books = Parameter("books", default: 3_000, in: 1...50_000, "Books in the trace.")
  static let requests = Parameter(
    "requests", default: 6_000, in: 1...1_000_000, "Number of requests.")
  static let coverBytes = Parameter(
    "cover_bytes", default: 60_000, in: 1...10_000_000, "Size of a cover, in bytes.")
  static let limit = Parameter(
    "limit", default: 100, in: 1...10_000, "Limit of the folder, in MiB.")
  static let limitFactor = Parameter(
    "limit_factor", default: 1, in: 1...100, "Factor of the limit.")
  static let bounded = Parameter(
    "bounded", default: true, "Whether the size is limited; otherwise only the age is.")
  static let days = Parameter(
    "days", default: 10, in: 1...365, "Days from the first request to the last.")
  static let damageEvery = Parameter(
    "damage_every", default: 500, in: 0...1_000_000,
    "Requests between two damaged files; 0 damages none.")
  static let parameters: [any WorkloadParameter] = [
    books, requests, coverBytes, limit, limitFactor, bounded, days, damageEvery,
  ]
  static let counters: [CounterDeclaration] = [
    .bytes(
      "disk.most_bytes", .lower, isExact: true,
      "Largest total size of the files in the folder, which is read 33 times."),
    .ratio(
      "disk.hit_ratio", .higher, isExact: true, "Share of the requests that the folder answered."),
    .count("disk.undetected", .lower, isExact: true, "Damaged files whose content was returned."),
    .count(
      "disk.damaged", .neutral, isExact: true, "Damaged files that were detected and removed."),
    .time(
      "disk.oldest", .neutral, isExact: true, "Age of the oldest file that answered a request."),
    .time("disk.load_time", .lower, scale: .ratio, "Mean time to read a stored cover."),
    .time("disk.miss_time", .lower, scale: .ratio, "Mean time to find no usable cover."),
    .time("disk.store_time", .lower, scale: .ratio, "Mean time to store a cover."),
  ]

  private static let dayNanoseconds = 86_400_000_000_000
  /// The times that the folder's size is read before the last request.
  private static let sizeReadings = 32

  private let parameters: ParameterValues
  private let requests: [Int]
  private let folder: String

  init(_ context: PreparationContext) throws {
    parameters = context.parameters
    requests = AccessTrace.zipf.requests(
      books: parameters[Self.books], length: parameters[Self.requests],
      seed: context.seed)
    folder = "\(context.scratchDirectory)/disk"
  }

  func measure(_ context: MeasurementContext) throws {
    let days = DayClock()
    let limit =
      parameters[Self.bounded]
      ? (parameters[Self.limit] * parameters[Self.limitFactor]) << 20 : .max
    let tier = try DiskTier(directory: folder, byteLimit: limit, clock: days.clock)
    let step = Duration.nanoseconds(parameters[Self.days] * Self.dayNanoseconds / requests.count)
    let damageEvery = parameters[Self.damageEvery]
    var cover = Array(repeating: UInt8(0), count: parameters[Self.coverBytes])
    var most = 0
    var undetected = 0
    var stored: [Int: Duration] = [:]
    var oldest = Duration.zero
    var reading = Stopwatch()
    var missing = Stopwatch()
    var storing = Stopwatch()
    for (number, book) in requests.enumerated() {
      days.advance(by: step)
      let key = BookGenerator.coverName(of: book)
      if damageEvery > 0, number % damageEvery == damageEvery - 1 { try damageFile(number) }
      cover[0] = UInt8(truncatingIfNeeded: book)
      var lookUp = Stopwatch()
      if let found = lookUp.time({ Phase.diskRead.measure { tier.contents(for: key) } }) {
        reading.add(lookUp)
        if found != cover { undetected += 1 }
        oldest = max(oldest, days.now - stored[book, default: days.now])
      } else {
        missing.add(lookUp)
        try storing.time { try Phase.diskStore.measure { try tier.store(cover, for: key) } }
        stored[book] = days.now
      }
      if number.isMultiple(of: max(1, requests.count / Self.sizeReadings)) {
        most = max(most, try folderSize())
      }
    }
    most = max(most, try folderSize())
    tier.removeExpired()
    let metrics = tier.metrics
    context.report("disk.most_bytes", most)
    context.report("disk.hit_ratio", metrics.hitRatio)
    context.report("disk.undetected", undetected)
    context.report("disk.damaged", tier.damagedCount)
    context.report("disk.oldest", oldest.nanoseconds)
    context.report("disk.load_time", reading.mean)
    context.report("disk.miss_time", missing.mean)
    context.report("disk.store_time", storing.mean)
  }

  /// Returns the bytes of all files in the folder, except the tier's lock file.
  private func folderSize() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: folder).reduce(0) { sum, name in
      var status = stat()
      // FileManager needs ten times as long for the attributes of a file.
      guard name != ".lock", lstat("\(folder)/\(name)", &status) == 0 else { return sum }
      return sum + Int(status.st_size)
    }
  }

  /// Changes a byte in the middle of a file, as a failing disk could.
  private func damageFile(_ number: Int) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".cover") }.sorted()
    guard !names.isEmpty else { return }
    let file = try FileHandle(
      forUpdating: URL(fileURLWithPath: "\(folder)/\(names[number % names.count])"))
    defer { try? file.close() }
    try file.seek(toOffset: try file.seekToEnd() / 2)
    try file.write(contentsOf: Data([0xFF]))
  }
}

/// A clock that advances with each request.
private final class DayClock: Sendable {
  private let time = Mutex(Duration.seconds(1_700_000_000))

  var now: Duration { time.withLock { $0 } }

  var clock: CoverClock { CoverClock { self.now } }

  func advance(by step: Duration) { time.withLock { $0 += step } }
}
