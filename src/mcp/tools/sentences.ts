/** `1 message`, `2 messages`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** `a, b and c`; a word of ours where there is none. */
export function enumerated(words: readonly string[], none: string): string {
  if (words.length <= 1) return words[0] ?? none
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
