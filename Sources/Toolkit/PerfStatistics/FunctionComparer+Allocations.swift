public import PerfModel

extension FunctionComparer {
  /// Compares the allocations of two runs by function, by number and by bytes.
  ///
  /// Each launch gives one number per function of the program: the sampled allocations of the function and of
  /// the libraries that it calls, weighed by the allocations or bytes that they represent. The launches
  /// are tested like those of CPU time, so that the error of sampling is part of their spread: by
  /// number and by bytes, each with the error rate of a comparison of functions. The callers of a
  /// significant function are tested in the same way, among themselves.
  ///
  /// - Parameters:
  ///   - base: The base.
  ///   - candidate: The candidate.
  ///   - launchesPerPair: The launches per side and pair; nil for runs that were not interleaved.
  /// - Returns: The functions; nil if the allocations of a side were not sampled, or without a complete pair.
  public func compareAllocations(
    _ base: Run, _ candidate: Run, launchesPerPair: Int? = nil
  ) -> AllocationComparison? {
    let launches: PairedLaunches? =
      if let launchesPerPair {
        Self.completePairs(base, candidate, launchesPerPair)
      } else {
        (base.measured, candidate.measured, [])
      }
    guard let launches, !launches.base.isEmpty, !launches.candidate.isEmpty else { return nil }
    func functions(_ state: Profile.State) -> [AllocationComparison.Function]? {
      guard
        let old = AllocationSites(base, state, in: launches.base, pairs: launches.pairs),
        let new = AllocationSites(candidate, state, in: launches.candidate, pairs: launches.pairs)
      else { return nil }
      return compare(old.functions, new.functions, launchesPerPair).map { change in
        AllocationComparison.Function(
          change, callers: callers(of: change, old, new, launchesPerPair))
      }
    }
    let (counts, bytes) = (functions(.allocations), functions(.allocated))
    guard counts != nil || bytes != nil else { return nil }
    return AllocationComparison(counts: counts ?? [], bytes: bytes ?? [])
  }

  private func compare(
    _ old: FunctionTimes, _ new: FunctionTimes, _ launchesPerPair: Int?
  ) -> [FunctionComparison] {
    launchesPerPair.map { compare(old, new, launchesPerPair: $0) } ?? compare(old, new)
  }

  /// Returns the names of the callers in whose calls a function changed significantly, as it did as a whole.
  private func callers(
    of function: FunctionComparison, _ old: AllocationSites, _ new: AllocationSites,
    _ launchesPerPair: Int?
  ) -> [String] {
    guard function.isSignificant else { return [] }
    // A caller whose source changed is no more likely than the others to cause the change.
    return FunctionComparer(layouts: layouts)
      .compare(
        old.callers(of: function.key), new.callers(of: function.key), launchesPerPair
      )
      .filter { caller in
        caller.isSignificant && (caller.difference > 0) == (function.difference > 0)
          && caller.key != AllocationSites.noCaller
      }
      .map(\.name)
  }
}
