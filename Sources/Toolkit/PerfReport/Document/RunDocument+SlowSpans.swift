internal import PerfModel
internal import PerfStatistics

extension RunDocument {
  /// The functions in which the slowest spans differ from those in the middle; nil if they were not
  /// requested.
  var slowSpansTable: Table? {
    guard let slowSpans else { return nil }
    let running = slowSpans.functions(in: .running)
    let waiting = slowSpans.functions(in: .waiting)
    let runnable = slowSpans.functions(in: .runnable)
    let groups = [
      ("CPU time, self", running.filter { $0.kind == .own }),
      ("CPU time, with callees", running.filter { $0.kind == .total }.telling(of: running)),
      ("waiting, by call", waiting.filter { $0.kind == .own }),
      ("waiting, by caller", waiting.filter { $0.kind == .total }.telling(of: waiting)),
      ("ready without a CPU", runnable.filter { $0.kind == .own }),
    ]
    return Table(
      id: "slow-spans", title: "The slowest '\(slowSpans.choice.name)'",
      columns: [
        .init("middle", .trailing), .init("slowest", .trailing), .init("difference", .trailing),
        .init("function", isFlexible: true), .init("95 % CI", .trailing, isDetail: true),
        .init("q", .trailing, isDetail: true),
      ],
      groups: groups.filter { !$0.1.isEmpty }.map {
        .init(title: $0.0, rows: $0.1.rows(limit: 6, hasSource: false))
      },
      caption: slowSpans.summary + " Times are means per span. ~: may be noise.")
  }
}

extension SlowSpans {
  /// The comparison of the functions in a state.
  func functions(in state: Profile.State) -> [FunctionComparison] {
    FunctionComparer().compare(self, in: state).filter { $0.base > 0 || $0.candidate > 0 }
  }

  /// Both groups of spans in words, with their mean durations.
  var summary: String {
    "The slowest \(NumberFormat.grouped(slow.durations.count)) of "
      + "\(Wording.count(count, choice.kind.name)) '\(choice.name)' take "
      + "\(NumberFormat.human(slow.meanDuration, .time)), the "
      + "\(NumberFormat.grouped(middle.durations.count)) in the middle "
      + "\(NumberFormat.human(middle.meanDuration, .time)) (means)."
  }

  /// A warning if the spans are so short that a sample in a span makes it one of the slowest.
  var warning: RunWarning? {
    let interval = 1e9 / slow.profile.audit.rateAsked
    guard slow.meanDuration < interval else { return nil }
    return RunWarning(
      code: "spans.short",
      message:
        "the slowest spans take \(NumberFormat.human(slow.meanDuration, .time)), less than the "
        + "sampling interval of \(NumberFormat.human(interval, .time)): the cost of a sample may have made "
        + "them slow",
      remedy: "Mark larger parts of the work.")
  }

  /// The spans in JSON; times are in nanoseconds.
  var json: JSONValue {
    func side(_ group: Group) -> JSONValue {
      .object([
        "spans": .int(group.durations.count), "duration_mean": .number(group.meanDuration),
      ])
    }
    return .object([
      "name": .string(choice.name),
      "kind": .string(choice.kind.name),
      "share_percent": .number(choice.share * 100),
      "spans": .int(count),
      "slow": side(slow),
      "middle": side(middle),
      "running": .array(functions(in: .running).map(\.json)),
      "waiting": .array(functions(in: .waiting).map(\.json)),
      "runnable": .array(functions(in: .runnable).map(\.json)),
    ])
  }
}
