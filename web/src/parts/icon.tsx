/** Drawings on a grid of 16, one stroke wide. */
const PATHS = {
  inbox: 'M2 9.5 4 3h8l2 6.5V13H2zM2 9.5h3.5l1 2h3l1-2H14',
  decision: 'M8 14V8M8 8 3 3M8 8l5-5M3 6V3h3M13 6V3h-3',
  gate: 'M3 14V7a5 5 0 0 1 10 0v7M1.5 14h13M8 14V6M5.5 14V8M10.5 14V8',
  space: 'M2 3h12v8H7l-3 3v-3H2z',
  bus: 'M3 3h10M3 8h10M3 13h6',
  plan: 'M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2v3M10.5 2v3',
  agent: 'M4 6h8v6.5H4zM8 6V3M6.5 9v1M9.5 9v1M2 8.5v2M14 8.5v2',
  trace: 'M3 3v10M3 4h4M3 8h7M3 12h10',
  ledger: 'M6 4.5 4.5 6a2.5 2.5 0 0 0 3.5 3.5L9.5 8M10 11.5 11.5 10A2.5 2.5 0 0 0 8 6.5L6.5 8',
  service: 'M9 2 4 9h4l-1 5 5-7H8z',
  metrics: 'M2 13h12M4 13V9M7 13V5M10 13V8M13 13V3',
  doctor: 'M2 8h3l2-5 2.5 10L11.5 8H14',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3 14 14',
  plus: 'M8 3v10M3 8h10',
  check: 'M3 8.5 6.5 12 13 4.5',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 5v3l2 1.5',
  reply: 'M6 4 2.5 7.5 6 11M2.5 7.5H10a3.5 3.5 0 0 1 3.5 3.5v1',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  close: 'M4 4l8 8M12 4l-8 8',
  back: 'M9.5 3 4.5 8l5 5',
  right: 'M6 3l5 5-5 5',
  down: 'M3 6l5 5 5-5',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7',
  moon: 'M13 9.5A5.5 5.5 0 1 1 6.5 3a4.5 4.5 0 0 0 6.5 6.5z',
  keyboard: 'M1.5 4.5h13v7h-13zM4 7h.01M6.5 7h.01M9 7h.01M11.5 7h.01M5 9.5h6',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  play: 'M5 3l8 5-8 5z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  link: 'M9 3h4v4M13 3 7.5 8.5M11 9.5V13H3V5h3.5',
  attach: 'M12.5 7.5 8 12a3 3 0 0 1-4.2-4.2L8.5 3a2 2 0 0 1 2.8 2.8L7 10.2',
  warning: 'M8 2.5 14.5 13.5h-13zM8 6.5v3M8 11.5v.01',
  seal: 'M8 1.8 12.9 4v4.2c0 2.8-2 4.7-4.9 6-2.9-1.3-4.9-3.2-4.9-6V4zM5.8 8l1.6 1.6L10.4 6.5',
  download: 'M8 2.5v8M4.5 7.5 8 11l3.5-3.5M3 13.5h10',
  leave: 'M9.5 3H3v10h6.5M7 8h7M11.5 5.5 14 8l-2.5 2.5',
  people:
    'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M10.5 2.8a2.4 2.4 0 0 1 0 4.4M12 9.8c1.6.6 2.5 1.9 2.5 3.7',
  rotate: 'M13 8a5 5 0 1 1-1.5-3.5L13.5 6M13.5 2.5V6H10',
} as const

export type IconName = keyof typeof PATHS

interface IconProps {
  readonly name: IconName
  /** Read out where the drawing stands alone; it is mere ornament without. */
  readonly label?: string
  readonly size?: number
}

export function Icon({ name, label, size = 16 }: IconProps) {
  return (
    <svg
      class="icon"
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      stroke-width="1.4"
      stroke-linecap="round"
      stroke-linejoin="round"
      role={label ? 'img' : 'presentation'}
      aria-label={label}
      aria-hidden={label ? undefined : true}
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
