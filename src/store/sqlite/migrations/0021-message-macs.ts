/**
 * Every message gets a MAC under the key of the home that stores it. Messages from before this migration, and rows that
 * come in by SQL, have none; they are shown as not authenticated.
 */
export const messageMacs = `
ALTER TABLE messages ADD COLUMN mac TEXT;
`
