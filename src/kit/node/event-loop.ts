/** As `setImmediate` of `node:timers/promises`, which a short command need not load. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
