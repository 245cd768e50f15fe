/** The change log of one hub shard: numbered, bounded, readable from any version. */
import type { Change, ChangeKind } from '../../src/ports/change-kinds.ts'
import { aboutOf, changeOf } from '../stream-codec.ts'
import { Tables } from '../tables.ts'
import { createStatements, MIGRATIONS, type Statements } from './schema.ts'

/** The oldest changes above this number are deleted, however young. */
const MAX_CHANGES = 10_000

/**
 * URIs and ids of one backlog together, in UTF-16 code units. A backlog is in memory until its
 * listener has received it. Ten thousand URIs of a hundred characters fit.
 */
const MAX_BACKLOG_LENGTH = 1024 * 1024

/** A change as it is stored and sent: without the name of its subject, because only its listeners receive it. */
export interface LoggedChange {
  readonly version: number
  readonly change: Change
  /** Whether it is for the listeners of one subject. */
  readonly isOwn: boolean
  /** The audience of its server. */
  readonly server: string
}

export interface Backlog {
  /** The version after which the backlog begins: the requested one, or a later one after a gap. */
  readonly began: number
  readonly changes: readonly LoggedChange[]
}

export class ChangeLog {
  readonly #tables: Tables<Statements>

  constructor(storage: DurableObjectStorage) {
    this.#tables = new Tables(storage, MIGRATIONS, createStatements)
  }

  /** The version of the newest change, 0 before the first. It never decreases. */
  get version(): number {
    return this.#tables.existing?.lastVersion() ?? 0
  }

  /** Appends a change, deletes the oldest above the limit, and returns the new version. */
  append(change: Change, retainUntil: number, server: string): number {
    const { statements } = this.#tables
    const version = statements.insertChange({
      kind: change.kind,
      about: aboutOf(change),
      subject: change.subject ?? null,
      server,
      retain_until: retainUntil,
    })
    statements.deleteUpTo(version - MAX_CHANGES)
    return version
  }

  /**
   * Returns the changes after a version that are still stored.
   *
   * @param since undefined begins after the newest change, as does a version that does not exist yet
   */
  after(
    since: number | undefined,
    kinds: readonly ChangeKind[],
    subject: string | undefined,
  ): Backlog {
    const empty = { began: this.version, changes: [] }
    const { existing } = this.#tables
    if (existing === undefined || since === undefined || since > empty.began) return empty
    // Versions have no holes, so every version below the oldest row was deleted.
    const began = Math.max(since, (existing.oldestVersion() ?? empty.began + 1) - 1)
    const changes: LoggedChange[] = []
    let length = 0
    for (const row of existing.changesAfter(began, kinds, subject)) {
      length += row.about?.length ?? 0
      if (length > MAX_BACKLOG_LENGTH) return empty
      changes.push({
        version: row.version,
        change: changeOf(row.kind, row.about),
        isOwn: row.is_own === 1,
        server: row.server,
      })
    }
    return { began, changes }
  }

  /** Deletes expired changes. Returns when all others will have expired; undefined when there are none. */
  prune(now: number): number | undefined {
    const { existing } = this.#tables
    existing?.deleteExpired(now)
    return existing?.newestRetainUntil()
  }
}
