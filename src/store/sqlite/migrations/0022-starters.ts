/** What runs a session's hooks where no host is known by its name. */
export const starters = `
ALTER TABLE sessions ADD COLUMN starter_pid INTEGER;
ALTER TABLE sessions ADD COLUMN starter_started_at INTEGER;
`
