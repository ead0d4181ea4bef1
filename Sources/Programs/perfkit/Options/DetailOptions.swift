internal import ArgumentParser
internal import PerfReport

/// The length of a result that is printed as text.
struct DetailOptions: ParsableArguments {
  @Flag(help: "Print all tables and warnings as text, instead of one screen.")
  var all = false

  @Flag(
    help: "Print at most 15 lines of text for each result. This is the default for several results."
  )
  var brief = false

  /// Returns the requested length; the default is one screen for everything that is printed.
  func detail(of results: Int = 1) -> Detail {
    all ? .all : brief || results > 1 ? .brief : .screen
  }

  func validate() throws {
    guard !all || !brief else {
      throw ValidationError("--all prints more than a screen and --brief less: leave one out.")
    }
  }
}
