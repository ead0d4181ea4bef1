internal import PerfWorkload

extension DatasetReport {
  /// Reports to the harness.
  init(_ context: SetupContext) {
    self.init(
      progress: { label, done, total in context.progress(label, done: done, total: total) },
      warn: { context.warn($0.code, $0.message, remedy: $0.remedy) })
  }
}
