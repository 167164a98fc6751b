/** Steps of a gate that come again and again are counted in one row. */
export const countedSteps = `
ALTER TABLE gate_steps ADD COLUMN times INTEGER;
`
