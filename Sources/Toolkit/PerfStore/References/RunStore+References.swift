extension RunStore {
  /// Returns the run that a reference names.
  ///
  /// Where a label, baseline, commit or variant has several runs of one scenario and variant, that
  /// is the latest of them; runs of several ones are more than one match.
  ///
  /// - Parameters:
  ///   - text: A reference as in `RunReference`.
  ///   - scenario: When several scenarios match, the one that is meant.
  ///   - variant: When several variants match, the one that is meant.
  /// - Returns: The header; `run(id:)` loads the run.
  /// - Throws: `StoreError.noRuns`, `invalidReference`, `unknownReference`, `ambiguousReference`,
  ///   `locked` or `failed`.
  public func resolve(_ text: String, scenario: String? = nil, variant: String? = nil)
    throws(StoreError) -> RunHeader
  {
    let reference = try RunReference(text)
    return try read { db in
      try ReferenceResolver(
        headers: HeaderReader(db: db, path: path), text: text, scenario: scenario,
        variant: variant
      ).run(reference)
    }
  }

  /// Returns all runs that a reference names, the latest first: every run of a label, a baseline, a
  /// commit or a variant.
  ///
  /// - Throws: As `resolve`; `ambiguousReference` only when things of several kinds, or several
  ///   commits or ids, are called so.
  public func runs(named text: String) throws(StoreError) -> [RunHeader] {
    let reference = try RunReference(text)
    return try read { db in
      try ReferenceResolver(
        headers: HeaderReader(db: db, path: path), text: text, scenario: nil, variant: nil
      ).runs(reference)
    }
  }
}
