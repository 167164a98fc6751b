import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Message } from '../../../src/model/message.ts'
import { postern } from '../api/postern.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { Time } from '../parts/time.tsx'
import { navigate } from '../router/router.ts'
import { closeLayer } from '../shell/layers.ts'
import { directory, nameOf, spaces } from '../state/directory.ts'
import { findCommands, messageFinding } from './findings.ts'

const PAUSE_MS = 150
const LIMIT = 20

/** One field for everything: screens, agents, spaces, commands, and the words of all messages. */
export function Palette() {
  const query = useSignal('')
  const found = useSignal<readonly Message[]>([])
  const chosen = useSignal(0)
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    spaces.start()
  }, [])
  useEffect(() => {
    const text = query.value.trim()
    if (text.length < 2) {
      found.value = []
      return
    }
    let isOver = false
    const timer = setTimeout(async () => {
      const messages = await postern.inbox.search({ query: asPrefix(text), limit: LIMIT }).catch(() => [])
      if (!isOver) found.value = messages
    }, PAUSE_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [query.value])

  const commands = useMemo(
    () => findCommands(query.value, { agents: directory.value.value ?? [], spaces: spaces.value.value ?? [] }),
    [query.value, directory.value.value, spaces.value.value],
  )
  const findings = [...commands, ...found.value.map(messageFinding)]
  const at = Math.min(chosen.value, Math.max(0, findings.length - 1))

  function open(index: number): void {
    const finding = findings[index]
    if (!finding) return
    closeLayer()
    if (finding.path !== undefined) navigate(finding.path)
    finding.run?.()
  }

  function press(event: KeyboardEvent): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (event.key === 'Enter') open(at)
    else if (step !== 0) chosen.value = (at + step + findings.length) % Math.max(1, findings.length)
    else return
    event.preventDefault()
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }

  return (
    <Dialog title="Search and go" onClose={closeLayer} kind="palette">
      <div class="palette">
        <div class="palette-field">
          <Icon name="search" />
          <input
            type="text"
            role="combobox"
            aria-label="Search messages, or go somewhere"
            aria-expanded="true"
            aria-controls="findings"
            aria-activedescendant={findings[at] ? `finding-${at}` : undefined}
            placeholder="Search messages, or go somewhere"
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => {
              query.value = event.currentTarget.value
              chosen.value = 0
            }}
            onKeyDown={press}
          />
        </div>
        <div class="palette-list" id="findings" role="listbox" aria-label="Findings" ref={list}>
          {findings.map((finding, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys are heard by the field
            <div
              key={finding.id}
              id={`finding-${index}`}
              class="finding"
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              onClick={() => open(index)}
            >
              <Icon name={finding.icon} />
              <span class="finding-title">{finding.title}</span>
              <span class="finding-note">
                {finding.message ? (
                  <>
                    {nameOf(finding.message.from.id)} · <Time at={finding.message.createdAt} isShort />
                  </>
                ) : (
                  finding.note
                )}
              </span>
            </div>
          ))}
          {findings.length === 0 && (
            <p class="palette-none">Nothing found. "Words in quotes" and beginnings* work too.</p>
          )}
        </div>
      </div>
    </Dialog>
  )
}

/** What is still being typed is a beginning. */
function asPrefix(text: string): string {
  return /[\p{L}\p{N}]$/u.test(text) ? `${text}*` : text
}
