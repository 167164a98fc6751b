/** The same as SQLite's migration, which says why. */
export const messageMacs = `
ALTER TABLE messages ADD COLUMN mac text;
`
