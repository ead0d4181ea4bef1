/// The kind of code in a module; it determines the colour in flame graphs.
package enum ModuleKind: Int, CaseIterable {
  /// Also code that the program generated.
  case program
  /// The Swift runtime and the libraries of the toolchain.
  case swift
  /// The C library, the loader and the kernel's pages of code.
  case system
  /// Any other shared library.
  case library
  case unknown
  case kernel

  package init(module: String) {
    let systemStems = [
      "libc.", "libc-", "libm.", "libpthread", "ld-linux", "librt.", "libdl.", "libgcc_s",
      "linux-vdso", "[vdso]",
    ]
    let swiftStems = [
      "libswift", "libFoundation", "lib_Foundation", "libdispatch", "libBlocksRuntime", "libstdc++",
    ]
    if module.isEmpty || module == "[unknown]" {
      self = .unknown
    } else if module == Profile.kernelModule {
      self = .kernel
    } else if module == Profile.generatedModule {
      self = .program
    } else if systemStems.contains(where: module.hasPrefix) {
      self = .system
    } else if swiftStems.contains(where: module.hasPrefix) {
      self = .swift
    } else if module.hasPrefix("[") {
      self = .unknown
    } else if module.hasSuffix(".so") || module.contains(".so.") {
      self = .library
    } else {
      self = .program
    }
  }

  package var label: String {
    switch self {
    case .program: "program"
    case .swift: "Swift runtime"
    case .system: "system"
    case .library: "libraries"
    case .unknown: "unknown"
    case .kernel: "kernel"
    }
  }
}
