/** The same as SQLite's migration, which says why. */
export const parcelOrder = `
ALTER TABLE ledger_parcels ADD COLUMN seq BIGINT NOT NULL DEFAULT 0;
UPDATE ledger_parcels SET seq = o.seq FROM (SELECT p.id, row_number() OVER (ORDER BY p.id) AS seq FROM ledger_parcels p) AS o
  WHERE o.id = ledger_parcels.id;
DROP INDEX ledger_parcels_lane;
DROP INDEX ledger_parcels_refused;
CREATE INDEX ledger_parcels_seq ON ledger_parcels (seq);
CREATE INDEX ledger_parcels_lane ON ledger_parcels (lane, seq) WHERE state = 'waiting';
CREATE INDEX ledger_parcels_refused ON ledger_parcels (lane, seq) WHERE state = 'refused';
`
