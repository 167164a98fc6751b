/** The same as SQLite's migration, which says why. */
export const starters = `
ALTER TABLE sessions ADD COLUMN starter_pid BIGINT;
ALTER TABLE sessions ADD COLUMN starter_started_at BIGINT;
`
