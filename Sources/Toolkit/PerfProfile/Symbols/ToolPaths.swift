internal import Glibc

/// The paths of the toolchain's programs.
public struct ToolPaths: Hashable, Sendable, Codable {
  /// The program that names addresses; nil if there is none.
  public var symbolizer: String?
  /// The program that demangles Swift names; nil if there is none.
  public var demangler: String?
  /// The program that demangles Rust names, binutils' `c++filt`; nil if there is none.
  public var rustDemangler: String?

  /// Creates paths.
  public init(symbolizer: String?, demangler: String?, rustDemangler: String? = nil) {
    self.symbolizer = symbolizer
    self.demangler = demangler
    self.rustDemangler = rustDemangler
  }

  /// Finds the programs on this machine.
  ///
  /// The order is PERFKIT_LLVM_SYMBOLIZER (empty for none), the folder of `swift` in PATH, whose
  /// symbolizer matches the compiler's debug information, then PATH.
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

  /// Returns the path of a program in the first folder that has it; nil if none does.
  static func executable(_ name: String, in folders: [String]) -> String? {
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
