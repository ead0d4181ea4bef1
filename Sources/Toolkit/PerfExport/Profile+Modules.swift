internal import PerfModel

/// A file that functions come from.
struct ExportedModule: Hashable {
  let name: String
  let path: String
  /// In hexadecimal digits; empty when unknown.
  let buildID: String
}

extension Profile {
  /// The modules of all functions, the program itself first.
  var exportedModules: [ExportedModule] {
    var names: [String] = []
    var seen: Set<String> = [""]
    for function in functions where seen.insert(function.module).inserted {
      names.append(function.module)
    }
    let programs = names.filter { !$0.contains(".so") && !$0.hasPrefix("[") }
    return (programs + names.filter { !programs.contains($0) }).map {
      ExportedModule(name: $0, path: $0, buildID: "")
    }
  }
}
