internal import Foundation

/// The built programs that tests start.
public enum TestPrograms {
  /// Whether the programs are those of a release build.
  public static let areReleased = ProcessInfo.processInfo.environment["PERFKIT_PROGRAMS"] != nil

  /// The folder of the programs: PERFKIT_PROGRAMS, or the folder of the test program.
  public static let folder =
    ProcessInfo.processInfo.environment["PERFKIT_PROGRAMS"] ?? testFolder

  /// The folder of the test program, with the programs and modules of the same build.
  public static let testFolder: String = {
    let test = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return ((test ?? "") as NSString).deletingLastPathComponent
  }()
}
