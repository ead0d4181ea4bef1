internal import PerfModel

extension Capture {
  /// Adds the marks that a program made to the samples that the kernel took of it.
  ///
  /// The kernel's records number the threads apart from the agent, so the marks get the serials of the
  /// records: those of the last thread with the same kernel id that had begun.
  ///
  /// - Parameter agent: The capture of the program's agent, which took no samples.
  public mutating func add(marksOf agent: Capture) {
    let owners = Dictionary(grouping: threads, by: \.id)
    func serial(of marker: Int, at time: UInt64) -> Int {
      guard let id = agent.markers[marker], let all = owners[id] else { return 0 }
      return (all.last { $0.started <= time } ?? all[0]).serial
    }
    func moved(_ span: Span) -> Span {
      Span(
        name: span.name, thread: serial(of: span.thread, at: span.ended), frame: span.frame,
        began: span.began, ended: span.ended, isDetached: span.isDetached)
    }
    func moved(_ value: Value) -> Value {
      Value(
        name: value.name, thread: serial(of: value.thread, at: value.time), time: value.time,
        value: value.value)
    }
    intervals = agent.intervals
    phases = agent.phases.map(moved)
    signposts = agent.signposts.map(moved)
    counters = agent.counters.map(moved)
    events = agent.events.map(moved)
    agentVersion = agent.agentVersion
    isOverwritten = agent.isOverwritten
    garbage += agent.garbage
    marksDropped += agent.marksDropped
    warnings += agent.warnings
  }
}
