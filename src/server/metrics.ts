/** What Prometheus asks for: few numbers, whose labels take few values. */
export interface Metrics {
  /** Counts a request that was answered. */
  answered(request: Answered): void
  /** Counts messages, posts and events of services that requests have stored. */
  pushed(count: number): void
  /** Clients of the event stream that came, or went. */
  streams(change: 1 | -1): void
  /** How many there are at this moment. */
  readonly openStreams: number
  format(now: Present): string
}

export interface Answered {
  /** The operation or page. */
  readonly name: string
  readonly status: number
  /** How long it took; absent for one that waited for something. */
  readonly seconds?: number
}

/** What is not counted but looked at. */
export interface Present {
  readonly deliveries: Readonly<Record<string, number>>
  readonly connections: number
  readonly startedAt: number
  readonly residentBytes: number
  readonly heapBytes: number
  /** The engine that rings other machines, where there is one. */
  readonly wire?: PresentWire | undefined
}

export interface PresentWire {
  readonly name: string
  readonly isUp: boolean
  readonly isLeading: boolean
  readonly carried: number
  readonly behind: number
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function createMetrics(): Metrics {
  const requests = new Map<string, number>()
  const histogram = { counts: BUCKETS.map(() => 0), sum: 0, count: 0 }
  let pushes = 0
  let streams = 0

  function observe(seconds: number): void {
    histogram.sum += seconds
    histogram.count++
    // From the largest down, until one does not hold it.
    for (let at = BUCKETS.length - 1; seconds <= (BUCKETS[at] ?? -1); at--) {
      histogram.counts[at] = (histogram.counts[at] ?? 0) + 1
    }
  }

  return {
    answered({ name, status, seconds }) {
      const labels = `operation="${name}",status="${Math.floor(status / 100)}xx"`
      requests.set(labels, (requests.get(labels) ?? 0) + 1)
      if (seconds !== undefined) observe(seconds)
    },
    pushed(count) {
      pushes += count
    },
    streams(change) {
      streams += change
    },
    get openStreams() {
      return streams
    },
    format({ deliveries, connections, startedAt, residentBytes, heapBytes, wire }) {
      const buckets = BUCKETS.map((bound, at) => [`le="${bound}"`, histogram.counts[at] ?? 0] as const)
      return [
        family('postern_http_requests_total', 'counter', 'Requests that were answered.', [...requests]),
        family('postern_http_request_duration_seconds', 'histogram', 'How long they took, waiting ones left out.', [
          ...buckets.map(([labels, count]) => [labels, count, '_bucket'] as const),
          ['le="+Inf"', histogram.count, '_bucket'],
          ['', histogram.sum, '_sum'],
          ['', histogram.count, '_count'],
        ]),
        family(
          'postern_messages_pushed_total',
          'counter',
          'Messages, posts and events of services that requests have stored.',
          [['', pushes]],
        ),
        family(
          'postern_deliveries',
          'gauge',
          'Deliveries in the store, by state.',
          Object.entries(deliveries).map(([state, count]) => [`state="${state}"`, count]),
        ),
        family('postern_event_streams', 'gauge', 'Clients of the event stream.', [['', streams]]),
        family('postern_http_connections', 'gauge', 'Open connections.', [['', connections]]),
        ...(wire ? wireFamilies(wire) : []),
        family('process_start_time_seconds', 'gauge', 'When the process started.', [['', startedAt / 1_000]]),
        family('process_resident_memory_bytes', 'gauge', 'Memory of the process.', [['', residentBytes]]),
        family('nodejs_heap_size_used_bytes', 'gauge', 'Memory of its heap in use.', [['', heapBytes]]),
      ].join('')
    },
  }
}

function wireFamilies({ name, isUp, isLeading, carried, behind }: PresentWire): string[] {
  const label = `wire="${name}"`
  return [
    family('postern_wire_up', 'gauge', 'Whether the engine that rings other machines can be used.', [[label, +isUp]]),
    family('postern_relay_leads', 'gauge', 'Whether this server carries for all of them.', [[label, +isLeading]]),
    family('postern_relay_carried_total', 'counter', 'Copies that the engine has taken.', [[label, carried]]),
    family('postern_relay_lag_events', 'gauge', 'Events that have to be carried yet, up to 10,000.', [[label, behind]]),
  ]
}

type Sample = readonly [labels: string, value: number, suffix?: string]

function family(name: string, type: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(
    ([labels, value, suffix = '']) => `${name}${suffix}${labels === '' ? '' : `{${labels}}`} ${value}`,
  )
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n')
}
