extension Schema {
  /// The tables of runs: their parameters, environment, launches and measured values.
  static let runTables = """
    CREATE TABLE runs (
      key INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      scenario TEXT NOT NULL,
      variant TEXT NOT NULL,
      label TEXT,
      commit_hash TEXT,
      is_dirty INTEGER,
      state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'interrupted')),
      started_ms INTEGER NOT NULL,
      seed INTEGER NOT NULL,
      command TEXT NOT NULL
    ) STRICT;
    CREATE INDEX runs_by_time ON runs (started_ms);
    CREATE INDEX runs_by_subject ON runs (scenario, variant, started_ms);
    CREATE INDEX runs_by_label ON runs (label) WHERE label IS NOT NULL;
    CREATE INDEX runs_by_commit ON runs (commit_hash) WHERE commit_hash IS NOT NULL;

    CREATE TABLE parameters (
      run INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
      name TEXT NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('int', 'double', 'string', 'bool')),
      value ANY,
      PRIMARY KEY (run, name)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE environments (
      run INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
      fact TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (run, fact)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE budgets (
      run INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      metric TEXT NOT NULL,
      statistic TEXT NOT NULL CHECK (statistic IN ('min', 'mean', 'max', 'percentile')),
      percentile REAL,
      comparison TEXT NOT NULL CHECK (comparison IN ('<=', '>=', '==')),
      base_limit REAL NOT NULL,
      unit TEXT NOT NULL,
      PRIMARY KEY (run, position)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE warnings (
      run INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      code TEXT NOT NULL,
      message TEXT NOT NULL,
      remedy TEXT NOT NULL,
      PRIMARY KEY (run, position)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE iterations (
      key INTEGER PRIMARY KEY,
      run INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
      number INTEGER NOT NULL,
      is_warmup INTEGER NOT NULL,
      status TEXT NOT NULL CHECK (
        status IN ('completed', 'crashed', 'timed out', 'jetsam', 'failed', 'interrupted')),
      signal INTEGER,
      message TEXT,
      offset_ns INTEGER NOT NULL,
      began_ns INTEGER,
      UNIQUE (run, number)
    ) STRICT;

    CREATE TABLE metrics (
      key INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE
    ) STRICT;

    CREATE TABLE metric_values (
      iteration INTEGER NOT NULL REFERENCES iterations (key) ON DELETE CASCADE,
      metric INTEGER NOT NULL REFERENCES metrics (key),
      value REAL,
      PRIMARY KEY (iteration, metric)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE definitions (
      key INTEGER PRIMARY KEY,
      metric INTEGER NOT NULL REFERENCES metrics (key),
      dimension TEXT NOT NULL,
      direction TEXT NOT NULL,
      scale TEXT NOT NULL,
      is_deterministic INTEGER NOT NULL,
      summary TEXT NOT NULL,
      UNIQUE (metric, dimension, direction, scale, is_deterministic, summary)
    ) STRICT;

    CREATE TABLE run_definitions (
      run INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      definition INTEGER NOT NULL REFERENCES definitions (key),
      PRIMARY KEY (run, position)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE series (
      iteration INTEGER NOT NULL REFERENCES iterations (key) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      name TEXT NOT NULL,
      dimension TEXT NOT NULL,
      points INTEGER NOT NULL,
      data BLOB NOT NULL,
      PRIMARY KEY (iteration, position)
    ) STRICT;

    CREATE TABLE frames (
      iteration INTEGER PRIMARY KEY REFERENCES iterations (key) ON DELETE CASCADE,
      frames INTEGER NOT NULL,
      data BLOB NOT NULL
    ) STRICT;

    CREATE TABLE spans (
      iteration INTEGER PRIMARY KEY REFERENCES iterations (key) ON DELETE CASCADE,
      spans INTEGER NOT NULL,
      data BLOB NOT NULL
    ) STRICT;

    CREATE TABLE work (
      run INTEGER PRIMARY KEY REFERENCES runs (key) ON DELETE CASCADE,
      functions INTEGER NOT NULL,
      payload TEXT NOT NULL
    ) STRICT;

    CREATE VIEW measurements AS
    SELECT runs.id AS run, scenario, variant, label, commit_hash, started_ms,
      iterations.number AS iteration, is_warmup, status, metrics.name AS metric, value
    FROM runs
    JOIN iterations ON iterations.run = runs.key
    JOIN metric_values ON metric_values.iteration = iterations.key
    JOIN metrics ON metrics.key = metric_values.metric;
    """

  /// The tables of baselines, comparisons, decisions, noise certificates and campaigns.
  static let comparisonTables = """
    CREATE TABLE baselines (
      key INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      saved_ms INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE baseline_runs (
      baseline INTEGER NOT NULL REFERENCES baselines (key) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      run INTEGER NOT NULL REFERENCES runs (key) ON DELETE RESTRICT,
      PRIMARY KEY (baseline, position),
      UNIQUE (baseline, run)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX baseline_runs_by_run ON baseline_runs (run);

    CREATE TABLE comparisons (
      key INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      subject TEXT NOT NULL,
      started_ms INTEGER NOT NULL,
      design TEXT NOT NULL,
      is_finished INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX comparisons_by_subject ON comparisons (subject);

    CREATE TABLE comparison_legs (
      comparison INTEGER NOT NULL REFERENCES comparisons (key) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      base INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
      candidate INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
      PRIMARY KEY (comparison, position)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX comparison_legs_by_base ON comparison_legs (base);
    CREATE INDEX comparison_legs_by_candidate ON comparison_legs (candidate);

    CREATE TABLE decisions (
      number INTEGER PRIMARY KEY,
      comparison TEXT NOT NULL,
      decided_ms INTEGER NOT NULL,
      outcome TEXT NOT NULL,
      payload TEXT NOT NULL
    ) STRICT;
    CREATE INDEX decisions_by_comparison ON decisions (comparison);

    CREATE TABLE certificates (
      key INTEGER PRIMARY KEY,
      machine TEXT NOT NULL,
      certified_ms INTEGER NOT NULL,
      payload TEXT NOT NULL
    ) STRICT;
    CREATE INDEX certificates_by_machine ON certificates (machine, certified_ms);

    CREATE TABLE campaigns (
      number INTEGER PRIMARY KEY,
      scenario TEXT NOT NULL,
      started_ms INTEGER NOT NULL,
      payload TEXT NOT NULL
    ) STRICT;
    """
}
