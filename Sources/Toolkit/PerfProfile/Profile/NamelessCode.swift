internal import PerfModel

/// The CPU time in files without symbols.
struct NamelessCode {
  /// The CPU time by module, in nanoseconds.
  private var times: [String: Double] = [:]
  private var total = 0.0
  /// The paths of the modules by their names.
  private let paths: [String: String]

  /// Sums CPU time.
  ///
  /// - Parameters:
  ///   - named: The call tree with names.
  ///   - running: The CPU time by node of the address tree.
  ///   - modules: The modules of the addresses.
  init(
    _ named: NamedTree, running: some Sequence<(node: Int32, weight: Double)>,
    modules: [ModuleImages.Identity]
  ) {
    paths = Dictionary(modules.map { ($0.name, $0.path) }) { first, _ in first }
    for (node, weight) in running {
      total += weight
      let function = named.functions[named.nodes[named.places[Int(node)]].function]
      if Symbolizer.isNameless(function) { times[function.module, default: 0] += weight }
    }
  }

  /// A warning if there is much of it.
  var warnings: [RunWarning] {
    let share = times.values.reduce(0, +) / max(total, 1)
    guard share > SamplerBounds.nameless,
      let most = times.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })
    else { return [] }
    return [
      RunWarning(
        code: "symbols.missing",
        message:
          "\(NumberFormat.human(share, .ratio)) of the CPU time is in functions without names, "
          + "most of it in '\(most.key)'",
        remedy: Self.remedy(for: paths[most.key] ?? ""))
    ]
  }

  /// Returns the ways to get the names of a file's functions.
  static func remedy(for path: String, in packages: DebianPackages = DebianPackages()) -> String {
    let package = packages.debugPackage(of: path) ?? "the debug package of the file (-dbgsym)"
    return "Install \(package), build the file with symbols, or let `perfkit record --debuginfod` "
      + "fetch them from the servers in DEBUGINFOD_URLS."
  }
}
