internal import CLinux
internal import Glibc
internal import PerfModel

/// The functions of the running kernel, from `/proc/kallsyms`.
struct KernelSymbols {
  private var starts: [UInt64] = []
  private var names: [String] = []

  /// Reads the kernel's symbols; without the right to see addresses there are none.
  init(path: String = "/proc/kallsyms") {
    var functions: [(start: UInt64, name: String)] = []
    forEachLine(of: path) { line in
      if let function = Self.function(line) { functions.append(function) }
    }
    functions.sort { $0.start < $1.start }
    starts = functions.map(\.start)
    names = functions.map(\.name)
  }

  /// Reads a line such as `ffffffff81000000 T _stext`; nil for data and hidden addresses.
  private static func function(
    _ line: UnsafeBufferPointer<CChar>
  ) -> (start: UInt64, name: String)? {
    guard line.count > 19, let base = line.baseAddress else { return nil }
    let kind = UInt8(bitPattern: line[17]) | 0x20
    guard kind == UInt8(ascii: "t") || kind == UInt8(ascii: "w") else { return nil }
    let start = UInt64(strtoull(base, nil, 16))
    guard start > 0 else { return nil }
    // The name ends at a tabulator, which the module's name follows, or at the line's end.
    let bytes = strcspn(base + 19, "\t\n")
    return (
      start, String(decoding: UnsafeRawBufferPointer(start: base + 19, count: bytes), as: UTF8.self)
    )
  }

  /// Returns the start of the function at an address; 0 if it is unknown.
  ///
  /// - Complexity: O(log *n*).
  func start(at address: UInt64) -> UInt64 {
    lastIndex(of: starts.indices) { starts[$0] <= address }.map { starts[$0] } ?? 0
  }

  /// The prefixes of functions that execute a system call, of which compilers leave out some
  /// (include/linux/syscalls.h of Linux).
  private static let callPrefixes = [
    "__x64_sys_", "__arm64_sys_", "__se_sys_", "__do_sys_", "ksys_", "kernel_", "do_sys_", "do_",
  ]

  /// Returns the system call that a thread executes, by its functions in the kernel.
  ///
  /// - Parameter addresses: The addresses of the functions, innermost first.
  /// - Returns: The system call, or a page fault; the kernel as a whole if its names are hidden; nil if
  ///   the thread was interrupted in its own code.
  func call(in addresses: ArraySlice<UInt64>) -> AddressTree.Location? {
    if starts.isEmpty { return .init(module: AddressTree.Location.kernelModule, address: 0) }
    let functions = addresses.reversed().compactMap { name(startingAt: start(at: $0 &- 1)) }
    for function in functions {
      for prefix in Self.callPrefixes where function.hasPrefix(prefix) {
        if let number = Self.calls[String(function.dropFirst(prefix.count))] {
          return .systemCall(number)
        }
      }
    }
    return functions.contains { $0.contains("page_fault") } ? .systemCall(-1) : nil
  }

  /// The numbers of the system calls by name.
  private static let calls: [String: Int32] = {
    var calls: [String: Int32] = [:]
    for number in 0..<1024 {
      if let name = clinux_system_call_name(number) { calls[String(cString: name)] = Int32(number) }
    }
    return calls
  }()

  /// Returns the name of the function that starts at an address; nil if there is none.
  func name(startingAt start: UInt64) -> String? {
    guard let place = lastIndex(of: starts.indices, where: { starts[$0] <= start }),
      starts[place] == start
    else { return nil }
    return names[place]
  }
}
