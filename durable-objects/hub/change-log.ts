/** The changes one shard remembers: numbered, bounded, and found again from any of them. */
import type { Change, ChangeKind } from '../../src/ports/change-bus.ts'
import { isMigrated, migrate } from '../migrations.ts'
import { type ChangeRow, createStatements, MIGRATIONS, type Statements } from './schema.ts'

/** Changes that are kept, however young. */
const MAX_CHANGES = 10_000

/**
 * URIs and ids of one backlog together, in UTF-16 code units: it waits in memory until its listener
 * has taken it. Ten thousand addresses of a hundred characters still fit.
 */
const MAX_BACKLOG_LENGTH = 1024 * 1024

/** A change as its listeners hear of it. Whoever hears is who it is for: it has no subject. */
export interface LoggedChange {
  readonly version: number
  readonly change: Change
}

export interface Backlog {
  /** The version this begins after: the one asked for, or a later one where that cannot be. */
  readonly began: number
  readonly changes: readonly LoggedChange[]
}

/** Nothing is written before the first change, and reading never writes. */
export class ChangeLog {
  readonly #storage: DurableObjectStorage
  #opened: Statements | undefined

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  /** The version of the newest change, 0 before the first. It never goes back. */
  get version(): number {
    return this.#existing()?.lastVersion() ?? 0
  }

  /** Adds a change, forgets the oldest where there are too many, and returns its version. */
  append(change: Change, keptUntil: number): number {
    const statements = this.#existing() ?? this.#open()
    const version = statements.insert({
      kind: change.kind,
      about: aboutOf(change),
      subject: change.subject ?? null,
      kept_until: keptUntil,
    })
    statements.deleteUpTo(version - MAX_CHANGES)
    return version
  }

  /**
   * What was published after a version, as far as it is kept.
   *
   * @param since undefined, as a version that was never given out, begins now
   */
  after(
    since: number | undefined,
    kinds: readonly ChangeKind[],
    subject: string | undefined,
  ): Backlog {
    const now = { began: this.version, changes: [] }
    const statements = this.#existing()
    if (statements === undefined || since === undefined || since > now.began) return now
    // Versions have no gaps, so what is missing before the oldest was forgotten.
    const began = Math.max(since, (statements.oldestVersion() ?? now.began + 1) - 1)
    const changes: LoggedChange[] = []
    let length = 0
    for (const row of statements.after(began, kinds, subject)) {
      length += row.about?.length ?? 0
      if (length > MAX_BACKLOG_LENGTH) return now
      changes.push({ version: row.version, change: changeOf(row) })
    }
    return { began, changes }
  }

  /** Forgets what has expired, and returns when the rest will have; undefined for no rest. */
  prune(now: number): number | undefined {
    const statements = this.#existing()
    statements?.deleteExpired(now)
    return statements?.newestKeptUntil()
  }

  #existing(): Statements | undefined {
    if (this.#opened === undefined && isMigrated(this.#storage.sql)) return this.#open()
    return this.#opened
  }

  #open(): Statements {
    migrate(this.#storage, MIGRATIONS)
    this.#opened = createStatements(this.#storage.sql)
    return this.#opened
  }
}

function aboutOf(change: Change): string | null {
  switch (change.kind) {
    case 'resource_updated':
      return change.uri
    case 'elicitation_complete':
      return change.elicitationId
    default:
      return null
  }
}

function changeOf({ kind, about }: Pick<ChangeRow, 'kind' | 'about'>): Change {
  switch (kind) {
    case 'resource_updated':
      return { kind, uri: about ?? '' }
    case 'elicitation_complete':
      return { kind, elicitationId: about ?? '' }
    default:
      return { kind }
  }
}
