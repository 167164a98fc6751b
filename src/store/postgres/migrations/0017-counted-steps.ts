/** The same as SQLite's migration, which says why. */
export const countedSteps = `
ALTER TABLE gate_steps ADD COLUMN times BIGINT;
`
