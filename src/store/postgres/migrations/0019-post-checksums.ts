/** The same as SQLite's migration, which says why. */
export const postChecksums = `
ALTER TABLE space_posts ADD COLUMN checksum bigint;
`
