import { locateBus } from '../../../host/bus/bus-context.ts'
import { BUS } from '../../../host/config/bus.ts'
import { placeName } from '../../../model/bus/place.ts'
import { showField } from '../../../render/terminal.ts'
import type { Command } from '../../shell/command.ts'
import { answer } from '../../shell/print.ts'
import { formatTable } from '../../shell/table.ts'
import { ago } from '../../shell/times.ts'
import { contextOf, PLACE_OPTIONS } from './place.ts'

const MAX_LINE = 1_000

const ORIGINS = {
  named: 'you named it',
  run: 'it is that of the run that this is a part of',
  folder: 'it is the nearest from this folder upwards',
} as const

export const busDiscover: Command = {
  path: 'bus discover',
  isForAnyone: true,
  isLocal: true,
  summary: 'Tell which bus is meant here when none is named, and why.',
  options: PLACE_OPTIONS,

  async run(io, args) {
    const context = contextOf(io, args)
    const { path, exists } = locateBus(context, io.config.get(BUS).root)
    const { place, origin, runId } = context
    const lines = [
      placeName(place),
      `  file     ${path}${exists ? '' : ' (not there yet)'}`,
      ...(runId === undefined ? [] : [`  run      ${runId}`]),
      `  because  ${ORIGINS[origin]}`,
    ]
    const found = { ...place, path, exists, origin, ...(runId !== undefined && { run_id: runId }) }
    answer(io, found, lines.map((line) => showField(line, MAX_LINE)).join('\n'))
    return undefined
  },
}

export const busList: Command = {
  path: 'bus list',
  isForAnyone: true,
  summary: 'List the buses of all projects.',
  options: [{ name: 'project', value: '<id>', summary: 'only those of one project' }],

  async run(io, args) {
    const project = args.get('project')
    const postern = await io.open()
    const items = await postern.bus.list(project === undefined ? {} : { project_id: project })
    const rows = items.map(({ project_id, task_id, bytes, changedAt, lastId }) => [
      project_id,
      task_id ?? '',
      String(bytes),
      ago(changedAt, io.now()),
      lastId ?? '',
    ])
    const table = formatTable(['PROJECT', 'TASK', 'BYTES', 'CHANGED', 'LAST ENTRY'], rows, io.stdout.columns)
    answer(io, { items, next: null }, items.length === 0 ? 'There is no bus.' : table)
    return undefined
  },
}
