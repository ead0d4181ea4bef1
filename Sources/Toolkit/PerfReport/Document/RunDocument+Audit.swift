internal import PerfModel

extension RunDocument {
  /// One or two sentences on how well the profile was sampled.
  static func sentence(on audit: ProfileAudit) -> String {
    let stacks = Double(audit.complete + audit.truncated + audit.failed)
    var parts = [
      "Sampler: \(NumberFormat.significant(audit.rateReached)) of "
        + "\(NumberFormat.significant(audit.rateAsked)) Hz",
      "\(Wording.count(audit.samples, "sample")), "
        + "\(NumberFormat.grouped(audit.dropped)) dropped",
    ]
    if stacks > 0 {
      parts.append("\(Wording.share(Double(audit.complete), of: stacks)) of the stacks complete")
    }
    if let p50 = audit.handlerP50 {
      let p99 = audit.handlerP99.map { " (p99 \(NumberFormat.human($0, .time)))" } ?? ""
      parts.append("handler \(NumberFormat.human(p50, .time))\(p99)")
    }
    if let overhead = audit.overhead {
      let source = audit.signalCost == nil ? "handlers alone" : "handlers and signals"
      parts.append(
        "overhead about \(NumberFormat.human(overhead, .ratio)) of CPU time (\(source))")
    }
    return parts.joined(separator: "; ") + "."
  }

  /// All figures of the sampler's audit; nil without a profile.
  var auditTable: Table? {
    guard let audit = run.profile?.audit else { return nil }
    var facts: [(String, String)] = [
      ("rate asked", "\(NumberFormat.significant(audit.rateAsked)) Hz"),
      ("rate reached", "\(NumberFormat.significant(audit.rateReached)) Hz"),
      ("sampled for", "\(NumberFormat.significant(audit.seconds)) s"),
      ("ticks made / missed / late", joined(audit.ticks, audit.ticksMissed, audit.ticksLate)),
      (
        "signals sent / not taken / refused",
        joined(audit.signals, audit.signalsBlocked, audit.signalsFailed)
      ),
      ("samples kept / dropped", joined(audit.samples, audit.dropped)),
      (
        "stacks complete / truncated / failed",
        joined(audit.complete, audit.truncated, audit.failed)
      ),
      (
        "waits met / complete / partial",
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
    facts.append(("ticker's CPU time", NumberFormat.human(Double(audit.tickerCPU), .time)))
    if let busy = audit.cpusBusy {
      facts.append(("CPUs busy on average", NumberFormat.significant(busy)))
    }
    facts.append(("fullest ring", NumberFormat.human(audit.ringHighWater, .ratio)))
    facts.append(("threads that block the signal", "\(audit.threadsBlocking)"))
    facts.append(("records without sense", "\(audit.garbage)"))
    if let overhead = audit.overhead {
      let source =
        audit.signalCost.map {
          "handlers, and signals of \(NumberFormat.human($0, .time)), as measured before the run"
        } ?? "handlers alone: what a signal costs was not measured"
      facts.append(
        ("estimated overhead", "\(NumberFormat.human(overhead, .ratio)) (\(source))"))
    }
    return Table(
      id: "audit", title: "Sampler", columns: [.init("figure"), .init("value")],
      rows: facts.map { [.init($0.0, .muted), .init($0.1)] })
  }

  private func joined(_ numbers: Int...) -> String {
    numbers.map(NumberFormat.grouped).joined(separator: " / ")
  }
}
