internal import ArgumentParser
internal import Foundation
internal import PerfGate
internal import PerfHub
internal import PerfReport
internal import PerfRunner

extension HubVerb {
  /// The verb `perfkit hub submit diff`.
  struct Submit: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Let a runner make a comparison.",
      discussion: """
        Example:
          perfkit hub submit diff main HEAD --scenario scroll-1000
        """,
      subcommands: [Diff.self])

    /// The verb `perfkit hub submit diff A B`.
    struct Diff: Verb {
      static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Let a runner compare two revisions, and print the number of the job.",
        usage: "perfkit hub submit diff [<options>] <base> <candidate> --scenario <name>",
        discussion: """
          A runner fetches both revisions from the repository, so push them first. Without \
          --repository, the names are those of this checkout, and the runner measures the commits \
          that they name now. `perfkit hub wait` waits for the verdict.

          Example:
            perfkit hub submit diff main HEAD --scenario scroll-1000
            perfkit hub submit diff v1 v2 --scenario s --machine rack --priority 5
          """)

      @Argument(help: "The revision before the change.")
      var base: String

      @Argument(help: "The revision after the change.")
      var candidate: String

      @Option(help: ArgumentHelp("Measure this scenario.", valueName: "name"))
      var scenario: String

      @Option(
        help: ArgumentHelp("Measure this variant. Default: the scenario's.", valueName: "name"))
      var variant: String?

      @Option(
        help: ArgumentHelp(
          "Fetch the revisions from here. Default: the first remote of this checkout.",
          valueName: "repository"))
      var repository: String?

      @Option(
        help: ArgumentHelp(
          "Measure on this class of machines, or on the host with this name. Default: any.",
          valueName: "class"))
      var machine: String?

      @Option(
        help: ArgumentHelp("Take jobs with a higher number first.", valueName: "n"))
      var priority = 0

      @Option(
        help: ArgumentHelp(
          "Stop after this many pairs. Default: as `perfkit diff`.", valueName: "n"))
      var maxPairs: Int?

      @Option(
        help: ArgumentHelp(
          "Stop starting launches after this time. Default: as `perfkit diff`.",
          valueName: "duration"))
      var maxTime: DurationArgument?

      @Flag(help: "Use the scenario's small parameter set.")
      var quick = false

      @Flag(name: .customLong("no-profile"), help: "Take no samples.")
      var noProfile = false

      @OptionGroup(title: "Output")
      var reply: ReplyOptions

      @OptionGroup(title: "General")
      var place: HubPlaceOptions

      @OptionGroup(title: "General")
      var global: GlobalOptions

      func validate() throws {
        try check(maxPairs, "--max-pairs", in: 1...1_000_000)
        try check(priority, "--priority", in: -1_000_000...1_000_000)
      }

      func perform(_ context: Context) throws -> ExitStatus {
        var request = try request(context)
        (request.variant, request.maxPairs) = (variant, maxPairs)
        request.maxTime = maxTime?.nanoseconds
        (request.isQuick, request.isProfiled) = (quick, !noProfile)
        let hub = try place.connect(context)
        let number = try hub.submit(request, machine: machine, priority: priority)
        switch reply.format {
        case .text: context.console.write("\(number)\n")
        case .json:
          reply.write(json: try hub.job(number).json(hub.events(ofJob: number)), context)
        }
        return .done
      }

      /// Returns the request without options.
      private func request(_ context: Context) throws -> JobRequest {
        var (base, candidate) = (self.base, self.candidate)
        var address = repository
        if address == nil {
          let checkout = try context.workspace.checkout()
          guard let remote = try checkout.remotes().first else {
            throw Failure(
              "the checkout '\(checkout.root)' has no remote that a runner could fetch. Pass "
                + "--repository.", status: .usage)
          }
          let revisions = try [base, candidate].map { try checkout.revision($0) }
          if let changed = revisions.first(where: \.isDirty) {
            throw Failure(
              "a runner cannot fetch \(changed.title). Commit and push the changes.", status: .usage
            )
          }
          address = remote
          (base, candidate) = (revisions[0].commit, revisions[1].commit)
        }
        let repository = address ?? ""
        guard !Self.hasSecret(repository) else {
          throw Failure(
            "the address of the repository contains a user, password or token, which the hub would "
              + "keep. Pass --repository without it, and let git's credential helper or an ssh key "
              + "on the runner log in.", status: .usage)
        }
        return JobRequest(
          repository: repository, base: base, candidate: candidate, scenario: scenario)
      }

      /// Returns whether a URL, also an invalid one, contains a password or a possible token.
      ///
      /// The user of any URL may be a token, except that of ssh.
      private static func hasSecret(_ address: String) -> Bool {
        guard let url = address.firstMatch(of: /([A-Za-z0-9+.\-]*):\/\/([^\/]*)@/) else {
          return false
        }
        let isShell = ["ssh", "git+ssh", "ssh+git"].contains(url.1.lowercased())
        return !isShell || url.2.contains(":")
      }
    }
  }
}
