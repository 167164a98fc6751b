import { writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { hold, type Outcome } from './harness.ts'
import { Lab, type Subject } from './lab.ts'
import { peerVersions } from './peers.ts'
import { formatOutcomes } from './table.ts'

const SUBJECTS: Readonly<Record<string, () => Promise<Subject>>> = {
  push: async () => (await import('./push.ts')).push,
  drain: async () => (await import('./drain.ts')).drain,
  writers: async () => (await import('./writers.ts')).writers,
  wake: async () => (await import('./wake.ts')).wake,
  'fan-out': async () => (await import('./fan-out.ts')).fanOut,
  growth: async () => (await import('./growth.ts')).growth,
  postgres: async () => (await import('./postgres.ts')).postgres,
  start: async () => (await import('./start.ts')).start,
  hooks: async () => (await import('./hooks.ts')).hooks,
  server: async () => (await import('./server.ts')).server,
  'hostile-mail': async () => (await import('./hostile-mail.ts')).hostileMail,
  wires: async () => (await import('./wires.ts')).wires,
  bus: async () => (await import('./bus.ts')).bus,
  ledger: async () => (await import('./ledger.ts')).ledger,
  install: async () => (await import('./install.ts')).install,
}

/** Above it other work has so much of a small machine that even ratios suffer. */
const CALM_LOAD = 1.5

const USAGE = `npm run bench -- [${Object.keys(SUBJECTS).join('|')} …] [--quick] [--full] [--repeats 3] [--json file]

  --quick    one repeat and shorter blocks
  --full     growth at five million messages, and ten thousand wakes
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    repeats: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

const unknown = positionals.filter((name) => !(name in SUBJECTS))
if (values.help || unknown.length > 0) {
  console.error(USAGE)
  process.exit(values.help ? 0 : 64)
}
await main(positionals.length > 0 ? positionals : Object.keys(SUBJECTS))

async function main(names: readonly string[]): Promise<void> {
  const { quick, full, json } = values
  const repeats = Number(values.repeats ?? (quick ? 1 : 3))
  const lab = new Lab({ quick, full })
  const outcomes: Outcome[] = []
  const [load = 0] = loadavg()
  if (load > CALM_LOAD)
    console.error(`\n*** the machine is busy (load ${load.toFixed(1)}): repeat this when it is calm ***\n`)
  try {
    for (const name of names) {
      const subject = await SUBJECTS[name]!()
      for (const contest of await subject(lab)) {
        console.error(`${name}: ${contest.title} …`)
        outcomes.push(await hold(contest, repeats))
      }
    }
  } finally {
    await lab.close()
  }
  console.log(`\n${formatOutcomes(outcomes)}\n`)
  console.log(summaryOf(outcomes, repeats))
  if (json !== undefined)
    writeFileSync(json, `${JSON.stringify({ at: new Date().toISOString(), repeats, outcomes }, null, 2)}\n`)
}

function summaryOf(outcomes: readonly Outcome[], repeats: number): string {
  const verdicts = outcomes.flatMap((outcome) => outcome.verdicts)
  const count = (wanted: boolean | undefined) => verdicts.filter(({ isMet }) => isMet === wanted).length
  const load = loadavg()
    .map((value) => value.toFixed(1))
    .join(' ')
  return `${count(true)} met, ${count(false)} not met, ${count(undefined)} missing · median of ${repeats} repeats · Node ${process.versions.node}, ${cpus().length} cores, load ${load} · ${peerVersions()}`
}
