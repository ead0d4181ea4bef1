internal import PerfWorkload

extension DatasetReport {
  /// Creates a report that forwards to the harness.
  init(_ context: SetupContext) {
    self.init(
      progress: { label, done, total in context.progress(label, done: done, total: total) },
      warn: { context.warn(code: $0.code, message: $0.message, remedy: $0.remedy) })
  }
}
