/** What a lane is, and the names of its entry modules and of what is measured. */
import type { Bindings } from '../measure/workerd.ts'

export type WorkName =
  | 'ask'
  | 'call'
  | 'call-100'
  | 'stateless-call'
  | 'stateless-initialize'
  | 'list'
  | 'initialize'
  | 'session-call'
  | 'session-list'
  | 'authorized-call'
  | 'token'
  | 'refresh'
  | 'register'

export type Definition =
  | 'one-tool'
  | 'hundred-tools'
  | 'asking'
  | 'listening'
  | 'session-one-tool'
  | 'session-hundred-tools'
  | 'session-progress'
  | 'authorized'

/** What is measured in another way than a work: not per request. */
export type Event = 'publish' | 'session-rows' | 'replay'

export interface Lane {
  readonly name: string
  readonly folder: string
  /** The newest of the 2025 revisions that it speaks. */
  readonly sessionRevision: string
  readonly works: readonly (WorkName | Event)[]
  readonly compatibilityFlags: readonly string[]
  /** What its Workers need beside their code. */
  readonly bindings?: Readonly<Partial<Record<Definition, Bindings>>>
  /**
   * Another setting of the lane of this folder: it shows only in the works that it is for, and
   * stands there for a lane that does not speak them.
   */
  readonly variantOf?: string
  /** Serves requests with whatever session id, where its peers serve those that they have given. */
  readonly takesAnySessionId?: true
}
