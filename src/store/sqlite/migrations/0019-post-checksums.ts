/** Posts outlive the messages that carried them, so each gets a checksum of its own. Earlier posts have none. */
export const postChecksums = `
ALTER TABLE space_posts ADD COLUMN checksum INTEGER;
`
