import type { DecisionOption } from '../../../../src/model/decision.ts'
import { Chip } from '../../parts/bits.tsx'

interface OptionTextProps {
  readonly option: DecisionOption
  readonly isDefault: boolean
  readonly number?: number
}

export function OptionText({ option: { label, description }, isDefault, number }: OptionTextProps) {
  return (
    <>
      <span class="option-head">
        {number !== undefined && number <= 9 && <kbd class="key">{number}</kbd>}
        <span class="option-label">{label}</span>
        {isDefault && <Chip>default</Chip>}
      </span>
      {description && <span class="option-more">{description}</span>}
    </>
  )
}
