import PerfGate
import Testing

/// An option or flag that a verb's help offers.
struct OfferedOption {
  let name: String
  let isFlag: Bool
  let section: String

  /// A plausible value.
  let value: String

  /// The option with its value on a command line.
  var words: [String] { isFlag ? ["--\(name)"] : ["--\(name)", value] }
}

/// A verb without subcommands, as the argument parser describes its help in JSON.
struct OfferedVerb {
  /// The words of the verb, such as `store` and `prune`.
  let path: [String]
  let discussion: String
  let options: [OfferedOption]

  /// Returns the verbs that the command's help offers.
  static func all() throws -> [OfferedVerb] {
    let result = try TestCommand()("--experimental-dump-help")
    #expect(result.status == .done)
    let tool = try #require(try result.json()["command"] as? [String: Any])
    return try verbs(of: tool, path: [])
  }

  private static func verbs(of command: [String: Any], path: [String]) throws -> [OfferedVerb] {
    let subcommands = (command["subcommands"] as? [[String: Any]] ?? []).filter {
      $0["commandName"] as? String != "help" && $0["shouldDisplay"] as? Bool != false
    }
    guard subcommands.isEmpty else {
      return try subcommands.flatMap { subcommand in
        let name = try #require(subcommand["commandName"] as? String)
        return try verbs(of: subcommand, path: path + [name])
      }
    }
    let arguments = command["arguments"] as? [[String: Any]] ?? []
    let displayed = arguments.filter { $0["shouldDisplay"] as? Bool == true }
    return [
      OfferedVerb(
        path: path, discussion: command["discussion"] as? String ?? "",
        options: displayed.flatMap { OfferedOption.options(of: $0) })
    ]
  }
}

extension OfferedOption {
  /// Plausible values by the name of the option, where the name of the value is not enough.
  private static let valuesByOption = [
    "signal": "USR2", "stack-size": "32", "launch-time": "20ms", "kind": "memory", "limit": "7",
    "state": "waiting", "live": "peak", "scenarios": "Scenarios", "output": "file.svg",
    "variant": "default", "against": "HEAD", "to": "pprof", "comparisons": "2", "metric": "wall",
    "engine": "perf", "pid": "4711", "fold": "library", "slowest": "1%",
  ]

  /// Plausible values by the name of the value.
  private static let valuesByName = [
    "n": "12", "number": "1", "hz": "500", "duration": "90s", "key=value": "books=2",
    "name": "name", "dir": "folder", "path": "store.sqlite", "file": "file", "size": "2%",
    "revision": "HEAD", "ref": "latest", "text": "A text.", "format": "json", "effect": "warn",
    "url": "postgresql://perf@db/perfkit", "role": "perf", "date": "2026-11-01",
    "repository": "git@example.org:a.git", "class": "rack", "i/n": "2/8",
    "pattern": "token=.*",
  ]

  /// Returns the option of an argument under each of its long names.
  static func options(of argument: [String: Any]) -> [OfferedOption] {
    let names = (argument["names"] as? [[String: Any]] ?? [])
      .filter { $0["kind"] as? String == "long" }.compactMap { $0["name"] as? String }
    let valueName = argument["valueName"] as? String ?? ""
    return names.filter { !["help", "version"].contains($0) }.map { name in
      OfferedOption(
        name: name, isFlag: argument["kind"] as? String == "flag",
        section: argument["sectionTitle"] as? String ?? "",
        value: (argument["allValues"] as? [String])?.last ?? valuesByOption[name]
          ?? valuesByName[valueName] ?? "")
    }
  }
}
