/**
 * A claim on an idempotency key has a number that rises with each holder, so that a process that lost it notices. The outcome
 * of a request's change lies beside its claim, committed with the change. A claim that was given back is `released`.
 */
export const claims = `
ALTER TABLE replies ADD COLUMN taken INTEGER NOT NULL DEFAULT 0;
ALTER TABLE replies ADD COLUMN outcome TEXT;
ALTER TABLE replies ADD COLUMN released INTEGER NOT NULL DEFAULT 0;
`
