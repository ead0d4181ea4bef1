internal import PerfModel

extension Profile {
  /// The modules of all functions, the program itself first.
  ///
  /// A name that several files share has no build id.
  var exportedModules: [Module] {
    let known = Dictionary(grouping: modules, by: \.name)
    var names: [String] = []
    var seen: Set<String> = [""]
    for name in modules.map(\.name) + functions.map(\.module) where seen.insert(name).inserted {
      names.append(name)
    }
    let exported = names.map { name in
      if let known = known[name], known.count == 1 { return known[0] }
      return Module(name: name, path: name, buildID: "")
    }
    return exported.filter { $0.name.isProgram } + exported.filter { !$0.name.isProgram }
  }
}

extension String {
  /// Whether a module of this name is a program, no library and nothing of the kernel's.
  var isProgram: Bool { !contains(".so") && !hasPrefix("[") && !isEmpty }
}
