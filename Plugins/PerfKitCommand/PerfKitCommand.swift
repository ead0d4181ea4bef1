import Foundation
import PackagePlugin

/// The command `swift package perfkit`, which runs perfkit in the folder of the package.
///
/// The plugin starts `Scripts/perfkit` of the package PerfKit, which builds in a folder of its own. As a tool of the
/// plugin, the command would be compiled a second time in each build of PerfKit, and without the agent's libraries.
@main
struct PerfKitCommand: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    guard let script = Self.script(in: context.package) else {
      Diagnostics.error(
        "no package that '\(context.package.displayName)' depends on contains Scripts/perfkit. Depend on "
          + "PerfKit in Package.swift.")
      return
    }
    // Their build would wait for the lock of the package's build folder until the plugin ends.
    if arguments.contains("--package-benchmark"), Self.containsSuites(context.package) {
      Diagnostics.error(
        "cannot build the suites of '\(context.package.displayName)': SwiftPM keeps its build folder "
          + "locked while a plugin runs. Run '\(script.path)' with the same arguments, or an installed "
          + "perfkit.")
      return
    }
    let process = Process()
    process.executableURL = script
    process.arguments = arguments
    process.currentDirectoryURL = context.package.directoryURL
    // SwiftPM keeps the package's build folder locked while a plugin runs.
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["PERFKIT_SCRATCH": context.pluginWorkDirectoryURL.appending(path: "build").path]
    ) { own, _ in own }
    try process.run()
    process.waitUntilExit()
    let status = process.terminationStatus
    guard process.terminationReason != .exit || status != 0 else { return }
    // SwiftPM exits with 1 after any error.
    Diagnostics.error(
      process.terminationReason == .exit
        ? "perfkit exited with \(status); 'swift package perfkit --help' lists the exit statuses."
        : "perfkit was ended by signal \(status).")
  }

  /// Returns whether the package itself, and not its folder Benchmarks, contains suites of package-benchmark.
  private static func containsSuites(_ package: Package) -> Bool {
    let manifest = package.directoryURL.appending(path: "Package.swift")
    let text = try? String(contentsOf: manifest, encoding: .utf8)
    return text?.contains("\"BenchmarkPlugin\"") ?? false
  }

  /// Returns the script of the package PerfKit: this package, or one that it depends on.
  private static func script(in package: Package) -> URL? {
    let script = package.directoryURL.appending(path: "Scripts/perfkit")
    let isPerfKit = package.products.contains { $0.name == "PerfWorkload" }
    if isPerfKit, FileManager.default.isExecutableFile(atPath: script.path) { return script }
    for dependency in package.dependencies {
      if let script = Self.script(in: dependency.package) { return script }
    }
    return nil
  }
}
