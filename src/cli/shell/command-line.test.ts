import { describe, expect, it } from 'vitest'
import type { Form } from './command.ts'
import { endOptions } from './command-line.ts'

const FORM: Form = {
  path: 'run',
  summary: '',
  operands: '<command…>',
  options: [
    { name: 'task', value: '<id>', summary: '' },
    { name: 'loud', summary: '' },
  ],
}

describe('the end of options', () => {
  it.each([
    ['--task t ls -l', '--task t -- ls -l'],
    ['--task=t --loud ls --json', '--task=t --loud -- ls --json'],
    ['--json ls', '--json -- ls'],
    ['ls --task t', '-- ls --task t'],
    ['--task t -- ls -l', '--task t -- ls -l'],
    ['--loud -- --task', '--loud -- --task'],
    ['--task -- ls', '--task -- -- ls'],
    ['--task - -', '--task - -- -'],
    ['--unknown ls', '--unknown -- ls'],
    ['--task', '--task'],
    ['--help', '--help'],
  ])('%s is read as %s', (typed, read) => {
    expect(endOptions(FORM, typed.split(' '))).toEqual(read.split(' '))
  })
})
