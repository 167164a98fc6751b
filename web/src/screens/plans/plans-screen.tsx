export function PlansScreen() {
  return null
}
