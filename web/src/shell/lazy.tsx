import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { asProblem, type Problem } from '../api/problem.ts'
import { connection } from '../live/connection.ts'
import { Loading, ProblemNote } from '../parts/bits.tsx'

type Part = ComponentType<Record<never, never>>

const loaded = new Map<string, Part>()

interface LazyProps {
  readonly name: string
  load(): Promise<Part>
}

/** A part of the page that is fetched when it is first shown, and again when a server that was away is back. */
export function Lazy({ name, load }: LazyProps) {
  const [, redraw] = useState(0)
  const [problem, setProblem] = useState<Problem | undefined>(undefined)
  const Found = loaded.get(name)
  useEffect(() => {
    if (Found) return
    let isOver = false
    let hasFailed = false

    async function fetchPart(): Promise<void> {
      const isAgain = hasFailed
      hasFailed = false
      try {
        if (isAgain) await loadLostStyles()
        loaded.set(name, await load())
        if (!isOver) redraw((count) => count + 1)
      } catch (error) {
        hasFailed = true
        if (!isOver) setProblem(asProblem(error))
      }
    }

    void fetchPart()
    const unwatch = connection.subscribe((state) => state === 'live' && hasFailed && void fetchPart())
    return () => {
      isOver = true
      unwatch()
    }
  }, [name])
  if (Found) return <Found />
  return problem ? <ProblemNote problem={problem} onRetry={() => location.reload()} /> : <Loading what={name} />
}

/** Style sheets that did not come. The build's loader asks for each once only. */
const lostStyles = new Set<HTMLLinkElement>()
addEventListener(
  'error',
  ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') lostStyles.add(target)
  },
  true,
)

async function loadLostStyles(): Promise<void> {
  const lost = [...lostStyles]
  lostStyles.clear()
  await Promise.all(lost.map(loadAgain))
}

function loadAgain(lost: HTMLLinkElement): Promise<void> {
  const link = document.createElement('link')
  link.rel = 'stylesheet'
  link.href = lost.href
  return new Promise((resolve, reject) => {
    link.addEventListener('load', () => resolve())
    link.addEventListener('error', () => reject(new Error(`${link.href} could not be loaded`)))
    lost.replaceWith(link)
  })
}
