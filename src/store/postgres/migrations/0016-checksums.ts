/** The same as SQLite's migration, which says why. */
export const checksums = `
ALTER TABLE messages ADD COLUMN checksum bigint;
`
