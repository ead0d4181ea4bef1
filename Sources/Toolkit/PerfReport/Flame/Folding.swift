public import PerfModel

/// Code that is not shown as such: its time counts for the nearest function of the program's authors above
/// it.
public enum Folding: String, CaseIterable, Sendable {
  /// All functions are shown.
  case none
  /// Library code in the program, inlined or specialised, and code that the compiler generated.
  case inlined
  /// Also the functions of libraries and of the kernel.
  case library

  /// The sentence that tells readers what is left out.
  var note: String {
    switch self {
    case .none: ""
    case .inlined:
      "Library code inside of the program counts for its callers (--fold none shows it)."
    case .library: "Library code and the kernel count for their callers (--fold none shows them)."
    }
  }

  /// Returns a profile in which this code is left out.
  ///
  /// Code without a function of the program above it stays, such as that which starts a thread.
  ///
  /// - Parameters:
  ///   - profile: The profile.
  ///   - showsKernel: False leaves out the kernel's functions in any case.
  /// - Returns: The profile, unchanged if nothing is left out.
  public func apply(to profile: Profile, showsKernel: Bool = true) -> Profile {
    if self == .none, showsKernel { return profile }
    let isOwn = ProgramCode.isOwn(in: profile)
    let kinds = profile.functions.map { ModuleKind(module: $0.module) }
    var isBelow: [Bool] = []
    isBelow.reserveCapacity(profile.nodes.count)
    let isLeftOut = profile.nodes.map { node in
      let isUnder = node.parent >= 0 && isBelow[node.parent]
      isBelow.append(isUnder || isOwn[node.function])
      // Names in brackets stand for no function, e.g. for the system call of a wait.
      let name = profile.functions[node.function].name
      if isOwn[node.function] || name.hasPrefix("[") { return false }
      switch (self, kinds[node.function]) {
      case (_, .kernel) where !showsKernel: return true
      case (.inlined, .program), (.library, _): return isUnder
      default: return false
      }
    }
    return isLeftOut.contains(true) ? profile.leavingOut(isLeftOut) : profile
  }
}

extension Run {
  /// Returns the run with its profile folded.
  public func folded(_ folding: Folding, showsKernel: Bool = true) -> Run {
    mappingProfile { folding.apply(to: $0, showsKernel: showsKernel) }
  }
}
