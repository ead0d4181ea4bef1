extension [WalkedSample] {
  /// Returns the samples of the measured phase and the waits that began before it and lasted into it.
  func clipped(to measured: ClosedRange<UInt64>) -> [WalkedSample] {
    var before: [UInt32: WalkedSample] = [:]
    for sample in self where sample.time < measured.lowerBound {
      if sample.time >= before[sample.serial]?.time ?? 0 { before[sample.serial] = sample }
    }
    let lasting = before.values.filter(\.isWaiting).sorted { $0.serial < $1.serial }.map { sample in
      var sample = sample
      sample.time = measured.lowerBound
      return sample
    }
    return lasting + filter { measured.contains($0.time) }
  }
}
