/** As a word of a POSIX shell that means only itself. */
export function inQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
