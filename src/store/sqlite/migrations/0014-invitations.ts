/**
 * A space is joined by invitation unless it is open, and a new member reads posts from its joining on. Spaces from before
 * become invite-only. Their members keep all that they could read.
 */
export const invitations = `
ALTER TABLE spaces ADD COLUMN joining TEXT NOT NULL DEFAULT 'invited';
ALTER TABLE spaces ADD COLUMN history TEXT NOT NULL DEFAULT 'joined';
ALTER TABLE space_members ADD COLUMN after_seq INTEGER NOT NULL DEFAULT 0;
`
