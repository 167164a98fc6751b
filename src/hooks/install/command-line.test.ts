import { describe, expect, it } from 'vitest'
import { formatCommand, formatLauncherWord, parseCommand } from './command-line.ts'

const shell = { fillsHome: 'shell' } as const
const host = { fillsHome: 'host' } as const
const nobody = { fillsHome: 'nobody' } as const

describe('the launcher as a word', () => {
  it('is the same for every user in its usual place', () => {
    expect(formatLauncherWord('/home/me/.postern', '/home/me', shell)).toBe('$HOME/.postern/bin/hook')
    expect(formatLauncherWord('/home/me/.postern', '/home/me', host)).toBe('$HOME/.postern/bin/hook')
  })

  it('is a path where nobody fills in the home, or where it lies elsewhere', () => {
    expect(formatLauncherWord('/home/me/.postern', '/home/me', nobody)).toBe('/home/me/.postern/bin/hook')
    expect(formatLauncherWord('/srv/mail', '/home/me', shell)).toBe('/srv/mail/bin/hook')
    expect(formatLauncherWord("/srv/a b'c", '/home/me', shell)).toBe("'/srv/a b'\\''c/bin/hook'")
  })

  it('is quoted where the home would fall apart', () => {
    expect(formatLauncherWord('/home/a b/.postern', '/home/a b', shell)).toBe('"$HOME/.postern/bin/hook"')
    expect(formatLauncherWord('/home/a b/.postern', '/home/a b', host)).toBe("'/home/a b/.postern/bin/hook'")
  })

  it('is quoted in a project, which others share whose homes may be called anything', () => {
    for (const form of [shell, host])
      expect(formatLauncherWord('/home/me/.postern', '/home/me', form, 'project')).toBe('"$HOME/.postern/bin/hook"')
    expect(formatLauncherWord('/srv/mail', '/home/me', shell, 'project')).toBe('/srv/mail/bin/hook')
  })
})

describe('parseCommand', () => {
  const command = { launcher: '$HOME/.postern/bin/hook', host: 'codex', agent: 'quinn', word: 'full' } as const

  it('reads what was written, in every form', () => {
    for (const [home, userHome] of [
      ['/home/me/.postern', '/home/me'],
      ['/home/a b/.postern', '/home/a b'],
      ["/srv/it's", '/home/me'],
      ['/srv/a"b', '/home/me'],
    ] as const) {
      for (const form of [shell, host, nobody]) {
        const launcher = formatLauncherWord(home, userHome, form)
        const whole = { ...command, launcher }
        expect(parseCommand(formatCommand(whole), home)).toEqual(whole)
        expect(parseCommand(formatCommand({ ...whole, word: null }), home)).toEqual({ ...whole, word: null })
      }
    }
  })

  it.each([
    '/usr/local/bin/hook codex quinn',
    '$HOME/.postern/bin/hook codex',
    '$HOME/.postern/bin/hook codex quinn later',
    '$HOME/.postern/bin/hook codex quinn; rm -rf x',
    'echo $HOME/.postern/bin/hook codex quinn',
    '$HOME/.postern/bin/hook codex all',
    '$HOME/.postern/bin/hook2 codex quinn',
    '',
    7,
    null,
  ])('knows that %j is not ours', (text) => {
    expect(parseCommand(text, '/home/me/.postern')).toBeUndefined()
  })
})
