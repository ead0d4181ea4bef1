import Foundation
import PerfModel
import PerfScenario
import Testing

/// Scenario files and folders on disk.
final class ScenarioLibraryTests {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("perfkit-scenarios-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func write(_ name: String, _ data: Data) throws -> String {
    let file = folder.appendingPathComponent(name)
    try data.write(to: file)
    return file.path
  }

  func write(_ name: String, _ text: String) throws -> String { try write(name, Data(text.utf8)) }

  func complaintOfFile(_ path: String) -> String? {
    do throws(ScenarioError) {
      _ = try ScenarioFile(path: path)
      return nil
    } catch {
      return error.description
    }
  }

  @Test
  func `a library lists its scenarios and finds them by name or path`() throws {
    _ = try write("s.yml", head)
    _ = try write("notes.txt", "no scenario")
    _ = try write("b.yml", "scenario: b\nsummary: B.\ncommand: [b]")
    let library = ScenarioLibrary(folder: folder.path)
    #expect(try library.names() == ["b", "s"])
    #expect(try library.file("s").scenario.name == "s")
    #expect(try library.file(folder.path + "/b.yml").scenario.name == "b")
  }

  @Test
  func `an invalid scenario file does not affect the others`() throws {
    _ = try write("a.yml", "scenario: a\nnonsense: 1")
    _ = try write("s.yml", head)
    let entries = try ScenarioLibrary(folder: folder.path).entries()
    #expect(entries.map(\.name) == ["a", "s"])
    #expect(throws: ScenarioError.self) { try entries[0].result.get() }
    #expect(try entries[1].result.get().scenario.summary == "A test.")
  }

  @Test
  func `the error of an unknown scenario names the nearest one or all`() throws {
    let library = ScenarioLibrary(folder: folder.path)
    let none = #expect(throws: ScenarioError.self) { try library.file("s") }
    #expect(none?.description == "no scenario 's': '\(folder.path)' contains no .yml files.")
    for name in ["scroll-1000", "cold-start"] { _ = try write(name + ".yml", head) }
    let near = #expect(throws: ScenarioError.self) { try library.file("scrol-1000") }
    #expect(
      near?.description
        == "no scenario 'scrol-1000' in '\(folder.path)'; did you mean 'scroll-1000'?")
    let far = #expect(throws: ScenarioError.self) { try library.file("x") }
    #expect(
      far?.description
        == "no scenario 'x' in '\(folder.path)'. Scenarios: cold-start, scroll-1000.")
    let variant = #expect(throws: ScenarioError.self) { try library.file("cold-start:naive") }
    #expect(
      variant?.description
        == "no scenario 'cold-start:naive' in '\(folder.path)'. Name the variant by an option: "
        + "'cold-start --variant naive'.")
  }

  @Test
  func `the error of a missing folder names it`() {
    let path = folder.path + "/none"
    let error = #expect(throws: ScenarioError.self) { try ScenarioLibrary(folder: path).names() }
    #expect(
      error?.description
        == "cannot list scenarios in '\(path)': there is no such folder. Write a first scenario with "
        + "'perfkit init', or pass the folder of scenario files as --scenarios.")
  }

  @Test
  func `the error of a missing folder below a project names the project's folder`() throws {
    let (root, deep) = (folder.path, folder.path + "/a/deep")
    try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
    _ = try write("perfkit.yml", "build: [make]\n")
    func complaint(in place: String) -> String {
      var library = ScenarioLibrary(folder: place + "/Scenarios")
      library.workingDirectory = place
      do {
        return try library.names().joined()
      } catch {
        return error.description
      }
    }
    #expect(
      complaint(in: deep)
        == "cannot list scenarios in '\(deep)/Scenarios': there is no such folder. The project is in "
        + "'\(root)': run the command there, or pass the folder of scenario files as --scenarios.")
    #expect(complaint(in: root).contains("Write a first scenario with"))
    // The project of another checkout does not count.
    try FileManager.default.createDirectory(
      atPath: root + "/a/.git", withIntermediateDirectories: true)
    #expect(complaint(in: deep).contains("Write a first scenario with"))
  }

  @Test
  func `the error of a file in place of the folder names it`() throws {
    let path = try write("s.yml", head)
    let error = #expect(throws: ScenarioError.self) { try ScenarioLibrary(folder: path).names() }
    #expect(
      error?.description
        == "cannot list scenarios in '\(path)': it is not a folder. Write a first scenario with "
        + "'perfkit init', or pass the folder of scenario files as --scenarios.")
  }

  /// The superuser may read every file, so the test does not apply.
  @Test(.enabled(if: !FileManager.default.isReadableFile(atPath: "/etc/shadow")))
  func `the error of an unreadable file names the cause`() throws {
    let path = try write("s.yml", head)
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
    #expect(
      complaintOfFile(path)
        == "cannot read scenario '\(path)': permission denied. Check its permissions.")
  }

  @Test
  func `the errors of a missing file, a directory and a device name the cause`() throws {
    let path = folder.path + "/none.yml"
    #expect(
      complaintOfFile(path)
        == "cannot read scenario '\(path)': the file does not exist. 'perfkit list scenarios' lists "
        + "the scenarios.")
    #expect(
      complaintOfFile(folder.path)
        == "cannot read scenario '\(folder.path)': it is a directory. Name a .yml file in it.")
    #expect(
      complaintOfFile("/dev/zero")
        == "cannot read scenario '/dev/zero': it is not a regular file. Name a .yml file.")
    let link = folder.path + "/zero.yml"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/zero")
    #expect(
      complaintOfFile(link)
        == "cannot read scenario '\(link)': it is not a regular file. Name a .yml file.")
  }

  @Test(arguments: [
    (0, [0xFF]), (5, [0xC3, 0x28]), (7, [0xE2, 0x82]), (70_000, [0xED, 0xA0, 0x80]),
  ])
  func `invalid UTF-8 is reported with its offset`(offset: Int, bytes: [UInt8]) throws {
    let path = try write("s.yml", Data(repeating: 0x61, count: offset) + Data(bytes))
    let number = offset == 70_000 ? "70,000" : "\(offset)"
    let message = complaintOfFile(path)
    #expect(
      message
        == "cannot read scenario '\(path)': the byte at offset \(number) is not UTF-8. Save it as "
        + "UTF-8, or pass a program after --: 'perfkit run -- PROGRAM'.")
  }

  @Test
  func `a file with a byte order mark and Windows line ends is read`() throws {
    let path = try write(
      "s.yml", "\u{FEFF}" + head.split(separator: "\n").joined(separator: "\r\n"))
    #expect(complaintOfFile(path) == nil)
  }
}
