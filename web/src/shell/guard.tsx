import type { ComponentChildren } from 'preact'
import { useErrorBoundary } from 'preact/hooks'
import { asProblem } from '../api/problem.ts'
import { ProblemNote } from '../parts/bits.tsx'

/** A screen that fails takes nothing else down: the others can still be gone to. */
export function Guard({ children }: { readonly children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary()
  if (error !== undefined) return <ProblemNote problem={asProblem(error)} onRetry={reset} />
  return children
}
