import type { RefObject } from 'preact'
import type { DecisionOption } from '../../../../src/model/decision.ts'
import { OptionText } from './option-text.tsx'

interface OptionCardsProps {
  readonly options: readonly DecisionOption[]
  readonly selected: string | undefined
  readonly defaultOption: string | null
  readonly frame: RefObject<HTMLDivElement | null>
  onChoose(key: string): void
  onSubmit(): void
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }

/** Options as cards with the keys of radio buttons; Enter on the chosen one answers. */
export function OptionCards({ options, selected, defaultOption, frame, onChoose, onSubmit }: OptionCardsProps) {
  function press(event: KeyboardEvent, at: number): void {
    const own = options[at]?.key ?? ''
    const step = STEPS[event.key]
    if (step !== undefined) onChoose(options[(at + step + options.length) % options.length]?.key ?? '')
    else if (event.key === 'Enter' && selected === own) onSubmit()
    else if (event.key === 'Enter' || event.key === ' ') onChoose(own)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div class="option-cards" role="radiogroup" aria-label="Options" ref={frame}>
      {options.map((option, at) => {
        const isChosen = selected === option.key
        return (
          // biome-ignore lint/a11y/useSemanticElements: a card that is a button, with the keys of a radio
          <button
            key={option.key}
            type="button"
            class={`option-card ${isChosen ? 'is-chosen' : ''}`}
            role="radio"
            aria-checked={isChosen}
            tabIndex={isChosen || (selected === undefined && at === 0) ? 0 : -1}
            data-key={option.key}
            onClick={() => onChoose(option.key)}
            onKeyDown={(event) => press(event, at)}
          >
            <OptionText option={option} isDefault={defaultOption === option.key} number={at + 1} />
          </button>
        )
      })}
    </div>
  )
}
