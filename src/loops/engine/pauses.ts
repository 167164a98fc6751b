import { sleep } from '../../kit/clock/sleep.ts'

/** The pauses of a loop, which anybody may cut short. They keep no process alive. */
export interface Pauses {
  readonly isOver: boolean
  pause(ms: number): Promise<void>
  /** Ends the present pause, or leaves out the next one. */
  wake(): void
  /** There are no pauses any more, and the loop should end. */
  end(): void
}

export function createPauses(): Pauses {
  let isOver = false
  let isWoken = false
  let cut: (() => void) | undefined

  function wake(): void {
    isWoken = true
    cut?.()
  }

  return {
    get isOver() {
      return isOver
    },
    async pause(ms) {
      if (!isWoken && !isOver) {
        await sleep(ms, {
          isBackground: true,
          subscribe(wake) {
            cut = wake
            return () => {
              cut = undefined
            }
          },
        })
      }
      isWoken = false
    },
    wake,
    end() {
      isOver = true
      wake()
    },
  }
}
