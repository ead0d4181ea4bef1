internal import PerfModel

extension RunDocument {
  /// The most functions in JSON.
  private static let mostFunctions = 100

  /// The functions with the most CPU time of their own, in descending order; null without a profile.
  ///
  /// They are folded as in the table of hot functions. Times are per launch, shares are fractions of the profile.
  var functionsJSON: JSONValue {
    guard let whole = run.profile, !whole.counts.isEmpty else { return .null }
    let profile = folding.apply(to: whole)
    let hot = HotFunctions(profile)
    let launches = Double(max(run.sampled.count, 1))
    let unit = JSONValue.string(Unit.base(of: profile.measure.dimension).symbol)
    return .array(
      hot.functions.prefix { $0.own.time > 0 }.prefix(Self.mostFunctions).map { entry in
        .object([
          "name": .string(entry.function.name), "module": .string(entry.function.module),
          "file": .optional(entry.function.file), "unit": unit,
          "self": .number(entry.own.time / launches), "total": .number(entry.total.time / launches),
          "self_share": .number(entry.own.time / hot.total),
          "total_share": .number(entry.total.time / hot.total),
          "samples": profile.measure.hasSamples ? .int(entry.own.samples) : .null,
        ])
      })
  }
}
