/** How far what has happened was carried to an engine that rings other machines, and which server does it now. */
export const relays = `
CREATE TABLE relays (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  held_until INTEGER NOT NULL,
  cursor TEXT NOT NULL
) WITHOUT ROWID;
`
