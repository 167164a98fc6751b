import { describe, expect, it } from 'vitest'
import { type CommandOptions, postern } from '../../helpers/command.ts'
import { warmPostern, warmPosternJson } from '../../helpers/warm-command.ts'
import { verifies } from '../verifies.ts'
import { send, withPeople } from './people.ts'

interface Item {
  readonly id: string
  readonly subject: string
  readonly priority: number
  readonly processed: boolean
}

const mine = (options: CommandOptions, ...args: readonly string[]) =>
  warmPosternJson<{ items: Item[]; unprocessed: number }>(options, 'inbox', 'mine', '--agent', 'justin', ...args)

describe('the reader of a person', () => {
  it('shows what is not processed first, each the newest first, with priorities of 1 to 5', async () => {
    verifies('S003.reader')
    const options = await withPeople()
    await send(options, 'justin', '--subject', 'one', '--priority', '5')
    await send(options, 'justin', '--subject', 'two', '--priority', '1')
    await warmPostern(options, 'inbox', 'drain', '--agent', 'justin')
    await send(options, 'justin', '--subject', 'three', '--ref-id', 'PROJ-12', '--ref-type', 'task')
    await send(options, 'justin', '--subject', 'four', '--priority', '2')

    const { items, unprocessed } = await mine(options)
    expect(unprocessed).toBe(2)
    expect(items.map(({ subject, priority, processed }) => [subject, priority, processed])).toEqual([
      ['four', 2, false],
      ['three', 3, false],
      ['two', 1, true],
      ['one', 5, true],
    ])
    const { stdout } = await warmPostern(options, 'inbox', 'mine', '--agent', 'justin')
    expect(stdout).toMatch(/^new +3 +msg_\S+ +fyi +quinn +task:PROJ-12 .* three$/m)
    expect((await mine(options, '--limit', '1')).items.map(({ subject }) => subject)).toEqual(['four'])
  })

  it('shows one whole by its id, and takes nothing', async () => {
    const options = await withPeople()
    await send(options, 'justin', '--subject', 'Look', 'The whole text.')
    const [first] = (await mine(options)).items
    const { stdout } = await warmPostern(options, 'inbox', 'mine', '--agent', 'justin', first?.id ?? '')
    expect(stdout).toMatch(/\n│ subject: Look\n│ The whole text\.\n$/)
    expect((await mine(options)).unprocessed).toBe(1)
  })

  it('is that of the only person where nobody is named, and asks whose is meant where there are two', async () => {
    const options = await withPeople()
    expect((await postern(options, 'inbox', 'mine')).stdout).toBe('Nothing has come for justin.\n')
    await postern(options, 'agent', 'add', 'petra', '--kind', 'human')
    expect(await postern(options, 'inbox', 'mine')).toMatchObject({ exit: 64, stdout: '' })
    expect((await postern(options, 'inbox', 'mine', '--agent', 'petra')).stdout).toBe('Nothing has come for petra.\n')
  })

  it('says how many more there are, and never that nothing has come where something has', async () => {
    const options = await withPeople()
    for (const subject of ['one', 'two', 'three']) await send(options, 'justin', '--subject', subject)
    const { stdout } = await warmPostern(options, 'inbox', 'mine', '--limit', '2')
    expect(stdout).toMatch(/three\n.* two\n1 more: --limit 3\n/)
    expect(await warmPostern(options, 'inbox', 'mine', '--limit', '0')).toMatchObject({ exit: 64, stdout: '' })
  })
})
