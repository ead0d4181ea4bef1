internal import ArgumentParser
internal import PerfGate
internal import PerfHub
internal import PerfRunner
internal import PerfScenario

/// The place of the shards that a gate joins.
enum ShardPlace: ExpressibleByArgument, CustomStringConvertible {
  case folder(String)
  case hub

  init?(argument: String) { self = .folder(argument) }

  var description: String {
    switch self {
    case .folder(let path): path
    case .hub: "hub"
    }
  }
}

extension GateVerb {
  /// Reads and joins the shards of a place.
  func collection(_ place: ShardPlace, _ context: Context) throws -> GateCollection {
    switch place {
    case .folder(let folder):
      return try GateCollection(
        ofFolder: context.workspace.absolute(folder), show: context.workspace.shown)
    case .hub:
      guard let address = try hub.address(context) else {
        throw Failure(
          "--collect needs a folder or a hub. Pass the folder with the shards, pass --hub URL, set "
            + "PERFKIT_HUB, or add 'hub: URL' to perfkit.yml.", status: .usage)
      }
      let gate = try gateName(context)
      let server = try Hub(address, isCancelled: context.workspace.isCancelled)
      let shards = try server.shards(ofGate: gate).map { shard in
        (
          name: "shard \(shard.number) of \(shard.count) on hub \(server.name)",
          content: shard.content
        )
      }
      guard !shards.isEmpty else {
        throw Failure(
          "hub '\(server.name)' has no shard of a gate of the commit \(gate.prefix(10)). Check out the commit "
            + "that was measured with 'perfkit gate --shard i/n --hub URL'.")
      }
      return try GateCollection(shards)
    }
  }

  /// Pushes the results of the shard; the exit status of the gate does not depend on it.
  ///
  /// - Parameters:
  ///   - report: The results.
  ///   - address: The address of the hub.
  ///   - context: The context with the console.
  func pushShard(of report: GateReport, to address: HubAddress, _ context: Context) {
    guard let shard = files.shard else { return }
    do {
      let content = try Array(GateShardFile(shard, report).text().utf8)
      try Hub(address, isCancelled: context.workspace.isCancelled).push(
        HubShard(number: shard.number, count: shard.count, content: content),
        ofGate: gateName(context))
    } catch {
      let reason = error is CancellationError ? "The command was stopped." : "\(error)"
      context.console.error(
        "perfkit: warning: the results of the shard are not on the hub: \(reason)\nThey are in "
          + "'\(shard.fileName)'; join them with 'perfkit gate --collect DIR'.")
    }
  }

  /// Returns the name that the shards of a gate share on a hub: the commit and the folder of the project.
  private func gateName(_ context: Context) throws -> String {
    let checkout = try context.workspace.checkout()
    let place = try context.workspace.project(in: checkout)?.place ?? ""
    return "\(try checkout.revision("HEAD").commit):\(place)"
  }
}
