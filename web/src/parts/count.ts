/** `1 entry`, `2 entries`: a number with its noun. */
export function countOf(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`
}
