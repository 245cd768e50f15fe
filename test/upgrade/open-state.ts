/** The kinds of open state: each is left by one version and resumed by another. */
import type { ExpectStatic } from 'vitest'
import type { ServedEndpoint } from './upgrade-server.ts'

export interface OpenState {
  /** What a server does that resumes it: a sentence without its subject. */
  readonly title: string
  /** Set for work that a kill must interrupt. */
  readonly needsKill?: boolean
  /** Recorded before the keys are rotated. */
  readonly isOlder?: boolean
  /**
   * Leaves the state open, and returns what its client holds.
   *
   * @param label unique among the states of a server
   */
  leave(server: ServedEndpoint, label: string): Promise<unknown>
  resume(server: ServedEndpoint, held: unknown, expect: ExpectStatic): Promise<void>
}

export type OpenStates = Readonly<Record<string, OpenState>>

/** Defines a kind whose client holds a value of one type, which is written as JSON. */
export function openState<Held>({
  resume,
  ...state
}: Omit<OpenState, 'leave' | 'resume'> & {
  leave(server: ServedEndpoint, label: string): Promise<Held>
  resume(server: ServedEndpoint, held: Held, expect: ExpectStatic): Promise<void>
}): OpenState {
  return { ...state, resume: (server, held, expect) => resume(server, held as Held, expect) }
}
