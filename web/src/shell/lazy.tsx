import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { asProblem, type Problem } from '../api/problem.ts'
import { Loading, ProblemNote } from '../parts/bits.tsx'

type Part = ComponentType<Record<never, never>>

const loaded = new Map<string, Part>()

interface LazyProps {
  readonly name: string
  load(): Promise<Part>
}

/** A part of the page that is fetched when it is first shown. */
export function Lazy({ name, load }: LazyProps) {
  const [, redraw] = useState(0)
  const [problem, setProblem] = useState<Problem | undefined>(undefined)
  const Found = loaded.get(name)
  useEffect(() => {
    if (Found) return
    let isOver = false
    load().then(
      (part) => {
        loaded.set(name, part)
        if (!isOver) redraw((count) => count + 1)
      },
      (error: unknown) => !isOver && setProblem(asProblem(error)),
    )
    return () => {
      isOver = true
    }
  }, [name])
  if (Found) return <Found />
  return problem ? <ProblemNote problem={problem} onRetry={() => location.reload()} /> : <Loading what={name} />
}
