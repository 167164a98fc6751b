/** JSON in which the order of fields says nothing: the same value is the same text, however it was put together. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => (isObject(member) ? sorted(member) : member))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sorted(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))
}
