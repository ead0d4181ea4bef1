/// A file that the loader mapped into the measured process.
struct LoadedModule: Hashable, Sendable {
  /// Its path in the process; `linux-vdso.so.1` is the kernel's and has no file.
  let path: String
  /// Its build id; empty if it has none.
  let buildID: [UInt8]
  /// The difference between addresses in the process and in the file.
  let bias: UInt64
  /// The first address of its segments in the process.
  let low: UInt64
  /// The end of its last segment in the process.
  let high: UInt64

  /// Whether it is the page of code that the kernel maps into each process.
  var isKernelPage: Bool { path.contains("linux-vdso.so") || path == "[vdso]" }
}

/// The modules that were loaded from a time until the next list.
struct ModuleList: Sendable {
  let time: UInt64
  /// When the previous list was last known to be valid; at most `time`.
  var before: UInt64 = 0
  /// The number of modules ever loaded by then.
  var adds: UInt64 = 0
  /// The number of modules unloaded by then.
  var subs: UInt64 = 0
  var modules: [LoadedModule]
}
