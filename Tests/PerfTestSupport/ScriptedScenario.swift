/// The text of a scenario of the script `../program`, with two variants.
public enum ScriptedScenario {
  /// Returns the text of the scenario's file.
  public static func text(
    named name: String = "work", gate: String = "{ margin: 10%, metrics: { wall: {} } }"
  ) -> String {
    """
    scenario: \(name)
    summary: A script.
    command: [../program]
    variants: { a: {}, b: {} }
    default_variant: a
    iterations: 2
    warmup: 0
    gate: \(gate)
    """
  }
}
