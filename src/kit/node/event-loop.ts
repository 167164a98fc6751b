/**
 * As `node:timers/promises` has them, which a short command need not load for it.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}
