internal import PerfScenario

/// The problems that only claim files have.
extension ContentProblem {
  static func badClaimID(_ id: String) -> ContentProblem {
    .other("'\(id)' is not a claim ID. Write the case study's item and a number, e.g. 'E17.2'.")
  }

  static func repeatedClaim(_ id: String) -> ContentProblem {
    .other("the claim ID '\(id)' is already in use. Choose another.")
  }

  static func unknownClaim(_ id: String) -> ContentProblem {
    .other("'headlines' names the claim '\(id)', but the file has no such claim.")
  }

  static func badClaim(_ text: String) -> ContentProblem {
    .other(
      "'\(text)' is not a claim. Write e.g. '< 100 ms', '= 400 ... 500 count' or 'less = 55x'.")
  }

  static func badTolerance(_ text: String) -> ContentProblem {
    .other(
      "'\(text)' is not a tolerance. Write 'exactly', 'at most', 'at least', 'within 2x' or "
        + "'+- 1%'.")
  }

  static func badFactor(_ text: String) -> ContentProblem {
    .other("'\(text)' is not a factor. Write e.g. '2x'.")
  }
}
