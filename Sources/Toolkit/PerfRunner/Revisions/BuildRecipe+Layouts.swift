internal import Foundation
internal import PerfModel

/// The links of a project's programs with other layouts.
///
/// LLD shuffles the sections of functions and data before it maps them to the program, and inserts padding
/// between them. Each link has its own order and padding, which depend on its number alone.
///
/// - Note: ld.lld(1); https://github.com/llvm/llvm-project/pull/117653 (padding, for comparisons of
///   programs).
extension BuildRecipe {
  /// The sections whose order has no meaning.
  ///
  /// Constructors, the metadata of Swift and other sections between `__start_` and `__stop_` keep their
  /// order, and LLD inserts no padding there.
  private static let sections = [".text*", ".rodata*", ".data*", ".bss*"]

  /// Returns the linker's options for the layout with a number from 1.
  static func linkerOptions(layout: Int) -> [String] {
    sections.map { "--shuffle-sections=\($0)=\(layout)" }
      + ["--randomize-section-padding=\(layout)"]
  }

  /// Whether the programs can be linked with other layouts.
  public var canLink: Bool { !link.isEmpty || commands.contains(where: Self.isSwiftBuild) }

  /// The commands of the build, before any link with another layout.
  ///
  /// Swift's compiler commands contain the choice of the linker, so that it is made before the build.
  var compiling: [[String]] {
    guard layouts > 0, link.isEmpty else { return commands }
    return commands.map { Self.isSwiftBuild($0) ? $0 + ["-Xswiftc", "-use-ld=lld"] : $0 }
  }

  /// Returns the commands that link the built programs with a layout.
  func linking(layout: Int) -> [[String]] {
    let options = Self.linkerOptions(layout: layout)
    guard link.isEmpty else {
      // One word, so that it can be a part of an argument.
      let word = "-Wl," + options.joined(separator: ",")
      return link.map { words in
        words.map { $0.replacingOccurrences(of: LinkCommand.layoutMark, with: word) }
      }
    }
    return compiling.filter(Self.isSwiftBuild).map { $0 + options.flatMap { ["-Xlinker", $0] } }
  }

  /// Returns whether a command is a build by SwiftPM, such as `env A=1 swift build`.
  private static func isSwiftBuild(_ words: [String]) -> Bool {
    zip(words, words.dropFirst()).contains { program, verb in
      (program as NSString).lastPathComponent == "swift" && verb == "build"
    }
  }
}
