/** The same as SQLite's migration, which says why. */
export const claims = `
ALTER TABLE replies ADD COLUMN taken BIGINT NOT NULL DEFAULT 0;
ALTER TABLE replies ADD COLUMN outcome TEXT;
ALTER TABLE replies ADD COLUMN released BIGINT NOT NULL DEFAULT 0;
`
