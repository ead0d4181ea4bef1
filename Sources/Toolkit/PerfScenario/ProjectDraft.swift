internal import Foundation

/// The first `perfkit.yml` and scenario of a project, chosen from the files in its folder.
public struct ProjectDraft: Hashable, Sendable {
  /// The build system of a project.
  public enum Kind: String, CaseIterable, Sendable {
    case swiftPackage = "Swift package"
    case cargo = "Cargo package"
    case cmake = "CMake project"
    case make = "Makefile"
    case python = "Python project"
    case other = "folder without a known build system"
  }

  /// The build system.
  public let kind: Kind
  /// The commands that build the project; none if nothing is built.
  public private(set) var build: [[String]] = []
  /// The folder of the built programs.
  public private(set) var products = "."
  /// A command whose output identifies the compiler; empty for none.
  public private(set) var toolchain: [String] = []
  /// The measured program and its arguments, from the project's folder; nil if the files do not name
  /// a program.
  public var command: [String]?
  /// The folder of the scenario files, relative to the project's folder.
  public var scenarios = "Scenarios"
  /// The library of a Swift package without a program; nil for other projects.
  public private(set) var library: String?
  /// The name of a Swift package; empty for other projects.
  public private(set) var packageName = ""
  /// The dependency of a library's package on PerfKit; nil for none.
  public private(set) var perfkit: PackageDependency?

  /// Reads the files that name the programs of a project.
  ///
  /// The files are searched by patterns and not evaluated, so that nothing of the project runs.
  ///
  /// - Parameter folder: The absolute path of the project's folder.
  public init(of folder: String) {
    let files = FileManager.default
    func text(_ name: String) -> String? { try? ScenarioText.read("\(folder)/\(name)") }
    if let manifest = text("Package.swift") {
      kind = .swiftPackage
      readSwiftPackage(manifest)
    } else if let manifest = text("Cargo.toml") {
      kind = .cargo
      readCargo(manifest, hasMain: files.fileExists(atPath: "\(folder)/src/main.rs"))
    } else if let lists = text("CMakeLists.txt") {
      kind = .cmake
      readCMake(lists)
    } else if let makefile = ["GNUmakefile", "makefile", "Makefile"].lazy.compactMap(text).first {
      kind = .make
      readMakefile(makefile)
    } else {
      let scripts = ((try? files.contentsOfDirectory(atPath: folder)) ?? [])
        .filter { $0.hasSuffix(".py") }.sorted()
      let isPython =
        !scripts.isEmpty
        || ["pyproject.toml", "setup.py"].contains { files.fileExists(atPath: "\(folder)/\($0)") }
      kind = isPython ? .python : .other
      let usual = ["bench.py", "benchmark.py", "main.py", "__main__.py"]
      let script = usual.first(where: scripts.contains) ?? (scripts.count == 1 ? scripts[0] : nil)
      command = script.map { ["python3", $0] }
    }
  }

  /// A name for the scenario: the program's, in the characters that names may have.
  public var scenarioName: String {
    let program = command.map { words in
      // The name of a script is more useful than its interpreter's.
      words.first == "python3" && words.count > 1 ? words[1] : words[0]
    }
    let stem = ((program ?? "first") as NSString).lastPathComponent
    let name = ((stem as NSString).deletingPathExtension).lowercased()
      .map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    let trimmed = String(name).split(separator: "-").joined(separator: "-")
    return trimmed.isEmpty ? "first" : trimmed
  }

  /// The lines of `.gitignore` for the folders that builds create.
  public var ignored: [String] {
    guard products != "." else { return [] }
    let build = products.split(separator: "/").dropLast(products.hasSuffix("/release") ? 1 : 0)
    return Array(
      Set([build.joined(separator: "/") + "/"] + (kind == .swiftPackage ? [".build/"] : []))
    )
    .sorted()
  }

  // MARK: - Build systems

  private mutating func readSwiftPackage(_ manifest: String) {
    let program =
      Self.first(#/\.executable\(\s*name:\s*"([^"]+)"/#, in: manifest)
      ?? Self.first(#/\.executableTarget\(\s*name:\s*"([^"]+)"/#, in: manifest)
    toolchain = ["swift", "--version"]
    if let program {
      build = [
        ["swift", "build", "-c", "release", "-Xswiftc", "-g", "--product", program]
      ]
      products = ".build/release"
      command = ["./.build/release/\(program)"]
    } else {
      packageName = Self.first(#/Package\(\s*name:\s*"([^"]+)"/#, in: manifest) ?? ""
      library = Self.first(#/\.library\(\s*name:\s*"([^"]+)"/#, in: manifest)
      perfkit = PackageDependency(in: manifest)
      let folder = WorkerTemplate.folder
      build = [
        ["swift", "build", "--package-path", folder, "-c", "release", "-Xswiftc", "-g"]
      ]
      products = "\(folder)/.build/release"
    }
  }

  private mutating func readCargo(_ manifest: String, hasMain: Bool) {
    // Profiles need line numbers, which release builds of Cargo do not have by default.
    build = [["env", "CARGO_PROFILE_RELEASE_DEBUG=1", "cargo", "build", "--release"]]
    products = "target/release"
    toolchain = ["cargo", "--version"]
    let name =
      Self.first(#/\[\[bin\]\][^\[]*?\bname\s*=\s*"([^"]+)"/#, in: manifest)
      ?? (hasMain ? Self.first(#/\[package\][^\[]*?\bname\s*=\s*"([^"]+)"/#, in: manifest) : nil)
    command = name.map { ["./target/release/\($0)"] }
  }

  private mutating func readCMake(_ lists: String) {
    build = [
      ["cmake", "-B", "build", "-DCMAKE_BUILD_TYPE=RelWithDebInfo"],
      ["cmake", "--build", "build", "--parallel"],
    ]
    products = "build"
    toolchain = ["cc", "--version"]
    command = Self.first(#/add_executable\s*\(\s*([A-Za-z0-9_.+-]+)/#, in: lists)
      .map { ["./build/\($0)"] }
  }

  private mutating func readMakefile(_ makefile: String) {
    build = [["make"]]
    toolchain = ["cc", "--version"]
    let variable =
      #/(?m)^(?:PROG|PROGRAM|TARGET|BIN|EXE|EXECUTABLE)\s*[:?]?=\s*([A-Za-z0-9_.\/+-]+)\s*$/#
    command = (Self.first(variable, in: makefile) ?? Self.linked(by: makefile)).map { ["./\($0)"] }
  }

  /// Returns the first program that the rules of a Makefile link.
  private static func linked(by makefile: String) -> String? {
    let target = #/(?m)^([A-Za-z0-9_.\/+-]+)[ ]*:(?!=)[^\n]*\n\t[^\n]*\s-o[ ]*\$@/#
    let output = #/(?m)^\t[^\n]*\s-o[ ]*([A-Za-z0-9_.\/+-]+)/#
    return [target, output].lazy.flatMap { makefile.matches(of: $0) }.map { String($0.output.1) }
      .first { !["o", "so", "a"].contains(($0 as NSString).pathExtension) }
  }

  private static func first(_ pattern: Regex<(Substring, Substring)>, in text: String) -> String? {
    text.firstMatch(of: pattern).map { String($0.output.1) }
  }
}
