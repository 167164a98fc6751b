/** The same as SQLite's migration, which says why. */
export const storeId = `
CREATE TABLE store_identity (id TEXT PRIMARY KEY);
INSERT INTO store_identity (id) VALUES (replace(gen_random_uuid()::text, '-', ''));
`
