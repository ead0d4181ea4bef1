internal import Dispatch
internal import PerfModel
internal import PerfStore
internal import Synchronization

/// Parses the records of runs in other threads, one part ahead of the caller.
///
/// SQLite stores the parsed runs in one thread, so that other CPUs are free meanwhile.
final class RunParser {
  /// The metrics of a run as the hub has them.
  struct Record: Sendable {
    let id: String
    let bytes: [UInt8]?
    let size: Int64?

    func run(of hub: String, _ reader: RunTextReader) throws -> Run {
      let text = RunText(json: try Hub.content(bytes, size: size, of: id, hub: hub))
      let run = try reader.run(text, from: "hub \(hub)")
      guard run.id == id else {
        throw HubError.damaged(hub: hub, detail: "the record of run \(id) is of another run")
      }
      return run
    }
  }

  /// The runs of a part that is being parsed.
  private final class Part: Sendable {
    private let runs: Mutex<[Result<Run, any Error>?]>
    private let group = DispatchGroup()

    init(_ records: [Record], of hub: String, _ reader: RunTextReader) {
      runs = Mutex(Array(repeating: nil, count: records.count))
      DispatchQueue.global().async(group: group) { [self] in
        DispatchQueue.concurrentPerform(iterations: records.count) { index in
          let run = Result { try records[index].run(of: hub, reader) }
          runs.withLock { $0[index] = run }
        }
      }
    }

    func wait() throws -> [Run] {
      group.wait()
      return try runs.withLock { $0 }.compactMap { try $0?.get() }
    }
  }

  private let hub: String
  private let reader = RunTextReader()
  private var waiting: ArraySlice<[Record]>
  private var current: Part?

  /// Begins to parse records of a hub.
  init(_ records: [Record], of hub: String) {
    self.hub = hub
    waiting = Hub.parts(of: records, size: 100)[...]
    begin()
  }

  private func begin() { current = waiting.popFirst().map { Part($0, of: hub, reader) } }

  /// Returns the runs of the next part in their order; none at the end.
  ///
  /// - Throws: `HubError.damaged`, `StoreError.notImportable`.
  func next() throws -> [Run] {
    guard let runs = try current?.wait() else { return [] }
    begin()
    return runs
  }
}
