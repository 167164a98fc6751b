/** Escapes what JSON leaves raw although a terminal would obey it or nobody would see it. */
export function escapeUnseen(json: string): string {
  return json.replace(/[\u007f-\u009f\p{Cf}\u2028\u2029]/gu, escapeUnits)
}

function escapeUnits(character: string): string {
  return Array.from(character.split(''), (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
}
