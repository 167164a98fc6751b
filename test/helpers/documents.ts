/** What a page of Markdown holds that a test can check: code, links and headings. */
export interface CodeBlock {
  readonly language: string
  readonly text: string
}

export interface DocumentedCommand {
  readonly line: string
  /** As a comment says (`# exit 1: …`), else 0. */
  readonly exit: number
  /** What the page shows below it; empty where it shows nothing. */
  readonly output: string
}

export function codeBlocks(page: string): readonly CodeBlock[] {
  return [...page.matchAll(/^```(\w*)\n([\s\S]*?)\n?^```$/gm)].map(([, language = '', text = '']) => ({
    language,
    text,
  }))
}

/** Blocks and spans of code. */
export function codeIn(page: string): readonly string[] {
  const spans = page.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`]+)`/g)
  return [
    ...codeBlocks(page).map(({ text }) => text.replaceAll('\\\n', ' ')),
    ...[...spans].map(([, code = '']) => code),
  ]
}

/** The lines of its shell blocks that call Postern. A loop is for the reader to fill in, so it is left out. */
export function runnableIn(page: string): readonly DocumentedCommand[] {
  return codeBlocks(page)
    .filter(({ text }) => !/^while /m.test(text))
    .flatMap(({ language, text }) => {
      if (language === 'console') return text.split(/^\$ /m).slice(1).map(consoleCommand)
      return /^(?:ba)?sh$/.test(language) ? text.replaceAll('\\\n', ' ').split('\n').map(plainCommand) : []
    })
    .filter(({ line }) => /\bpostern /.test(line))
}

function consoleCommand(text: string): DocumentedCommand {
  const [line = '', ...output] = text.trimEnd().split('\n')
  return { ...plainCommand(line), output: output.join('\n') }
}

function plainCommand(line: string): DocumentedCommand {
  return { line, exit: Number(/# exit (\d+)/.exec(line)?.[1] ?? 0), output: '' }
}

/** Links within the repository. */
export function linksIn(page: string): readonly string[] {
  const prose = page.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`]*`/g, 'code')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link).filter((link) => !/^[a-z]+:/.test(link))
}

/** The anchors of its headings, as Git hosts make them. */
export function headingIds(page: string): readonly string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
