extension Profile {
  /// The share of the records of sampled allocations that were lost, from 0 to 1.
  ///
  /// It is an upper bound: the lost records of ends are counted as well, and the kept ones are not.
  package var shareOfLostAllocations: Double {
    let lost = audit.allocationsLost.map { Double($0) } ?? audit.warnedAllocations
    guard lost > 0 else { return 0 }
    // Each kept allocation of the measured phase is one sample of allocated memory.
    let kept =
      audit.allocationsKept.map { Double($0) }
      ?? counts.reduce(0) { $1.state == .allocated ? $0 + Double($1.samples) : $0 }
    return lost / (lost + kept)
  }
}

extension ProfileAudit {
  /// The lost records of allocations in profiles of earlier versions, which have their number in a
  /// warning only.
  fileprivate var warnedAllocations: Double {
    warnings.reduce(0) { sum, warning in
      guard warning.code == "sampler.allocations" else { return sum }
      return sum + (Double(warning.message.prefix { $0.isNumber }) ?? 0)
    }
  }
}
