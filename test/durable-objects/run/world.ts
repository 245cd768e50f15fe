/** The world around one run: an object with storage and memory, a handler, and a client. Plain data. */
import type { decideRun } from '../../../durable-objects/run/decide-run.ts'
import type { RunLimits, RunState, StoredState } from '../../../durable-objects/run/run-state.ts'

/** Time is relative: a deadline is in the past or in the future. */
export const NOW = 1
export const LATER = 2

/** Small, so that an exploration reaches both. */
export const LIMITS: RunLimits = { rounds: 2, interruptions: 1 }

/** A handler does at most this many things before it must return. */
export const MAX_POSITION = 3

/** A journal entry; a `bad` response does not fit its ask and is asked again. */
export type Entry = 'step' | 'good' | 'bad'

interface OpenAsk {
  /** As the client knows it: the key and the round. */
  readonly id: string
  readonly key: string
}

interface Row {
  state: StoredState
  journal: Record<string, Entry>
  asks: OpenAsk[]
}

/** All fields are JSON, so that worlds can be copied and compared as text. */
export interface World {
  /** Survives a kill. */
  storage: {
    row: Row | null
    /** Texts that the client's stream delivers: `note …`, `ask …`, `withdrawn …`, `answer`. */
    log: string[]
    hasAlarm: boolean
  }
  /** Lost by a kill. */
  memory: {
    state: RunState
    /** Position of the handler that runs; null for a run without one. */
    handler: number | null
    journal: Record<string, Entry>
  } | null
  /** State of a run in memory whose handler was given up; what the handler does later must not count. */
  late: RunState | null
  client: {
    isConnected: boolean
    /** Answers that returned with the call that brought the request. */
    replies: number
    /** A cancellation was acknowledged before any answer. */
    hasCancelled: boolean
    /** Ids of the asks whose response was acknowledged. */
    responded: string[]
  }
  readonly isRepeatable: boolean
  hasStarted: boolean
  isTerminated: boolean
  /** The acknowledged responses that no handler has rejected. */
  acknowledged: Record<string, Entry>
  hadRow: boolean
  /** How often each step ran to its end and was not lost by a kill before it was recorded. */
  steps: Record<string, number>
  violations: string[]
}

export type Machine = typeof decideRun

/** How the object applies effects. Both are true in the product; a test shows why they must be. */
export interface Applier {
  readonly machine: Machine
  readonly isAtomic: boolean
}

export function createWorld(isRepeatable: boolean): World {
  return {
    storage: { row: null, log: [], hasAlarm: false },
    memory: null,
    late: null,
    client: { isConnected: true, replies: 0, hasCancelled: false, responded: [] },
    isRepeatable,
    hasStarted: false,
    isTerminated: false,
    acknowledged: {},
    hadRow: false,
    steps: {},
    violations: [],
  }
}

export function copyWorld(world: World): World {
  const { storage, memory, client, acknowledged, steps, violations } = world
  const { row, log } = storage
  return {
    ...world,
    storage: {
      ...storage,
      row: row && { ...row, journal: { ...row.journal }, asks: [...row.asks] },
      log: [...log],
    },
    memory: memory && { ...memory, journal: { ...memory.journal } },
    client: { ...client, responded: [...client.responded] },
    acknowledged: { ...acknowledged },
    steps: { ...steps },
    violations: [...violations],
  }
}

export const EVENTS = [
  'start',
  'persist',
  'notify',
  'step',
  'ask',
  'ask twice',
  'settle',
  'answer right',
  'answer wrong',
  'answer again',
  'caller renewed',
  'caller revoked',
  'caller unreachable',
  'cancel',
  'kill',
  'alarm',
  'resume',
  'time out',
  'late handler',
  'terminate',
  'slow reader',
] as const

export type WorldEvent = (typeof EVENTS)[number]

export function countAnswers({ storage, client }: World): number {
  return storage.log.filter((text) => text === 'answer').length + client.replies
}
