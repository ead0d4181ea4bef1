internal import PerfModel

extension RunDocument {
  static func sentence(on audit: ProfileAudit) -> String {
    let stacks = Double(audit.complete) + Double(audit.truncated) + Double(audit.failed)
    let p99 = audit.handlerP99.map { " (p99 \(NumberFormat.human($0, .time)))" } ?? ""
    let ticker = NumberFormat.human(Double(audit.tickerCPU) / (audit.seconds * 1e9), .ratio)
    let rate = NumberFormat.significant(audit.rateAsked)
    let isKernel = audit.engine == .perf
    let ticks: [String] =
      isKernel
      ? ["Sampler: the kernel's clock of each thread, \(rate) Hz"]
      : [
        "Sampler: \(NumberFormat.significant(audit.rateReached)) of \(rate) Hz",
        "\(NumberFormat.grouped(audit.ticksLate)) of \(Wording.count(audit.ticks, "tick")) late, "
          + "\(NumberFormat.grouped(audit.ticksMissed)) missed",
      ]
    let parts: [String?] = [
      "\(Wording.count(audit.samples, "sample")), "
        + "\(NumberFormat.grouped(audit.dropped)) dropped",
      stacks > 0
        ? "\(Wording.share(Double(audit.complete), of: stacks)) of the stacks complete"
          + reasons(of: audit) : nil,
      audit.handlerP50.map { "handler \(NumberFormat.human($0, .time))\(p99)" },
      audit.seconds > 0 && !isKernel ? "ticker \(ticker) of a CPU" : nil,
      audit.overhead.map { overhead in
        "overhead about \(NumberFormat.human(overhead, .ratio)) of CPU time "
          + "(\(range(of: audit))\(audit.signalCost == nil ? "handlers only" : "handlers and signals"))"
      },
      audit.engineReason.map { "engine \((audit.engine ?? .signal).rawValue) (\($0))" },
    ]
    return (ticks + parts.compactMap(\.self)).joined(separator: "; ") + "."
  }

  /// Returns the reasons of failed stacks, most frequent first, such as ` (failed: 3 no unwind
  /// rules)`; empty without failures.
  private static func reasons(of audit: ProfileAudit) -> String {
    guard !audit.failures.isEmpty else { return "" }
    let reasons = audit.failures.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\(NumberFormat.grouped($0.value)) \($0.key)" }
    return " (failed: \(reasons.joined(separator: ", ")))"
  }

  /// Returns the range of the overhead, such as `1.1% to 1.9%; `; empty if the cost of signals is
  /// unknown.
  private static func range(of audit: ProfileAudit) -> String {
    guard let low = audit.overheadLow, let high = audit.overheadHigh else { return "" }
    return "\(NumberFormat.human(low, .ratio)) to \(NumberFormat.human(high, .ratio)); "
  }

  var auditTable: Table? {
    guard run.importedFormat == nil, let audit = run.profile?.audit else { return nil }
    var facts: [(name: String, value: String?)] = [
      ("requested rate", "\(NumberFormat.significant(audit.rateAsked)) Hz"),
      ("actual rate", "\(NumberFormat.significant(audit.rateReached)) Hz"),
      ("sampled time", "\(NumberFormat.significant(audit.seconds)) s"),
      ("ticks / missed / late", joined(audit.ticks, audit.ticksMissed, audit.ticksLate)),
      (
        "signals sent / late / failed",
        joined(audit.signals, audit.signalsBlocked, audit.signalsFailed)
      ),
      ("samples / dropped", joined(audit.samples, audit.dropped)),
      (
        "stacks complete / truncated / failed",
        joined(audit.complete, audit.truncated, audit.failed)
      ),
      ("waits / complete / partial", joined(audit.waits, audit.waitsComplete, audit.partial)),
    ]
    facts += audit.failures.sorted { $0.key < $1.key }
      .map { ("failed: \($0.key)", NumberFormat.grouped($0.value)) }
    let handler = audit.handlerP50.flatMap { p50 in
      audit.handlerP99.map { [p50, $0].map { NumberFormat.human($0, .time) } }
    }
    facts += [
      ("handler p50 / p99", handler?.joined(separator: " / ")),
      ("CPU time of the ticker", NumberFormat.human(Double(audit.tickerCPU), .time)),
      ("busy CPUs on average", audit.cpusBusy.map { NumberFormat.significant($0) }),
      ("fullest ring", NumberFormat.human(audit.ringHighWater, .ratio)),
      ("threads blocking the signal", "\(audit.threadsBlocking)"),
      ("invalid records", "\(audit.garbage)"),
      (
        "estimated overhead",
        audit.overhead.map { "\(NumberFormat.human($0, .ratio)) (\(source(of: audit)))" }
      ),
    ]
    if audit.engine == .perf { facts.removeAll { !Self.factsOfKernel.contains($0.name) } }
    if audit.engine == .perf || audit.engineReason != nil {
      let reason = audit.engineReason.map { " (\($0))" } ?? ""
      facts.insert(("engine", (audit.engine ?? .signal).rawValue + reason), at: 0)
    }
    return Table(
      id: "audit", title: "Sampler", columns: [.init("figure"), .init("value")],
      rows: facts.compactMap { fact in
        fact.value.map { [.init(fact.name, .muted), .init($0)] }
      })
  }

  /// The facts that sampling by the kernel has; it has no ticker, signals and handlers.
  private static let factsOfKernel: Set<String> = [
    "requested rate", "sampled time", "samples / dropped", "stacks complete / truncated / failed",
    "waits / complete / partial", "busy CPUs on average", "invalid records",
  ]

  private func source(of audit: ProfileAudit) -> String {
    guard let cost = audit.signalCost else {
      let reason = audit.signalCostObstacle.map { ": \($0)" } ?? ""
      return "handlers only; the cost of a signal was not measured\(reason)"
    }
    var text = Self.range(of: audit) + "handlers, and signals of \(NumberFormat.human(cost, .time))"
    if let low = audit.signalCostLow, let high = audit.signalCostHigh {
      text += " (quartiles \(NumberFormat.human(low, .time)) and "
      text += "\(NumberFormat.human(high, .time)))"
    }
    return text + ", measured before the run"
  }

  private func joined(_ numbers: Int...) -> String {
    numbers.map(NumberFormat.grouped).joined(separator: " / ")
  }
}
