internal import Glibc

/// Where the toolchain's programs are.
public struct ToolPaths: Hashable, Sendable, Codable {
  /// Names addresses; nil when there is none.
  public var symbolizer: String?
  /// Demangles Swift names; nil when there is none.
  public var demangler: String?
  /// Demangles names of Rust, and the largest of C++, as binutils' `c++filt` does; nil when there is none.
  public var rustDemangler: String?

  /// Creates paths.
  public init(symbolizer: String?, demangler: String?, rustDemangler: String? = nil) {
    self.symbolizer = symbolizer
    self.demangler = demangler
    self.rustDemangler = rustDemangler
  }

  /// Returns the programs of this machine.
  ///
  /// PERFKIT_LLVM_SYMBOLIZER comes first (empty: use none), then the folder of `swift` in PATH, whose
  /// symbolizer knows the debug information of its own compiler, then PATH.
  public static func found() -> Self {
    let folders = (variable("PATH") ?? "").split(separator: ":").map(String.init)
    var ordered = folders
    if let swift = executable("swift", in: folders) {
      ordered.insert(folder(of: resolved(swift)), at: 0)
      ordered.insert(folder(of: swift), at: 0)
    }
    let chosen = variable("PERFKIT_LLVM_SYMBOLIZER")
    let symbolizer = chosen ?? executable("llvm-symbolizer", in: ordered)
    return Self(
      symbolizer: symbolizer?.isEmpty == true ? nil : symbolizer,
      demangler: executable("swift-demangle", in: ordered),
      rustDemangler: executable("c++filt", in: folders))
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  private static func executable(_ name: String, in folders: [String]) -> String? {
    folders.lazy.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  private static func resolved(_ path: String) -> String {
    guard let text = realpath(path, nil) else { return path }
    defer { free(text) }
    return String(cString: text)
  }

  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }
}
