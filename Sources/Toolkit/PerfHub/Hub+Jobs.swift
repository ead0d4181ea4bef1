internal import PerfModel
internal import PerfStore

extension Hub {
  /// The number of runners that may lose a job before it fails: a job may be the reason why they end.
  static let mostAttempts = 3

  // MARK: - For those who submit

  /// Adds a job to the queue.
  ///
  /// - Returns: Its number.
  public func submit(
    _ request: JobRequest, machine: String? = nil, priority: Int = 0
  ) throws -> Int {
    let rows = try connection.run(
      """
      WITH job AS (
        INSERT INTO perfkit.jobs (machine, priority, request) VALUES ($1, $2::integer, $3)
        RETURNING id)
      INSERT INTO perfkit.job_events (job, event) SELECT id, 'submitted' FROM job
      RETURNING job::text
      """,
      [SQLValue(machine), .int(Int64(priority)), .text(try JSONText.encode(request))])
    return Int(rows.int(0, 0) ?? 0)
  }

  /// Returns jobs, the latest first.
  ///
  /// - Parameters:
  ///   - states: The states; nil for all.
  ///   - limit: The maximum number of jobs.
  /// - Returns: The jobs.
  /// - Throws: `HubError`, `CancellationError`.
  public func jobs(_ states: [Job.State]? = nil, limit: Int) throws -> [Job] {
    let names = (states ?? Job.State.allCases).map(\.rawValue)
    return try jobs(
      "WHERE state = ANY($1::text[]) ORDER BY id DESC LIMIT \(limit)", [.list(names)])
  }

  /// Returns a job.
  ///
  /// - Throws: `HubError.unknownJob`.
  public func job(_ number: Int) throws -> Job {
    guard let job = try jobs("WHERE id = $1::bigint", [.int(Int64(number))]).first else {
      throw HubError.unknownJob(hub: name, number: number)
    }
    return job
  }

  /// Returns the changes of a job, the first one first.
  public func events(ofJob number: Int) throws -> [Job.Event] {
    let rows = try connection.run(
      """
      SELECT \(Self.milliseconds("at")), event, runner, detail FROM perfkit.job_events
      WHERE job = $1::bigint ORDER BY id
      """, [.int(Int64(number))])
    return (0..<rows.count).map { row in
      Job.Event(
        time: Timestamp(milliseconds: rows.int(row, 0) ?? 0), name: rows.text(row, 1) ?? "",
        runner: rows.text(row, 2), detail: rows.text(row, 3))
    }
  }

  /// Cancels a job; the runner of a running one stops at its next sign of life.
  ///
  /// - Returns: The job afterwards; a final one is unchanged.
  /// - Throws: `HubError.unknownJob`.
  public func cancel(_ number: Int) throws -> Job {
    try connection.run(
      """
      WITH job AS (
        UPDATE perfkit.jobs SET is_stopping = true,
          state = CASE state WHEN 'waiting' THEN 'cancelled' ELSE state END
        WHERE id = $1::bigint AND state IN ('waiting', 'running') AND NOT is_stopping
        RETURNING id)
      INSERT INTO perfkit.job_events (job, event, detail)
        SELECT id, 'cancelled', 'by ' || session_user FROM job
      """, [.int(Int64(number))])
    return try job(number)
  }

  private static func milliseconds(_ column: String) -> String {
    "floor(extract(epoch FROM \(column)) * 1000)::bigint::text"
  }

  private func jobs(_ condition: String, _ values: [SQLValue]) throws -> [Job] {
    let rows = try connection.run(
      """
      SELECT id::text, state, request, machine, priority::text, \(Self.milliseconds("submitted")),
        submitted_by, attempts::text, runner, comparison, status::text, message
      FROM perfkit.jobs \(condition)
      """, values)
    return try (0..<rows.count).map { row in
      let number = Int(rows.int(row, 0) ?? 0)
      guard let state = Job.State(rawValue: rows.text(row, 1) ?? ""),
        let request = try? JSONText.decode(rows.text(row, 2) ?? "") as JobRequest
      else { throw HubError.damaged(hub: name, detail: "job \(number) cannot be read") }
      return Job(
        number: number, state: state, request: request, machine: rows.text(row, 3),
        priority: Int(rows.int(row, 4) ?? 0),
        submitted: Timestamp(milliseconds: rows.int(row, 5) ?? 0),
        submittedBy: rows.text(row, 6) ?? "", attempts: Int(rows.int(row, 7) ?? 0),
        runner: rows.text(row, 8), comparison: rows.text(row, 9),
        status: rows.int(row, 10).map { Int($0) }, message: rows.text(row, 11))
    }
  }

  // MARK: - For runners

  /// Takes the waiting job of the highest priority, the earliest of equal ones, for the time of a lease.
  ///
  /// Jobs whose runners let their leases end wait again before; after the third runner they fail. No two runners take
  /// one job (`FOR UPDATE SKIP LOCKED`).
  ///
  /// - Parameters:
  ///   - runner: The name of the runner, different for each process.
  ///   - classes: The classes of the machine.
  ///   - lease: The time until the runner must give a sign of life.
  /// - Returns: The job; nil if none waits for the machine.
  /// - Throws: `HubError`, `CancellationError`.
  public func take(
    as runner: String, classes: [String], lease: Duration
  ) throws -> Job? {
    try returnLostJobs()
    let taken = try connection.run(
      """
      WITH job AS (
        UPDATE perfkit.jobs SET state = 'running', runner = $1, attempts = attempts + 1,
          lease_until = now() + $3::bigint * interval '1 second'
        WHERE id = (
          SELECT id FROM perfkit.jobs
          WHERE state = 'waiting' AND (machine IS NULL OR machine = ANY($2::text[]))
          ORDER BY priority DESC, id LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING id)
      INSERT INTO perfkit.job_events (job, event, runner) SELECT id, 'taken', $1 FROM job
      RETURNING job::text
      """, [.text(runner), .list(classes), .int(lease.components.seconds)])
    return try taken.int(0, 0).map { try job(Int($0)) }
  }

  private func returnLostJobs() throws {
    try connection.run(
      """
      WITH job AS (
        UPDATE perfkit.jobs SET lease_until = NULL,
          state = CASE WHEN is_stopping THEN 'cancelled'
            WHEN attempts >= \(Self.mostAttempts) THEN 'failed' ELSE 'waiting' END,
          message = CASE WHEN NOT is_stopping AND attempts >= \(Self.mostAttempts)
            THEN 'its runners ended ' || attempts || ' times without a result' ELSE message END
        WHERE id IN (
          SELECT id FROM perfkit.jobs WHERE state = 'running' AND lease_until < now()
          FOR UPDATE SKIP LOCKED)
        RETURNING id, runner)
      INSERT INTO perfkit.job_events (job, event, runner, detail)
        SELECT id, 'lease lost', runner, 'the runner gave no sign of life' FROM job
      """)
  }

  /// The state of a lease.
  public enum Lease: Sendable {
    case held
    /// The job is to be cancelled.
    case stopping
    /// Another runner may have the job.
    case lost
  }

  /// Gives a sign of life for a job: its lease lasts the given time from now on.
  public func extendLease(of job: Job, by lease: Duration) throws -> Lease {
    let rows = try connection.run(
      """
      UPDATE perfkit.jobs SET lease_until = now() + $3::bigint * interval '1 second'
      WHERE \(Self.isMine) RETURNING is_stopping::int::text
      """, mine(job) + [.int(lease.components.seconds)])
    guard let isStopping = rows.int(0, 0) else { return .lost }
    return isStopping == 1 ? .stopping : .held
  }

  /// Ends a job.
  ///
  /// - Parameters:
  ///   - job: The job as `take` returned it.
  ///   - state: A final state, or `waiting` for another runner.
  ///   - comparison: The id of the pushed comparison, or nil.
  ///   - status: The exit status as of a gate, or nil.
  ///   - message: The verdict or the reason.
  /// - Returns: Whether the runner still had the job; otherwise nothing changed.
  /// - Throws: `HubError`, `CancellationError`.
  public func finish(
    _ job: Job, _ state: Job.State, comparison: String? = nil, status: Int? = nil,
    message: String? = nil
  ) throws -> Bool {
    let rows = try connection.run(
      """
      WITH job AS (
        UPDATE perfkit.jobs SET state = $3::text, comparison = $4, status = $5::integer, message = $6,
          lease_until = NULL, attempts = attempts - CASE $3::text WHEN 'waiting' THEN 1 ELSE 0 END
        WHERE \(Self.isMine) RETURNING id)
      INSERT INTO perfkit.job_events (job, event, runner, detail)
        SELECT id, CASE $3::text WHEN 'waiting' THEN 'released' ELSE $3::text END, $2, $6 FROM job
      RETURNING job::text
      """,
      mine(job) + [
        .text(state.rawValue), SQLValue(comparison),
        status.map { SQLValue.int(Int64($0)) } ?? .null,
        SQLValue(message),
      ])
    return rows.count == 1
  }

  /// The condition that a runner still has a job, with the values of `mine`.
  private static let isMine = "id = $1::bigint AND runner = $2 AND state = 'running'"

  private func mine(_ job: Job) -> [SQLValue] {
    [.int(Int64(job.number)), .text(job.runner ?? "")]
  }
}
