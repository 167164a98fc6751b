import { delimiter } from 'node:path'
import { type NatsServer, type NatsServerOptions, startNatsServer } from '../../loops/nats-server/nats-server.ts'

/** Package managers install the program here. A user's PATH often lacks the folders of services. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin']

/** Starts the NATS server of a home, with the program that this machine has. */
export function openNatsServer(options: Omit<NatsServerOptions, 'folders'>): Promise<NatsServer> {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return startNatsServer({ ...options, folders: [...new Set([...path, ...SYSTEM_FOLDERS])] })
}
