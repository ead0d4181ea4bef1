internal import Foundation

/// A Python package that is used if `python3` has it.
struct PythonPackage {
  /// The name in pip.
  let name: String
  /// The import statements of a program that uses the package.
  let imports: String

  /// The version that is installed and loads, or nil.
  var version: String? {
    let program = """
      \(imports)
      from importlib.metadata import version
      print(version('\(name)'))
      """
    return try? run(program, [], errors: FileHandle.nullDevice).last
  }

  /// Runs a program on values.
  ///
  /// - Parameters:
  ///   - program: The program after the imports; `sys.argv[1]` is a JSON file with the values.
  ///   - values: The input.
  ///   - arguments: Further arguments, from `sys.argv[2]` on.
  /// - Returns: The printed lines.
  /// - Throws: `BenchError` when the program fails; Python prints the reason to standard error.
  func lines(
    of program: String, on values: some Encodable, _ arguments: String...
  ) throws -> [String] {
    let folder = FileManager.default.temporaryDirectory
    let input = folder.appendingPathComponent("perfkit-\(name)-\(getpid()).json")
    defer { try? FileManager.default.removeItem(at: input) }
    try JSONEncoder().encode(values).write(to: input)
    return try run(
      imports + "\n" + program, [input.path] + arguments, errors: FileHandle.standardError)
  }

  private func run(
    _ program: String, _ arguments: [String], errors: FileHandle
  ) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", program] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchError(
        description: "python3 with \(name) failed with exit code \(process.terminationStatus)")
    }
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
