/**
 * Every message gets a checksum over its columns when it is stored, and it is checked whenever the message is read.
 * Messages from before this migration have none.
 */
export const checksums = `
ALTER TABLE messages ADD COLUMN checksum INTEGER;
`
