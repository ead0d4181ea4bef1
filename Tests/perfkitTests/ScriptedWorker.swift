/// A worker in the language of the shell, which speaks the protocol of `Sources/Agent/PROTOCOL.md`.
enum ScriptedWorker {
  /// The command that ends a measured phase.
  static let done = #"say '{"type":"done","counters":{}}'"#

  /// Writes a worker as a script.
  ///
  /// - Parameters:
  ///   - workloads: The names of the workloads, and the shell commands of their measured phases. Each
  ///     workload has a parameter `text`.
  ///   - afterSetup: The shell commands after the setup.
  /// - Returns: The script.
  static func text(
    _ workloads: KeyValuePairs<String, String>, afterSetup: String = "exit 0"
  ) -> String {
    let described = workloads.map { name, _ in
      #"{"name":"\#(name)","summary":"A script.","starts_at_launch":false,"parameters":["#
        + #"{"name":"text","type":"string","default":"","summary":"A text."}],"counters":[]}"#
    }
    let phases = workloads.map { name, commands in "\(name)) \(commands) ;;" }
    return #"""
      #!/bin/sh
      say() { printf '%s\n' "$1" >&3; }
      say '{"type":"hello","protocol":1,"suite":"script","build":{"configuration":"release","compiler":"none"},"workloads":[\#(described.joined(separator: ","))]}'
      while read -r order <&3; do
        case $order in
        *'"type":"setup"'*) say '{"type":"ready","files":[],"notes":{}}'; \#(afterSetup) ;;
        *'"type":"prepare"'*)
          workload=${order#*'"workload":"'}
          workload=${workload%%'"'*}
          say '{"type":"prepared"}' ;;
        *'"type":"measure"'*)
          case $workload in
          \#(phases.joined(separator: "\n"))
          esac ;;
        *'"type":"quit"'*) exit 0 ;;
        esac
      done
      exit 1
      """#
  }
}
