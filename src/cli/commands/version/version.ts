import { VERSION } from '../../../model/version.ts'
import type { Command } from '../../shell/command.ts'
import { answer } from '../../shell/print.ts'

export const version: Command = {
  path: 'version',
  summary: 'Say which Postern this is.',

  async run(io) {
    const { versions, platform, arch } = process
    answer(io, { version: VERSION, node: versions.node, platform, arch }, `postern ${VERSION} (Node ${versions.node})`)
    return undefined
  },
}
