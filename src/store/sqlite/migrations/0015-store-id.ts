/**
 * A store has an id from its creation on. A copy and a restored backup have the same id, and a new store never does, so
 * a hook can tell whether the store that it reads is the one whose gates it knows.
 */
export const storeId = `
CREATE TABLE store_identity (id TEXT PRIMARY KEY) WITHOUT ROWID;
INSERT INTO store_identity (id) VALUES (lower(hex(randomblob(16))));
`
