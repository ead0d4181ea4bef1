internal import PerfHub
internal import PerfReport
internal import PerfStore

/// The numbers of items that were moved between two stores, or a store and a hub.
protocol TransferDocument {
  var runs: Int { get }
  var comparisons: Int { get }
  var decisions: Int { get }
  var baselines: Int { get }
  var completed: Int { get }
  var known: Int { get }
  var unfinished: [String] { get }
}

extension StoreTransfer: TransferDocument {}
extension HubTransfer: TransferDocument {}

extension TransferDocument {
  /// Describes the moved items.
  ///
  /// - Parameters:
  ///   - source: The path of the store that items were read from, or the address of the hub.
  ///   - target: The path of the store that received them, or the address of the hub.
  ///   - renumbered: The old and new numbers of decisions whose number was taken.
  /// - Returns: The document `perfkit.transfer/1`.
  func json(
    from source: String, to target: String, renumbered: [Int: Int] = [:]
  ) -> JSONValue {
    .object([
      "schema": "perfkit.transfer/1", "from": .string(source), "to": .string(target),
      "runs": .int(runs), "comparisons": .int(comparisons), "decisions": .int(decisions),
      "baselines": .int(baselines), "completed": .int(completed), "known": .int(known),
      "unfinished": .array(unfinished.map(JSONValue.string)),
      "renumbered": .array(
        renumbered.sorted { $0.key < $1.key }.map { old, new in
          .object(["old": .int(old), "new": .int(new)])
        }),
    ])
  }
}
