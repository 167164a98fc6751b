import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { BLOCK, neutralise } from '../../src/render/neutralise.ts'
import { needs } from '../helpers/needs.ts'
import { verifies } from '../scenarios/verifies.ts'

/**
 * Tags of one word that a client holds beside those by which it speaks to its model: elements of HTML, SVG and other
 * documents, fields inside a tag of several words, and placeholders in help texts.
 */
const ORDINARY = new Set(
  [
    'a action array article aside audio b block blockquote body button candidate candidates caption category cell',
    'center cited code command content context decision del description details dict div doc duration e em entry',
    'error event example examples failures fieldset file footer form from g grep h1 h2 h3 h4 h5 h6 head header html',
    'i iframe image input interface issue key label language li location main message method n name nav node',
    'noscript note o object objective ol option output p path plist polyline pre profile properties question r',
    'reason recovery rect replace result results role row scope script search section select session severity',
    'signal source span status stdin string strong style suggestion summary svg t table tbody td testcase testsuite',
    'testsuites text textarea th thead timestamp title tr type types u ul usage v warning y',
  ].flatMap((row) => row.split(' ')),
)

/** Fields of HTTP/3 headers and of the page of a client, in angle brackets. */
const OF_PROTOCOLS = new Set(
  'comp-ratio hblock-count hblock-size peer-max-blocked peer-max-size qpack-exp responsive-mode used-max-blocked used-max-size x-equation x-turndown x-wikilink'.split(
    ' ',
  ),
)

/** Names that a program opens and closes as tags. */
function tagsIn(files: readonly string[]): readonly string[] {
  const [opened, closed] = [new Set<string>(), new Set<string>()]
  for (const file of files) {
    for (const [, slash, name] of readFileSync(file, 'latin1').matchAll(TAG)) {
      if (name !== undefined) (slash === '' ? opened : closed).add(name)
    }
  }
  return [...opened].filter((name) => closed.has(name))
}

const TAG = /<(\/?)([a-z][a-z0-9]*(?:[-_][a-z0-9]+)*)(?=[>\s])/g

const clients = inject('clients')
const FILES: Readonly<Record<string, () => readonly string[]>> = {
  'Claude Code': () => [clients?.claude ?? ''],
  Codex: () => [clients?.codex ?? ''],
  'Gemini CLI': () => globSync(join(dirname(clients?.gemini ?? ''), '**/*.js')),
}

describe('a message', needs(clients === null ? 'the real clients, which npm could not install' : undefined), () => {
  test.each(Object.entries(FILES))('cannot imitate a tag by which %s speaks to its model', (_, list) => {
    verifies('G14.fence')
    const tags = tagsIn(list())
    expect(tags.length).toBeGreaterThan(20)
    const survivors = tags.filter((name) => !ORDINARY.has(name) && neutralise(`<${name}>`, BLOCK) === `<${name}>`)
    expect(survivors).toEqual([])
    const behindWord = tags.filter((name) => !ORDINARY.has(name) && neutralise(`a<${name}>`, BLOCK) === `a<${name}>`)
    expect(behindWord.filter((name) => !OF_PROTOCOLS.has(name))).toEqual([])
  })
})
