/** How far what has happened was carried to an engine that rings other machines, and which server does it now. */
export const relays = `
CREATE TABLE relays (
  name TEXT COLLATE "C" PRIMARY KEY,
  holder TEXT NOT NULL,
  held_until BIGINT NOT NULL,
  cursor TEXT NOT NULL
);
`
