/** `GET /inspect/state.json`: what the server stores of a subject, from the indexes per subject. */

import { hashKey } from '../../../../src/platform/fnv.ts'
import type { SessionPosition } from '../../../../src/ports/keyring-control.ts'
import {
  type IndexedTask,
  type PersonSources,
  readGrants,
  readSessions,
  readTasks,
} from '../admin/control/person-index.ts'
import type { AdminGrant } from '../admin/control/views.ts'

/** Tasks that are shown. */
const MAX_TASKS = 50

/** A subject is no longer, in UTF-16 code units. */
export const MAX_SUBJECT_LENGTH = 512

/** A session by the key that the traffic has for it. Times are epoch milliseconds. */
export interface InspectedSession {
  readonly session: string
  readonly usedAt: number
  readonly expiresAt: number
}

/** A task by the key that the traffic has for it. Times are epoch milliseconds. */
export interface InspectedTask {
  readonly task: string
  readonly status: string
  readonly statusMessage: string | null
  readonly createdAt: number
  readonly lastUpdatedAt: number
  readonly expiresAt: number
}

export type InspectedGrant = Omit<AdminGrant, 'grantId'>

/** A part is null where the server has no index of it. */
export interface InspectedState {
  /** Null for all callers without a subject. */
  readonly subject: string | null
  readonly sessions: readonly InspectedSession[] | null
  readonly tasks: readonly InspectedTask[] | null
  readonly grants: readonly InspectedGrant[] | null
  /** Open streams that receive changes; of all callers where `subject` is null. */
  readonly listeners: { readonly open: number } | null
}

export async function describeState(
  sources: PersonSources,
  subject: string | undefined,
): Promise<InspectedState> {
  const of = <T>(read: (subject: string) => Promise<T>) =>
    subject === undefined ? null : known(() => read(subject))
  const [sessions, tasks, grants, listeners] = await Promise.all([
    of(async (person) => {
      // Without grants, the principals of a person are not known.
      if (sources.access === undefined) return null
      return (await readSessions(sources, person))?.map(inspectSession) ?? null
    }),
    of(async (person) => (await readTasks(sources, person, MAX_TASKS))?.map(inspectTask) ?? null),
    of(async (person) => {
      const found = await readGrants(sources, person)
      return found?.map(({ grantId: _, ...grant }) => grant) ?? null
    }),
    known(async () => {
      const open = await sources.services.changes()?.countListeners(subject)
      return open === undefined ? null : { open }
    }),
  ])
  return { subject: subject ?? null, sessions, tasks, grants, listeners }
}

/** Null where a binding is missing, or what the part belongs to is not served here. */
async function known<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read()
  } catch {
    // The other parts are shown all the same.
    return null
  }
}

const inspectSession = ({ name, usedAt, expiresAt }: SessionPosition): InspectedSession => ({
  session: hashKey(name),
  usedAt,
  expiresAt,
})

const inspectTask = ({ name, task }: IndexedTask): InspectedTask => ({
  task: hashKey(name),
  status: task.status,
  statusMessage: task.statusMessage ?? null,
  createdAt: task.createdAt,
  lastUpdatedAt: task.lastUpdatedAt,
  expiresAt: task.createdAt + task.ttlMs,
})
