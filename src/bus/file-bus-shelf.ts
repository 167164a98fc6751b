import { existsSync } from 'node:fs'
import type { BusPage, BusRotation, BusStatus, BusVerification } from '../model/bus/bus.ts'
import type { BusAttachment, BusEntry, BusPlace, EntryDraft } from '../model/bus/entry.ts'
import { parsePlace, placeName } from '../model/bus/place.ts'
import type {
  AppendedEntry,
  AttachmentData,
  BusShelf,
  PreparedAttachment,
  PreparedEntry,
  ShelfQuery,
} from './bus-shelf.ts'
import { formatDraft, type Proof } from './codec/format.ts'
import type { MacKeys } from './codec/mac.ts'
import { rotateBus } from './files/archives.ts'
import { describeAttachment, prepareAttachment } from './files/attachments.ts'
import type { Author } from './files/commit.ts'
import { DiskWait } from './files/disk-wait.ts'
import { lastEntryId } from './files/end.ts'
import { listBuses } from './files/list.ts'
import { type Location, locate, type Places } from './files/places.ts'
import { Positions } from './files/positions.ts'
import { findInBus, type ReadState, readBus, readOnBus, withVolumes } from './files/reader.ts'
import { verifyVolumes } from './files/verify.ts'
import { Volumes } from './files/volumes.ts'
import { type ChangedOptions, Watches } from './files/watches.ts'
import { Writer } from './files/writer.ts'

export interface BusShelfOptions extends Places {
  /** A file that is as large is set aside before something is added to it; 0: never. */
  readonly rotateBytes?: number | undefined
  readonly lockTimeoutMs?: number
  readonly now?: () => number
  readonly pid?: number
  /** The keys by which entries of verified callers are known. Without them no entry reads as verified. */
  readonly macKeys?: MacKeys
}

export const DEFAULT_ROTATE_BYTES = 1024 ** 3
const LOCK_TIMEOUT_MS = 10_000
const MAX_LOCATIONS = 4_096
/** So many files stay open for a while after an entry, however many buses are written to. */
const MAX_LINGERING = 64

/** The files of the buses below a root. Nothing is opened before it is asked for. */
export function openBusShelf(settings: BusShelfOptions): BusShelf {
  return new FileBusShelf(settings)
}

class FileBusShelf implements BusShelf {
  readonly #settings: BusShelfOptions
  readonly #author: Author
  readonly #locations = new Map<string, Location>()
  readonly #disk = new DiskWait()
  readonly #reads: ReadState
  readonly #watches = new Watches()
  readonly #writers = new Map<string, Writer>()
  #isClosed = false

  constructor(settings: BusShelfOptions) {
    let entries = 0
    this.#settings = settings
    this.#reads = { positions: new Positions(), macKeys: settings.macKeys }
    this.#author = {
      now: settings.now ?? Date.now,
      pid: settings.pid ?? process.pid,
      count: () => ++entries,
    }
  }

  prepare(place: BusPlace, draft: EntryDraft): PreparedEntry {
    const location = this.#locate(place)
    const entry = formatDraft(draft, { proof: this.#proofOf(location, draft) })
    return { append: () => this.#writer(location).append(entry) }
  }

  append(place: BusPlace, draft: EntryDraft): Promise<AppendedEntry> {
    try {
      return this.prepare(place, draft).append()
    } catch (error) {
      return Promise.reject(error)
    }
  }

  async read(place: BusPlace, query: ShelfQuery): Promise<BusPage> {
    this.#requireOpen()
    return readBus(this.#locate(place), query, this.#reads)
  }

  async readOn(place: BusPlace, query: ShelfQuery & { readonly after: string }): Promise<BusPage> {
    this.#requireOpen()
    return readOnBus(this.#locate(place), query, this.#reads)
  }

  async find(place: BusPlace, msgId: string): Promise<BusEntry | undefined> {
    return findInBus(this.#locate(place), msgId, this.#reads)
  }

  async changed(places: readonly BusPlace[], options: ChangedOptions): Promise<void> {
    return this.#watches.changed(
      places.map((place) => this.#locate(place)),
      options,
    )
  }

  async exists(place: BusPlace): Promise<boolean> {
    return existsSync(this.#locate(place).path)
  }

  async lastId(place: BusPlace): Promise<string | undefined> {
    const volumes = new Volumes(this.#locate(place))
    try {
      return lastEntryId(volumes, place)
    } finally {
      volumes.close()
    }
  }

  list(): Promise<readonly BusStatus[]> {
    return listBuses(this.#settings)
  }

  async verify(place: BusPlace): Promise<BusVerification> {
    return withVolumes(this.#locate(place), (volumes) => verifyVolumes(volumes, parsePlace(place)))
  }

  async rotate(place: BusPlace, options: { readonly overBytes?: number }): Promise<BusRotation> {
    const location = this.#locate(place)
    await withVolumes(location, async () => {})
    return rotateBus(location, { ...options, timeoutMs: this.#lockTimeoutMs })
  }

  prepareAttachment(place: BusPlace, file: AttachmentData): PreparedAttachment {
    return prepareAttachment(this.#locate(place), { ...file, now: this.#author.now() })
  }

  async attached(place: BusPlace, path: string): Promise<BusAttachment> {
    return describeAttachment(this.#locate(place), path)
  }

  close(): void {
    this.#isClosed = true
    this.#watches.close()
    for (const writer of this.#writers.values()) writer.close()
  }

  /** A follower looks again after every wait, and must learn that there is an end. */
  #requireOpen(): void {
    if (this.#isClosed) throw new Error('this Postern is closed')
  }

  get #lockTimeoutMs(): number {
    return this.#settings.lockTimeoutMs ?? LOCK_TIMEOUT_MS
  }

  #locate(place: BusPlace): Location {
    const name = placeName(place)
    const known = this.#locations.get(name)
    // Ids with slashes in them could have the same name.
    if (known?.place.project_id === place.project_id && known.place.task_id === place.task_id) return known
    const location = locate(this.#settings, place)
    if (this.#locations.size >= MAX_LOCATIONS) this.#locations.clear()
    this.#locations.set(name, location)
    return location
  }

  /** Only the entry of a verified caller needs a MAC. One that cannot be made keeps no entry from being written. */
  #proofOf({ place }: Location, { meta }: EntryDraft): Proof | undefined {
    const key = meta?.['from_verified'] === true ? this.#settings.macKeys?.findOrMake() : undefined
    return key && { key, place }
  }

  #writer(location: Location): Writer {
    const { path } = location
    const known = this.#writers.get(path)
    if (known) return known
    const name = placeName(location.place)
    const writer: Writer = new Writer(location, {
      author: this.#author,
      disk: this.#disk,
      lockTimeoutMs: this.#lockTimeoutMs,
      rotateBytes: this.#settings.rotateBytes ?? DEFAULT_ROTATE_BYTES,
      mayLinger: () => this.#writers.size <= MAX_LINGERING,
      onWritten: (written) => {
        this.#reads.positions.rememberWritten(name, written)
        this.#watches.tell(location)
      },
      onIdle: () => this.#writers.delete(path),
    })
    this.#writers.set(path, writer)
    return writer
  }
}
