/// The parts of the Firefox Profiler's processed format that contain samples and stacks.
///
/// The tables belonged to each thread until the format shared them. Source:
/// github.com/firefox-devtools/profiler, src/types/profile.ts and docs-developer/CHANGELOG-formats.md.
struct FirefoxDocument: Decodable {
  /// The newest version whose tables are known.
  static let newestVersion = 70

  struct Meta: Decodable {
    let interval: Double?
    let preprocessedProfileVersion: Int?
    let importedFrom: String?
  }

  struct Stacks: Decodable {
    let frame: [Int]
    let prefix: [Int?]?
    /// The distance to the caller's stack; 0 for none.
    let prefixOffset: [Int]?
  }

  struct Frames: Decodable {
    enum CodingKeys: String, CodingKey {
      case function = "func"
      case line, inlineDepth
    }

    let function: [Int]
    let line: [Int?]?
    let inlineDepth: [Int?]?
  }

  struct Functions: Decodable {
    let name: [Int]
    let resource: [Int?]?
    /// The source file in older versions.
    let fileName: [Int?]?
    /// The index of the source file in newer versions.
    let source: [Int?]?
  }

  struct Resources: Decodable {
    let name: [Int?]
  }

  struct Sources: Decodable {
    let filename: [Int?]
  }

  struct Tables: Decodable {
    let stringArray: [String]?
    let stringTable: [String]?
    let stackTable: Stacks?
    let frameTable: Frames?
    let funcTable: Functions?
    let resourceTable: Resources?
    let sources: Sources?
  }

  struct Samples: Decodable {
    let stack: [Int?]
    let time: [Double]?
    let timeDeltas: [Double]?
    let weight: [Double?]?
    let weightType: String?
  }

  struct Thread: Decodable {
    enum CodingKeys: String, CodingKey {
      case name, samples
    }

    let name: String?
    let samples: Samples
    let tables: Tables

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      name = try members.decodeIfPresent(String.self, forKey: .name)
      samples = try members.decode(Samples.self, forKey: .samples)
      tables = try Tables(from: decoder)
    }
  }

  let meta: Meta
  let shared: Tables?
  let threads: [Thread]
}
