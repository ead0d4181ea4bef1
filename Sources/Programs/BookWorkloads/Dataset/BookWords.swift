/// The words from which titles and authors are generated.
enum BookWords {
  static let adjectives = [
    "Quiet", "Last", "Hidden", "Long", "Silver", "Broken", "Second", "Distant", "Burning", "Hollow",
    "Patient", "Northern", "Unwritten", "Golden", "Forgotten", "Early", "Crooked", "Winter", "Open",
    "Restless", "Pale", "Thousandth", "Small", "Electric", "Invisible", "Salt", "Gentle", "Seventh",
  ]
  static let nouns = [
    "Garden", "River", "Library", "Orchard", "Map", "Harbour", "Season", "Letter", "Engine",
    "Night",
    "Mountain", "Daughter", "Clock", "Bridge", "Island", "Archive", "Weather", "Kitchen", "Signal",
    "Field", "Museum", "Lighthouse", "Theory", "Shore", "Window", "Forest", "Machine", "Silence",
    "Cartographer", "Atlas", "Sparrow", "Train", "Inheritance", "Republic", "Mirror", "Voyage",
  ]
  static let places = [
    "Lisbon", "the North", "Kyoto", "Elm Street", "the Valley", "Trieste", "Ulm", "the Tides",
    "Valparaíso", "Göttingen", "the Islands", "Oslo", "Samarkand", "the Plains", "Bath", "Łódź",
  ]
  static let subjects = [
    "Memory", "Bread", "Statistics", "Gardens", "Maps", "Time", "Compilers", "Birds", "Colour",
    "Cities", "Light", "Numbers", "Trees", "Type", "Rivers", "Sleep", "Glass", "Rain",
  ]
  static let firstNames = [
    "Ada", "Jonas", "Mira", "Tomás", "Ines", "Kofi", "Leila", "Björn", "Naoko", "Ravi", "Clara",
    "Emil", "Zadie", "Oskar", "Anna", "Chidi", "Margaret", "Yusuf", "Elena", "Hugo", "Priya", "Wen",
    "Sofia", "Isaac", "Ruth", "Dmitri", "Agnes", "Malik",
  ]
  static let lastNames = [
    "Okafor", "Lindqvist", "Moreau", "Tanaka", "Reyes", "Whitfield", "Novak", "Haddad",
    "Castellano",
    "O'Brien", "Petrov", "Achebe", "Bergmann", "Iyer", "Sato", "Almeida", "Kowalska", "Marsh",
    "van Dijk", "Fontaine", "Abbott", "Rosen", "Nakamura", "Ferrante", "Hale", "Dahl", "Quispe",
    "Ito", "Mbeki", "Larsen", "Carver", "Ó Súilleabháin",
  ]

  static func title(_ random: inout SplitMix64) -> String {
    switch random.weighted([30, 20, 20, 15, 15]) {
    case 0: "The \(random.of(adjectives)) \(random.of(nouns))"
    case 1: "The \(random.of(nouns)) of \(random.of(places))"
    case 2: "A \(random.of(nouns)) for the \(random.of(nouns))"
    case 3: "On \(random.of(subjects)) and \(random.of(subjects))"
    default: "\(random.of(adjectives)) \(random.of(nouns)): A History of \(random.of(subjects))"
    }
  }

  /// Generates the name of an author, or sometimes of two.
  static func author(_ random: inout SplitMix64) -> String {
    let first = "\(random.of(firstNames)) \(random.of(lastNames))"
    guard random.below(100) < 8 else { return first }
    return "\(first), \(random.of(firstNames)) \(random.of(lastNames))"
  }
}
