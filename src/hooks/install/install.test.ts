import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { applyChange, findSettings, planInstall, planUninstall } from './install.ts'
import { CLAUDE_CODE } from './targets.ts'

const THEIRS = '{"model": "x", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./mine.sh"}]}]}}'

/** A user's home with settings in it, if there are any. */
function makeUser(text: string | null) {
  const userHome = mkdtempSync(join(realpathSync(tmpdir()), 'postern-test-'))
  onTestFinished(() => rmSync(userHome, { recursive: true, force: true }))
  const home = join(userHome, '.postern')
  const path = join(userHome, '.claude', 'settings.json')
  if (text !== null) {
    mkdirSync(join(userHome, '.claude'))
    writeFileSync(path, text)
  }
  const find = () => findSettings(CLAUDE_CODE, 'user', { userHome, project: userHome, moved: undefined })
  const wanted = { target: CLAUDE_CODE, launcher: '$HOME/.postern/bin/hook', agent: 'quinn', home }
  const unwanted = { target: CLAUDE_CODE, home, agent: undefined }
  return {
    home,
    path,
    read: () => readFileSync(path, 'utf8'),
    planInstall: () => planInstall(find(), 'user', wanted),
    install: () => applyChange(planInstall(find(), 'user', wanted)!, home),
    uninstall: () => applyChange(planUninstall(find(), 'user', unwanted)!, home),
  }
}

describe('applying a change', () => {
  it('is refused where somebody has changed the file meanwhile', async () => {
    const user = makeUser(THEIRS)
    const change = user.planInstall()!
    writeFileSync(user.path, `${THEIRS}\n`)
    await expect(applyChange(change, user.home)).rejects.toThrow(/it was changed while this ran/)
    expect(user.read()).toBe(`${THEIRS}\n`)
    rmSync(user.path)
    await expect(applyChange(change, user.home)).rejects.toThrow(/it was changed while this ran/)
  })

  it('leaves no partial files and no backup behind', async () => {
    const user = makeUser(THEIRS)
    expect(await user.install()).toEqual({ backup: `${user.path}.postern-backup` })
    expect(await user.uninstall()).toEqual({ backup: null })
    expect(readdirSync(join(user.path, '..'))).toEqual(['settings.json'])
    expect(user.read()).toBe(THEIRS)
  })

  it('overwrites no file that has the name of a backup', async () => {
    const user = makeUser(THEIRS)
    writeFileSync(`${user.path}.postern-backup`, 'precious')
    expect(await user.install()).toEqual({ backup: `${user.path}.postern-backup-1` })
    await user.uninstall()
    expect(readFileSync(`${user.path}.postern-backup`, 'utf8')).toBe('precious')
  })

  it('works without its memory', async () => {
    const user = makeUser(THEIRS)
    await user.install()
    writeFileSync(join(user.home, 'installed.json'), 'not JSON')
    await user.uninstall()
    expect(JSON.parse(user.read())).toEqual(JSON.parse(THEIRS))
  })

  it('believes no memory of a file that was put back by hand', async () => {
    const user = makeUser(null)
    await user.install()
    writeFileSync(user.path, '')
    expect(await user.install()).toEqual({ backup: `${user.path}.postern-backup` })
    await user.uninstall()
    expect(user.read()).toBe('')
  })
})
