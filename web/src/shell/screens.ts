import type { ComponentType } from 'preact'
import type { ScreenName } from '../router/route.ts'

type Screen = ComponentType<Record<never, never>>

/** Where each screen is fetched from when it is first shown. */
export const SCREEN_LOADERS: Readonly<Record<ScreenName, () => Promise<Screen>>> = {
  inbox: async () => (await import('../screens/inbox/inbox-screen.tsx')).InboxScreen,
  decisions: async () => (await import('../screens/decisions/decisions-screen.tsx')).DecisionsScreen,
  gates: async () => (await import('../screens/gates/gates-screen.tsx')).GatesScreen,
  spaces: async () => (await import('../screens/spaces/spaces-screen.tsx')).SpacesScreen,
  bus: async () => (await import('../screens/bus/bus-screen.tsx')).BusScreen,
  plans: async () => (await import('../screens/plans/plans-screen.tsx')).PlansScreen,
  agents: async () => (await import('../screens/agents/agents-screen.tsx')).AgentsScreen,
  trace: async () => (await import('../screens/trace/trace-screen.tsx')).TraceScreen,
  ledger: async () => (await import('../screens/ledger/ledger-screen.tsx')).LedgerScreen,
  services: async () => (await import('../screens/services/services-screen.tsx')).ServicesScreen,
  metrics: async () => (await import('../screens/metrics/metrics-screen.tsx')).MetricsScreen,
  doctor: async () => (await import('../screens/doctor/doctor-screen.tsx')).DoctorScreen,
}
