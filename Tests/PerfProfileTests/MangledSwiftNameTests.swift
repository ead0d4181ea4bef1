import Testing

@testable import PerfProfile

/// Names of Swift that are short, and take gigabytes to be written out.
struct MangledSwiftNameTests {
  /// A function that takes a dictionary of two dictionaries and so on, level by level, down to `[Int]`.
  private static func doubled(_ levels: Int, before: String = "") -> String {
    var name = "$s1m1fyy" + before + String(repeating: "SDy", count: levels) + "SaySiGACG"
    for level in 1..<levels { name += "A\(Character(UnicodeScalar(UInt8(0x43 + level))))G" }
    return name + "F"
  }

  private static let twice =
    "m.f(Swift.Dictionary<Swift.Dictionary<Swift.Array<Swift.Int>, Swift.Array<Swift.Int>>, "
    + "Swift.Dictionary<Swift.Array<Swift.Int>, Swift.Array<Swift.Int>>>) -> ()"

  private static let none = Demangler(tools: ToolPaths(symbolizer: nil, demangler: nil))
  private static let found = Demangler(tools: .found())

  @Test func `a name that refers to more and more of itself is not written out`() {
    // 2^20 times "[Swift.Int]" is more than 2^21 bytes.
    let name = Self.doubled(20)
    #expect(Self.none.demangle([name]) == [:])
    #expect(Self.none.signatures(of: [name]) == [:])
    #expect(Self.doubled(2) == "$s1m1fyySDySDySaySiGACGADGF")
    #expect(
      Self.none.signatures(of: [Self.doubled(2)]) == [Self.doubled(2): Self.twice])
  }

  /// Each level has one reference, which doubles what there is at most; in truth 11 x 2^n bytes and more.
  @Test func `what is written out is bounded by what there was when it was first referred to`() {
    let levels = (2...22).filter {
      MangledSwiftName(Self.doubled($0)).isExpanded(within: 1 << 21)
    }
    #expect(levels == Array(2..<(2 + levels.count)))
    #expect((8...17).contains(levels.count))
  }

  @Test(arguments: [
    // The same small part again and again.
    "$sSD2eeoiySbSDyxq_G_ABtSQR_rlFZ",
    // Words of names that were there before, and parts that are repeated.
    "$s20FoundationEssentials20PredicateExpressionsO11ClosedRangeVy_xq_GAA0C10ExpressionA2aGP8evaluate"
      + "y6OutputQzAA0C8BindingsVKFTW",
  ]) func `ordinary names are not taken for large ones`(name: String) {
    #expect(MangledSwiftName(name).isExpanded(within: 1 << 21))
  }

  /// A part 2000 times, and all of that 2000 times, in a name that has far fewer bytes than that.
  @Test func `repeats count as often as they are said to`() {
    #expect(!MangledSwiftName("$s1m1fyySaySiGA2000CA2000DtF").isExpanded(within: 1 << 21))
  }

  /// What looks like a reference to a late part.
  ///
  /// What is there until then would be all that the real ones could refer to. A name that begins with "_", an
  /// argument's default value, AutoreleasingUnsafeMutablePointer, Actor, a type of the optimiser's, and repeats.
  @Test(arguments: ["4_AZxV", "fAZ_", "SAZy", "ScAZ_p", "IegAZ_", "A2000A"])
  func `what only looks like a reference says nothing of others`(disguise: String) {
    #expect(!MangledSwiftName(Self.doubled(22, before: disguise)).isExpanded(within: 1 << 21))
  }

  @Test(.enabled(if: ToolPaths.found().demangler != nil, "there is no swift-demangle here"))
  func `large names are left to a tool, which is stopped when it comes to no end`() {
    // Swift.Actor ends in A, and fifteen is how long the name behind it is: nobody can tell before.
    let large = "$sScA15unownedExecutorScevgTj"
    #expect(!MangledSwiftName(large).isExpanded(within: 1 << 21))
    let names: Set = [Self.doubled(22), large, Self.doubled(2)]
    #expect(
      Self.found.signatures(of: names) == [
        large: "dispatch thunk of Swift.Actor.unownedExecutor.getter : Swift.UnownedSerialExecutor",
        Self.doubled(2): Self.twice,
      ])
    #expect(Self.none.signatures(of: [large]) == [:])
  }
}
