internal import PerfModel

extension RunDocument {
  /// Returns a sentence on the quality of the sampling.
  static func sentence(on audit: ProfileAudit) -> String {
    let stacks = Double(audit.complete) + Double(audit.truncated) + Double(audit.failed)
    var parts = [
      "Sampler: \(NumberFormat.significant(audit.rateReached)) of "
        + "\(NumberFormat.significant(audit.rateAsked)) Hz",
      "\(NumberFormat.grouped(audit.ticksLate)) of \(Wording.count(audit.ticks, "tick")) late, "
        + "\(NumberFormat.grouped(audit.ticksMissed)) missed",
      "\(Wording.count(audit.samples, "sample")), "
        + "\(NumberFormat.grouped(audit.dropped)) dropped",
    ]
    if stacks > 0 {
      parts.append(
        "\(Wording.share(Double(audit.complete), of: stacks)) of the stacks complete"
          + reasons(of: audit))
    }
    if let p50 = audit.handlerP50 {
      let p99 = audit.handlerP99.map { " (p99 \(NumberFormat.human($0, .time)))" } ?? ""
      parts.append("handler \(NumberFormat.human(p50, .time))\(p99)")
    }
    if audit.seconds > 0 {
      let share = Double(audit.tickerCPU) / (audit.seconds * 1e9)
      parts.append("ticker \(NumberFormat.human(share, .ratio)) of a CPU")
    }
    if let overhead = audit.overhead {
      let source = audit.signalCost == nil ? "handlers only" : "handlers and signals"
      parts.append(
        "overhead about \(NumberFormat.human(overhead, .ratio)) of CPU time "
          + "(\(range(of: audit))\(source))")
    }
    return parts.joined(separator: "; ") + "."
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

  /// The figures of the sampler's audit; nil without a profile.
  var auditTable: Table? {
    guard let audit = run.profile?.audit else { return nil }
    var facts: [(String, String)] = [
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
      (
        "waits / complete / partial",
        joined(audit.waits, audit.waitsComplete, audit.partial)
      ),
    ]
    facts += audit.failures.sorted { $0.key < $1.key }
      .map { ("failed: \($0.key)", NumberFormat.grouped($0.value)) }
    if let p50 = audit.handlerP50, let p99 = audit.handlerP99 {
      facts.append(
        (
          "handler p50 / p99",
          "\(NumberFormat.human(p50, .time)) / \(NumberFormat.human(p99, .time))"
        ))
    }
    facts.append(("CPU time of the ticker", NumberFormat.human(Double(audit.tickerCPU), .time)))
    if let busy = audit.cpusBusy {
      facts.append(("busy CPUs on average", NumberFormat.significant(busy)))
    }
    facts.append(("fullest ring", NumberFormat.human(audit.ringHighWater, .ratio)))
    facts.append(("threads blocking the signal", "\(audit.threadsBlocking)"))
    facts.append(("invalid records", "\(audit.garbage)"))
    if let overhead = audit.overhead {
      facts.append(
        (
          "estimated overhead",
          "\(NumberFormat.human(overhead, .ratio)) (\(source(of: audit)))"
        ))
    }
    return Table(
      id: "audit", title: "Sampler", columns: [.init("figure"), .init("value")],
      rows: facts.map { [.init($0.0, .muted), .init($0.1)] })
  }

  /// Returns the basis of the overhead estimate.
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
