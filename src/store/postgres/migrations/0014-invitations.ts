/** The same as SQLite's migration, which says why. */
export const invitations = `
ALTER TABLE spaces ADD COLUMN joining TEXT NOT NULL DEFAULT 'invited';
ALTER TABLE spaces ADD COLUMN history TEXT NOT NULL DEFAULT 'joined';
ALTER TABLE space_members ADD COLUMN after_seq BIGINT NOT NULL DEFAULT 0;
`
