internal import GRDB

extension Schema {
  /// Version 9: which signpost samples fell into; those of earlier runs fell into none.
  static func addSignposts(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE profile_signposts (
          run INTEGER NOT NULL REFERENCES profiles (run) ON DELETE CASCADE,
          position INTEGER NOT NULL,
          name TEXT NOT NULL,
          PRIMARY KEY (run, position)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO profile_signposts SELECT run, 0, '' FROM profiles;

        ALTER TABLE profile_counts ADD COLUMN signpost INTEGER NOT NULL DEFAULT 0;

        DROP VIEW stacks;

        CREATE VIEW stacks AS
        SELECT runs.id AS run, profile_counts.iteration, nodes.key AS node,
          functions.name AS function, functions.module, functions.file, nodes.line,
          profile_threads.name AS thread, profile_phases.name AS phase,
          profile_signposts.name AS signpost,
          CASE frame_class WHEN 0 THEN 'none' WHEN 1 THEN 'on time' WHEN 2 THEN 'missed' END
            AS frame_class,
          CASE profile_counts.state WHEN 0 THEN 'running' WHEN 1 THEN 'runnable'
            WHEN 2 THEN 'waiting' WHEN 3 THEN 'allocated' WHEN 4 THEN 'live_peak'
            WHEN 5 THEN 'live_end' END AS state,
          profile_counts.samples,
          CASE WHEN profile_counts.state < 3 THEN profile_counts.weight_ns END AS weight_ns,
          CASE WHEN profile_counts.state >= 3 THEN profile_counts.weight_ns END AS weight_bytes
        FROM profile_counts
        JOIN runs ON runs.key = profile_counts.run
        JOIN profile_nodes ON profile_nodes.run = profile_counts.run
          AND profile_nodes.position = profile_counts.node
        JOIN nodes ON nodes.key = profile_nodes.node
        JOIN functions ON functions.key = nodes.function
        JOIN profile_threads ON profile_threads.run = profile_counts.run
          AND profile_threads.position = profile_counts.thread
        JOIN profile_phases ON profile_phases.run = profile_counts.run
          AND profile_phases.position = profile_counts.phase
        JOIN profile_signposts ON profile_signposts.run = profile_counts.run
          AND profile_signposts.position = profile_counts.signpost;
        """)
  }
}
