internal import Foundation

/// A package that is run in Python, where `python3` has it.
struct PythonPackage {
  /// As pip calls it.
  let name: String
  /// What a program begins with that uses it.
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
  ///   - program: What comes after the imports; `sys.argv[1]` is a file with the values as JSON.
  ///   - values: What it works on.
  ///   - arguments: Further ones, from `sys.argv[2]` on.
  /// - Returns: The lines that it prints.
  /// - Throws: `BenchError` for a program that fails; Python says why on standard error.
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
      throw BenchError(description: "python3 exited with \(process.terminationStatus) in \(name)")
    }
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
