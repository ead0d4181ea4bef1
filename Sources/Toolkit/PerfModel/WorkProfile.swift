/// The counted work of each function in the launches of a run.
///
/// The launches ran under callgrind, so their times have no meaning.
public struct WorkProfile: Hashable, Sendable, Codable {
  /// The code of the warning that the work of child processes was not counted.
  public static let childrenUncounted = "work.children"

  /// The counts of one function.
  public struct Function: Hashable, Sendable, Codable {
    /// The displayed name.
    public let name: String
    /// The name by which two runs are matched.
    public let key: String
    /// The file name of the program or library, or nil.
    public let module: String?
    /// Executed instructions without callees, one number per counted launch.
    public let instructions: [UInt64]
    /// The number of calls of the function, one number per counted launch.
    public let calls: [UInt64]
    /// Misses of the simulated first data cache, without callees, one number per counted launch; nil
    /// if caches were not simulated.
    public let dataMisses: [UInt64]?
    /// Mispredicted branches, without callees, one number per counted launch; nil if branch prediction
    /// was not simulated.
    public let branchMisses: [UInt64]?

    /// Creates the counts of a function.
    public init(
      name: String, key: String, module: String?, instructions: [UInt64], calls: [UInt64],
      dataMisses: [UInt64]? = nil, branchMisses: [UInt64]? = nil
    ) {
      self.name = name
      self.key = key
      self.module = module
      self.instructions = instructions
      self.calls = calls
      self.dataMisses = dataMisses
      self.branchMisses = branchMisses
    }
  }

  /// The indices of the counted launches, in the order of the functions' numbers.
  public let launches: [Int]
  /// The functions, most instructions first.
  public let functions: [Function]

  /// Creates a work profile.
  public init(launches: [Int], functions: [Function]) {
    self.launches = launches
    self.functions = functions
  }
}
