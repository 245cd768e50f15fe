/** A row of the table of planted faults: how a fault is planted. */
import { CLIENT_NAMES, type ClientName, MODERN } from '../../../client/src/names.ts'
import type { FaultCode } from '../../src/faults.ts'
import type { Defect } from './plant.ts'
import type { SenderDefects } from './sender.ts'

/** One way to plant a fault. */
export interface Way {
  readonly plant?: Defect
  /** How the sender of events is wrong. */
  readonly sender?: SenderDefects
  /** The clients that meet the fault, where they are not all that the catalogue names. */
  readonly met?: readonly ClientName[]
  /** How long the doctor waits for a response, where the defect is that none comes. */
  readonly timeoutMs?: number
  /** What the message says, where the fault alone does not say it. */
  readonly says?: RegExp
  /** Why the timeline does not name it, though it names the fault when it is planted in another way. */
  readonly notInTimeline?: string
}

/** By what completes "is named when". */
export type Ways = Readonly<Record<string, Defect | Way>>

export type Rows = Readonly<Partial<Record<FaultCode, Ways>>>

/** The clients that talk to the clean server with a session. */
export const WITH_SESSION = CLIENT_NAMES.filter((name) => !MODERN.includes(name))
export const WITH_MODERN = MODERN
