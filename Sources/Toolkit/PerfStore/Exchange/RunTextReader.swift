public import PerfModel
internal import Synchronization

/// Reads runs from texts; equal lists of definitions are read once.
///
/// Runs of a scenario have the same definitions, which make up half of their texts.
public final class RunTextReader: Sendable {
  private struct List: Hashable {
    let json: [UInt8]

    // Few lists have the same length.
    func hash(into hasher: inout Hasher) { hasher.combine(json.count) }
  }

  private let lists = Mutex<[List: [MetricDefinition]]>([:])

  /// Creates a reader that has read nothing.
  public init() {}

  /// Returns the run of a text; several threads may read at the same time.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - origin: The name of the storage, for messages.
  /// - Returns: The run, without bulky parts.
  /// - Throws: `StoreError.notImportable` for an invalid text.
  public func run(_ text: RunText, from origin: String) throws(StoreError) -> Run {
    do {
      return try record(text).run(allowsNaN: true)
    } catch let problem as RecordProblem {
      throw .notImportable(path: origin, cause: problem.text)
    } catch {
      throw .notImportable(path: origin, cause: "the record of a run is not the expected JSON")
    }
  }

  private func record(_ text: RunText) throws -> RunRecord {
    guard let parts = RunTextScanner.parts(of: text.json) else { return try text.record() }
    var record = try RunText(json: parts.rest).record()
    record.launches = parts.launches
    record.definitions = try definitions(parts.definitions)
    return record
  }

  private func definitions(_ json: [UInt8]) throws -> [MetricDefinition] {
    let list = List(json: json)
    if let known = lists.withLock({ $0[list] }) { return known }
    let read: [MetricDefinition] = try JSONText.decode(String(decoding: json, as: UTF8.self))
    lists.withLock { $0[list] = read }
    return read
  }
}
