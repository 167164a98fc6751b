export function BusScreen() {
  return null
}
