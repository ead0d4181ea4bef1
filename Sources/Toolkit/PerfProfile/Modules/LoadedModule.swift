/// A file that the loader had mapped into the measured process.
struct LoadedModule: Hashable, Sendable {
  /// Its path there; `linux-vdso.so.1` is the kernel's and has no file.
  let path: String
  /// Its build id, empty when it has none.
  let buildID: [UInt8]
  /// What to add to the file's addresses.
  let bias: UInt64
  /// The first address of its load segments.
  let low: UInt64
  /// Past the last address.
  let high: UInt64

  /// Whether it is the code that the kernel maps into each process.
  var isKernelPage: Bool { path.contains("linux-vdso.so") || path == "[vdso]" }
}

/// The modules that were loaded from some time on, until the next list.
struct ModuleList: Sendable {
  let time: UInt64
  /// When the list before was last seen to be true; at most `time`.
  var before: UInt64 = 0
  /// How many modules had ever been loaded by then.
  var adds: UInt64 = 0
  /// How many had been unloaded.
  var subs: UInt64 = 0
  var modules: [LoadedModule]
}
