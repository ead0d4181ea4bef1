/// What kind of entry it is, as far as we care (DWARF 5, table 7.3).
struct DwarfTag: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt64

  static let inlinedFunction = Self(rawValue: 0x1d)
  static let function = Self(rawValue: 0x2e)
}

/// What an attribute says, as far as we care (DWARF 5, table 7.5).
struct DwarfAttribute: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt64

  static let name = Self(rawValue: 0x03)
  static let lines = Self(rawValue: 0x10)
  static let lowAddress = Self(rawValue: 0x11)
  static let highAddress = Self(rawValue: 0x12)
  static let folder = Self(rawValue: 0x1b)
  static let origin = Self(rawValue: 0x31)
  static let specification = Self(rawValue: 0x47)
  static let ranges = Self(rawValue: 0x55)
  static let callFile = Self(rawValue: 0x58)
  static let callLine = Self(rawValue: 0x59)
  static let linkageName = Self(rawValue: 0x6e)
  static let textOffsetsBase = Self(rawValue: 0x72)
  static let addressesBase = Self(rawValue: 0x73)
  static let rangeListsBase = Self(rawValue: 0x74)
  static let splitFile = Self(rawValue: 0x76)
  /// Before DWARF 5.
  static let splitFileOfGNU = Self(rawValue: 0x2130)
  static let linkageNameOfMIPS = Self(rawValue: 0x2007)
}

/// How an attribute is written (DWARF 5, table 7.6).
enum DwarfForm: UInt16, Sendable {
  case address = 0x01
  case block2 = 0x03
  case block4 = 0x04
  case data2 = 0x05
  case data4 = 0x06
  case data8 = 0x07
  case text = 0x08
  case block = 0x09
  case block1 = 0x0a
  case data1 = 0x0b
  case flag = 0x0c
  case signedData = 0x0d
  case textOffset = 0x0e
  case unsignedData = 0x0f
  case sectionReference = 0x10
  case reference1 = 0x11
  case reference2 = 0x12
  case reference4 = 0x13
  case reference8 = 0x14
  case unsignedReference = 0x15
  case sectionOffset = 0x17
  case expression = 0x18
  case present = 0x19
  case textIndex = 0x1a
  case addressIndex = 0x1b
  case sharedReference4 = 0x1c
  case sharedText = 0x1d
  case data16 = 0x1e
  case lineTextOffset = 0x1f
  case signature = 0x20
  case implicitConstant = 0x21
  case locationListIndex = 0x22
  case rangeListIndex = 0x23
  case sharedReference8 = 0x24
  case textIndex1 = 0x25
  case textIndex2 = 0x26
  case textIndex3 = 0x27
  case textIndex4 = 0x28
  case addressIndex1 = 0x29
  case addressIndex2 = 0x2a
  case addressIndex3 = 0x2b
  case addressIndex4 = 0x2c
  /// Before DWARF 5.
  case sharedReferenceOfGNU = 0x1f20
  case sharedTextOfGNU = 0x1f21

  /// How many bytes it takes, in the 32-bit format and from version 3 on; negative where they differ.
  func bytes(addressBytes: UInt8) -> Int32 {
    switch self {
    case .present, .implicitConstant: 0
    case .data1, .flag, .reference1, .textIndex1, .addressIndex1: 1
    case .data2, .reference2, .textIndex2, .addressIndex2: 2
    case .textIndex3, .addressIndex3: 3
    case .data4, .reference4, .textOffset, .lineTextOffset, .sectionOffset, .sectionReference,
      .textIndex4, .addressIndex4, .sharedReference4, .sharedText, .sharedReferenceOfGNU,
      .sharedTextOfGNU:
      4
    case .data8, .reference8, .signature, .sharedReference8: 8
    case .data16: 16
    case .address: Int32(addressBytes)
    case .block, .block1, .block2, .block4, .expression, .text, .signedData, .unsignedData,
      .unsignedReference, .textIndex, .addressIndex, .locationListIndex, .rangeListIndex:
      -1
    }
  }

  /// Whether the value is an address, or the number of one.
  var isAddress: Bool {
    switch self {
    case .address, .addressIndex, .addressIndex1, .addressIndex2, .addressIndex3, .addressIndex4:
      true
    default: false
    }
  }

  /// Whether the value is in the file that several files share.
  var isShared: Bool {
    switch self {
    case .sharedReference4, .sharedReference8, .sharedText, .sharedReferenceOfGNU,
      .sharedTextOfGNU:
      true
    default: false
    }
  }
}
