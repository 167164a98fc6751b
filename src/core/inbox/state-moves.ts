import { DELIVERY_MOVES, type DeliveryState } from '../../model/delivery.ts'

/**
 * Returns the states unchanged, or throws: whoever asks for a move that the table does not have is mistaken. To ack
 * what was only offered is two moves at once, seen and acted.
 */
export function mayMove(from: readonly DeliveryState[], to: DeliveryState): readonly DeliveryState[] {
  const wrong = from.find((state) => !leads(state, to) && !(state === 'offered' && to === 'acted'))
  if (wrong === undefined) return from
  throw new RangeError(`a delivery never moves from ${wrong} to ${to}`)
}

function leads(from: DeliveryState, to: DeliveryState): boolean {
  return (DELIVERY_MOVES[from] as readonly DeliveryState[]).includes(to)
}
