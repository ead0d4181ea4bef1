public import PerfModel

extension FunctionComparer {
  /// The largest share of lost records of allocations with which functions are compared by them.
  ///
  /// A record is lost if a buffer is full, which happens most to functions that allocate fast. The loss
  /// may differ between the sides in all launches, so that the tests would take it for a change.
  static let mostAllocationsLost = 0.01

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
  /// - Returns: The functions; nil if the allocations of a side were not sampled, if too many of their records
  ///   were lost, or without a complete pair.
  public func compareAllocations(
    _ base: Run, _ candidate: Run, launchesPerPair: Int? = nil
  ) -> AllocationComparison? {
    let launches: PairedLaunches? =
      if let launchesPerPair {
        Self.completePairs(base, candidate, launchesPerPair)
      } else {
        (base.measured, candidate.measured, [])
      }
    guard let launches, !launches.base.isEmpty, !launches.candidate.isEmpty,
      Self.warnings(aboutAllocationsOf: base, candidate).isEmpty
    else { return nil }
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

  /// Returns a warning if functions are not compared by allocations, because too many records of a side were
  /// lost.
  public static func warnings(
    aboutAllocationsOf base: Run, _ candidate: Run
  ) -> [RunWarning] {
    let lost = [("base", base), ("candidate", candidate)].compactMap { side, run in
      run.profile.map { (side: side, share: $0.audit.shareOfLostAllocations) }
    }
    let sides = lost.filter { $0.share > mostAllocationsLost }.map { lost in
      "\(NumberFormat.significant(lost.share * 100, digits: 2))% in the \(lost.side)"
    }
    guard !sides.isEmpty, lost.count == 2 else { return [] }
    return [
      RunWarning(
        code: "comparison.allocations_lost",
        message: "functions are not compared by their allocations, because too many records of "
          + "sampled allocations were lost: \(sides.joined(separator: " and "))",
        remedy: "alloc.count and alloc.bytes are exact all the same. To compare functions, leave a "
          + "CPU free, or make the program allocate less.")
    ]
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
