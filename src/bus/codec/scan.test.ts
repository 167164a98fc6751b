import { describe, expect, it } from 'vitest'
import { draftOf, entryOf, idOf } from '../../../test/helpers/bus/drafts.ts'
import { formatNaively } from '../../../test/helpers/bus/naive-codec.ts'
import { sha256 } from '../../kit/node/crypto.ts'
import { formatEntry } from './format.ts'
import { scan } from './scan.ts'
import type { Piece } from './scanned.ts'

const PLACE = { project_id: 'p', task_id: 't' }

function read(content: string | Buffer, more: Partial<Piece> = {}) {
  return scan({ bytes: Buffer.from(content), offset: 0, isLast: true, ...more }, PLACE).items
}

/** Bodies of entries, and reasons of faults in brackets. */
function outline(content: string | Buffer, more?: Partial<Piece>): string[] {
  return read(content, more).map((item) => (item.kind === 'entry' ? item.entry.body : `(${item.reason})`))
}

const header = (id: string, more = '') =>
  `---\nmsg_id: ${id}\nts: 2026-02-05T12:34:56Z\ntype: FACT\nproject_id: p\n${more}---\n`
const one = formatEntry(draftOf('One.', { msg_id: idOf(1) })).toString()
const two = formatEntry(draftOf('Two.', { msg_id: idOf(2) })).toString()

function firstOf(content: string) {
  const [item] = read(content)
  if (item?.kind !== 'entry') throw new Error(item?.reason ?? 'nothing')
  return item.entry
}

describe('an entry of somebody else', () => {
  it('is on the bus of its file where it names no project', () => {
    const nameless = header('A').replace('project_id: p\n', '')
    expect(firstOf(`${nameless}x\n`)).toMatchObject(PLACE)
    expect(firstOf(`${nameless.replace('type', 'project_id: ""\ntype')}x\n`)).toMatchObject(PLACE)
    expect(firstOf(`${nameless.replace('type', 'task_id: other\ntype')}x\n`)).toMatchObject({ task_id: 'other' })
    expect(firstOf(`${header('A')}x\n`)).not.toHaveProperty('task_id')
  })

  it('ends with the line break before the next', () => {
    expect(outline(`${header('A')}One.\n${header('B')}Two.\n\n${header('C')}${header('D')}Four.`)).toEqual([
      'One.',
      'Two.\n',
      '',
      'Four.',
    ])
  })

  it('may hold rules of Markdown', () => {
    expect(outline(`${header('A')}Above.\n\n---\n\nBelow.\n---\n${header('B')}Two.\n`)).toEqual([
      'Above.\n\n---\n\nBelow.\n---',
      'Two.',
    ])
  })

  it('names its parents in either form', () => {
    const parents = 'parents:\n  - MSG-1\n  - msg_id: MSG-2\n    kind: answers\n    more: x\n'
    expect(firstOf(header('A', parents)).parents).toEqual([{ msg_id: 'MSG-1' }, { msg_id: 'MSG-2', kind: 'answers' }])
    expect(firstOf(header('A', 'parents: [MSG-1, {msg_id: 012}]\n')).parents).toEqual([
      { msg_id: 'MSG-1' },
      { msg_id: '012' },
    ])
    expect(firstOf(header('A', 'parents: MSG-1\n')).parents).toEqual([{ msg_id: 'MSG-1' }])
  })

  it('has ids that are texts, and other values by what they look like', () => {
    const more =
      'task_id: 012\nrun_id: true\nmeta:\n  a: 012\n  b: true\nown: 1.5\nattachments: [{path: 7, size_bytes: 7}]\n'
    expect(firstOf(header('0x10', more))).toMatchObject({
      msg_id: '0x10',
      task_id: '012',
      run_id: 'true',
      attachments: [{ path: '7', size_bytes: 7 }],
      meta: { a: 12, b: true },
      extra: { own: 1.5 },
    })
  })

  it('has nothing where there is nothing', () => {
    const more = 'task_id:\nrun_id: null\nissue_id: ~\nparents: []\nattachments:\nlinks: [7, {}]\nmeta: {}\n'
    expect(Object.keys(firstOf(header('A', more)))).toEqual(['msg_id', 'ts', 'type', 'project_id', 'body'])
  })

  it('has types by their older names', () => {
    const typed = (type: string) => firstOf(header('A').replace('FACT', type)).type
    expect(['RUN_START', 'RUN_STOP', 'CRASH', 'own'].map(typed)).toEqual(['START', 'STOP', 'CRASH', 'own'])
  })

  it('may say its length and checksum and escape nothing', () => {
    const said = `Above.\n---\n${header('FORGED')}\\---\n`
    const frame = `body_bytes: ${said.length}\nsha256: ${sha256(said)}\n`
    expect(outline(`${header('A', frame)}${said}\n${two}`)).toEqual([said, 'Two.'])
  })

  it('cannot hide others behind a length alone', () => {
    const more = `body_bytes: ${two.length + 4}\n`
    expect(outline(`${header('A', more)}One\n${two}`)).toEqual(['One', 'Two.'])
    expect(outline(`${header('A', 'body_bytes: 5\nsha256: x\n')}One\n${two}`)).toEqual([
      '(its body is not what its header says)',
      'Two.',
    ])
  })
})

describe('an older record', () => {
  const records = '[2026-02-04 17:31:55] FACT: One: two.\r\n\n[2026-02-04 17:31:56] RUN_START:\n'

  it('is an entry that is named for its line', () => {
    expect(read(`${records}${one}[2026-02-04 17:31:57] own_type: Last.`)).toEqual([
      expect.objectContaining({
        start: 0,
        entry: {
          msg_id: 'LEGACY-LINE-000000001',
          ts: '2026-02-04T17:31:55Z',
          type: 'FACT',
          project_id: 'p',
          task_id: 't',
          body: 'One: two.',
        },
      }),
      expect.objectContaining({
        entry: expect.objectContaining({ msg_id: 'LEGACY-LINE-000000003', type: 'START', body: 'RUN_START:' }),
      }),
      expect.objectContaining({ entry: expect.objectContaining({ msg_id: idOf(1) }) }),
      expect.objectContaining({
        entry: expect.objectContaining({ msg_id: 'LEGACY-LINE-000000014', type: 'OWN_TYPE' }),
        closing: '\n',
      }),
    ])
  })

  it('counts the lines before its piece, and only where there is one', () => {
    expect(read(records, { offset: 500, line: 7 })[0]).toMatchObject({
      start: 500,
      entry: { msg_id: 'LEGACY-LINE-000000008' },
    })
    expect(read(records, { offset: 500, line: () => 7 })[1]).toMatchObject({
      entry: { msg_id: 'LEGACY-LINE-000000010' },
    })
    const count = () => {
      throw new Error('nobody asked')
    }
    expect(outline(one, { line: count })).toEqual(['One.'])
  })

  it.each([
    ['2026-02-04 17:31:55', '2026-02-04T17:31:55Z'],
    ['2026-02-04T17:31:55', '2026-02-04T17:31:55Z'],
    ['2026-02-04T17:31:55Z', '2026-02-04T17:31:55Z'],
    ['2026-02-04T17:31:55+02:00', '2026-02-04T15:31:55Z'],
    ['2026-02-04T17:31:55-0530', '2026-02-04T23:01:55Z'],
    ['2026-02-04T17:31:55.123456789Z', '2026-02-04T17:31:55.123456789Z'],
    [' 2026-02-04 17:31:55 ', '2026-02-04T17:31:55Z'],
  ])('has the time [%s]', (time, ts) => {
    expect(read(`[${time}] FACT: x\n`)).toMatchObject([{ entry: { ts, type: 'FACT', body: 'x' } }])
  })

  it.each([
    ['FACT: One: two', 'FACT', 'One: two'],
    ['fact: x', 'FACT', 'x'],
    ['FACT:x', 'FACT', 'x'],
    ['a-b_c/d2 : x', 'A-B_C/D2', 'x'],
    ['RUN_CRASH: x', 'CRASH', 'x'],
    ['FACT', 'INFO', 'FACT'],
    ['The build: it is green', 'INFO', 'The build: it is green'],
    ['naïve: x', 'INFO', 'naïve: x'],
    [': x', 'INFO', ': x'],
    ['FACT:', 'FACT', 'FACT:'],
    ['  x \t\r', 'INFO', 'x'],
  ])('that says %j has its type and text', (text, type, body) => {
    for (const line of [`[2026-02-04 17:31:55] ${text}`, `\t[2026-02-04 17:31:55]${text}`])
      expect(read(`${line}\n`)).toMatchObject([{ start: 0, entry: { type, body } }])
  })

  it('is read the same wherever its piece ends', () => {
    const text = Buffer.from(`# Log\n${records}[2026-02-04 17:31:57] x\n`)
    const whole = read(text)
    for (let end = 0; end < text.length; end++) {
      const { items, next } = scan({ bytes: text.subarray(0, end), offset: 0, isLast: false }, PLACE)
      const line = text.subarray(0, next).toString().split('\n').length - 1
      const rest = scan({ bytes: text.subarray(next), offset: next, line, isLast: true }, PLACE)
      const entries = [...items, ...rest.items].filter(({ kind }) => kind === 'entry')
      expect(entries).toEqual(whole.filter(({ kind }) => kind === 'entry'))
    }
  })

  it.each([
    '[2026-02-04] FACT: x',
    '[2026-13-04 17:31:55] FACT: x',
    '[2026-02-30 17:31:55] FACT: x',
    '[2026-02-04 24:00:00] FACT: x',
    '[2026-02-04 17:31:55]',
    '[2026-02-04 17:31:55] \t',
    '- [2026-02-04 17:31:55] FACT: x',
    '[x] FACT: x',
  ])('is not %j', (line) => {
    expect(outline(`${line}\n${one}`)).toEqual(['(it belongs to no entry)', 'One.'])
  })

  it('is a part of the body where it stands in one', () => {
    const said = 'Above.\n[2026-02-04 17:31:55] FACT: x'
    expect(outline(`${header('A')}${said}\n`)).toEqual([said])
    expect(outline(formatEntry(draftOf(said)))).toEqual([said])
  })

  it('counts after a body that says how long it is', () => {
    const record = '[2026-02-04 17:31:55] FACT: x\n'
    expect(outline(`${one}${record}`)).toEqual(['One.', 'x'])
    expect(outline(`${header('A', 'body_bytes: 4\n')}One.\n${record}${two}`)).toEqual(['One.', 'x', 'Two.'])
    expect(outline(`${header('A', 'body_bytes: 0\n')}\n${record}`)).toEqual(['', 'x'])
    expect(outline(`${header('A', 'body_bytes: 3\n')}One.\n${record}`)).toEqual([`One.\n${record.trimEnd()}`])
    expect(outline(`${header('A')}One.\n${record}`)).toEqual([`One.\n${record.trimEnd()}`])
  })
})

describe('a file that went through other hands', () => {
  const long = formatEntry(draftOf('One.\n---\n\nTwo.\n', { msg_id: idOf(3), meta: { a: [1, 2] } })).toString()
  const converted = (content: string) => content.replaceAll('\n', '\r\n')

  it('may have other line breaks', () => {
    expect(outline(converted(`${one}${long}${two}`))).toEqual(['One.', 'One.\n---\n\nTwo.\n', 'Two.'])
    expect(outline(converted(`${header('A')}One.\nTwo.\n${header('B')}`))).toEqual(['One.\r\nTwo.', ''])
  })

  it('may have line breaks of both kinds', () => {
    expect(outline(`${converted(one)}${long}${converted(two)}`)).toEqual(['One.', 'One.\n---\n\nTwo.\n', 'Two.'])
    expect(outline(one.replace('\n---\n', '\r\n--- \t\r\n'))).toEqual(['One.'])
  })

  it('may have a byte order mark, but only at its beginning', () => {
    expect(outline(`\ufeff${one}${two}`)).toEqual(['One.', 'Two.'])
    expect(outline(`\ufeff${one}`, { offset: 7 })).toEqual(['(it belongs to no entry)'])
  })

  it('may have blank lines between entries', () => {
    expect(outline(`\n \n${one}\n\t\n\r\n${two}\n\n`)).toEqual(['One.', 'Two.'])
    expect(outline('\n \r\n')).toEqual([])
  })

  it('may have a conflict of git, whose entries are all there', () => {
    const both = `<<<<<<< HEAD\n${one}=======\n${two}>>>>>>> theirs\n${long}`
    expect(outline(both)).toEqual([
      '(it is a conflict that git left)',
      'One.',
      '(it is a conflict that git left)',
      'Two.',
      '(it is a conflict that git left)',
      'One.\n---\n\nTwo.\n',
    ])
    const naive = `${header('A')}Zero.\n<<<<<<< HEAD\n${header('B')}One.\n=======\n${header('C')}Two.\n>>>>>>> theirs\n`
    expect(outline(naive).filter((text) => !text.startsWith('('))).toEqual(['Zero.', 'One.', 'Two.'])
    expect(outline(`${header('A')}Title\n=======\n`)).toEqual(['Title\n======='])
  })

  it('may have a header that git tore apart, which hides nothing', () => {
    const torn = one.replace('type: FACT\n', '<<<<<<< HEAD\ntype: FACT\n=======\ntype: USER\n>>>>>>> theirs\n')
    expect(outline(`${two}${torn}${two}`)).toEqual(['Two.', '(its header is not valid YAML)', 'Two.'])
  })

  it('may have text that belongs to nothing', () => {
    const items = read(`# Bus\n\n${one}Somebody wrote this.\n---\nAnd this.\n${two}tail`)
    expect(items.map(({ kind }) => kind)).toEqual(['fault', 'entry', 'fault', 'entry', 'fault'])
    expect(items[2]).toMatchObject({ start: 7 + one.length, reason: 'it belongs to no entry' })
    expect(items[4]).toMatchObject({ closing: '\n' })
  })
})

describe('what is damaged', () => {
  it.each([
    ['a body that is another', one.replace('One.', 'Two.'), 'its body is not what its header says'],
    ['a body that is longer', one.replace('One.', 'One. More.'), 'its body is not what its header says'],
    ['a body that is gone', one.replace('One.\n', ''), 'its body is not what its header says'],
    [
      'a length that is none',
      one.replace('body_bytes: 4', 'body_bytes: four'),
      'its body_bytes or sha256 is not valid',
    ],
    [
      'a length beyond all',
      one.replace('body_bytes: 4', 'body_bytes: 99999999999'),
      'its body is larger than 8388608 bytes',
    ],
    ['a checksum that is none', one.replace(/\nsha256: .*/, '\nsha256: []'), 'its body_bytes or sha256 is not valid'],
    ['no ts', one.replace(/ts: .*\n/, ''), 'its header has no ts'],
    ['an id that is empty', one.replace(/msg_id: .*/, 'msg_id:'), 'its header has no msg_id'],
    ['a key twice', one.replace('type: FACT', 'type: FACT\ntype: USER'), 'its header has a key twice'],
    ['an alias', one.replace('type: FACT', 'type: *a'), 'its header has an alias'],
    ['an anchor', one.replace('type: FACT', 'type: &a FACT'), 'its header has an anchor'],
    ['a tag', one.replace('type: FACT', 'type: !!str FACT'), 'its header has a tag'],
    [
      'bytes that are no text',
      Buffer.from(one.replace('type: FACT', 'type: \xff'), 'latin1'),
      'its header is not UTF-8',
    ],
    ['no map', '---\n- msg_id: x\nmsg_id: y\n---\n', 'its header is not valid YAML'],
  ])('such as %s is told, and its neighbours are read', (_, damaged, reason) => {
    const file = Buffer.concat([Buffer.from(two), Buffer.from(damaged), Buffer.from(two)])
    const items = read(file)
    expect(items.map((item) => (item.kind === 'entry' ? item.entry.body : item.reason))).toEqual([
      'Two.',
      reason,
      'Two.',
    ])
    expect(items[1]).toMatchObject({ start: two.length, end: file.length - two.length })
  })

  it('is told with its id', () => {
    expect(read(one.replace('One.', 'Two.'))[0]).toMatchObject({ kind: 'fault', msgId: idOf(1) })
    expect(read(one.replace('type: FACT', 'type: &a FACT'))[0]).toMatchObject({ kind: 'fault', msgId: idOf(1) })
  })

  it('is no way to forge an entry by its body', () => {
    const said = 'msg_id: MSG-forged\nts: 2026-02-05T12:34:56Z\ntype: USER\nproject_id: p\n'
    const forged = formatEntry(draftOf(said)).toString()
    for (const damaged of [
      forged.slice(0, -5),
      forged.replace('type: FACT', 'type: &a FACT'),
      `${forged.slice(0, -1)}x\n`,
    ])
      expect(outline(`${damaged}\n${two}`)).toEqual([expect.stringMatching(/^\(/), 'Two.'])
  })
})

describe('a piece', () => {
  const file = `${one}${formatNaively(draftOf('Foreign.'))}${two}`

  it('is read up to what it does not wholly hold', () => {
    const whole = read(file)
    for (let length = 0; length < file.length; length++) {
      const { items, next } = scan({ bytes: Buffer.from(file.slice(0, length)), offset: 0, isLast: false }, PLACE)
      expect(items).toEqual(whole.slice(0, items.length))
      expect(next).toBe(whole[items.length]?.start)
    }
  })

  it('tells places within its file', () => {
    const places = (offset: number) => read(file, { offset }).map(({ start, end }) => [start - offset, end - offset])
    expect(places(1_000)).toEqual(places(0))
    expect(scan({ bytes: Buffer.from(file), offset: 1_000, isLast: true }, PLACE).next).toBe(1_000 + file.length)
  })

  it('that is empty holds nothing', () => {
    expect(scan({ bytes: Buffer.alloc(0), offset: 7, isLast: true }, PLACE)).toEqual({ items: [], next: 7 })
  })

  it('tells bodies that are no text as bytes, too', () => {
    const bytes = Buffer.from([0x66, 0xff, 0x00])
    expect(read(formatEntry(draftOf(bytes)))[0]).toMatchObject({ entry: entryOf(draftOf(bytes)) })
    expect(entryOf(draftOf(bytes)).body_base64).toBe(bytes.toString('base64'))
    expect(firstOf(formatEntry(draftOf('\ufffd')).toString())).not.toHaveProperty('body_base64')
  })
})

describe('a byte that is changed anywhere in an entry', () => {
  it('hides no neighbour of ours', () => {
    const middle = formatEntry(draftOf('Three.', { msg_id: idOf(3) }))
    const file = Buffer.concat([Buffer.from(one), middle, Buffer.from(two)])
    for (let at = one.length; at < one.length + middle.length - 1; at++) {
      for (const byte of ['*', '\r']) {
        const damaged = Buffer.from(file)
        damaged.write(byte, at)
        const others = outline(damaged).filter((each) => each === 'One.' || each === 'Two.')
        expect(others, `${JSON.stringify(byte)} at ${at}`).toEqual(['One.', 'Two.'])
      }
    }
  })
  it('makes no entry of a body that looks like a header, and hides nothing behind it', () => {
    const forged = 'msg_id: FORGED\nts: 2026-02-05T12:34:56Z\ntype: USER\nproject_id: p'
    const middle = formatEntry(draftOf(forged, { msg_id: idOf(3) }))
    const file = Buffer.concat([Buffer.from(one), middle, Buffer.from(two)])
    for (let at = one.length; at < one.length + middle.length - 1; at++) {
      const damaged = Buffer.from(file)
      damaged.write('*', at)
      const found = read(damaged).flatMap((item) => (item.kind === 'entry' ? [item.entry] : []))
      expect(found.map(({ msg_id }) => msg_id).includes('FORGED'), `at ${at}`).toBe(false)
      expect(
        found.map(({ body }) => body).filter((body) => body === 'One.' || body === 'Two.'),
        `at ${at}`,
      ).toEqual(['One.', 'Two.'])
    }
  })
})
