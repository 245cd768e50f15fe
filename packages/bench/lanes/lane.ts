/** Types of a lane, and the names of entry modules, scenarios and separate measurements. */

/** Scenarios, measured as processor time per request. */
export type ScenarioName =
  | 'ask'
  | 'call'
  | 'call-100'
  | 'stateless-call'
  | 'stateless-initialize'
  | 'list'
  | 'initialize'
  | 'session-call'
  | 'session-list'
  | 'task'
  | 'task-get'
  | 'authorized-call'
  | 'connected-call'
  | 'token'
  | 'refresh'
  | 'register'
  | 'state-get'
  | 'state-update'

/** Measurements that are not per request. */
export type Measurement =
  | 'publish'
  | 'session-rows'
  | 'replay'
  | 'paced'
  | 'task-counts'
  | 'usage-counts'

/** Modules in the folder of a lane, each of which exports one Worker. */
export type EntryName =
  | 'one-tool'
  | 'raw-schema'
  | 'hundred-tools'
  | 'asking'
  | 'listening'
  | 'crowd'
  | 'event-stream'
  | 'session-one-tool'
  | 'session-hundred-tools'
  | 'session-progress'
  | 'task'
  | 'counted-task'
  | 'counted-session'
  | 'counted-listening'
  | 'counted-authorized'
  | 'authorized'
  | 'authorized-sessions'
  | 'connected'
  | 'external'
  | 'state-get'
  | 'state-update'

export interface Bindings {
  /** Text bindings by name. */
  readonly texts?: Readonly<Record<string, string>>
  /** Name of the text binding that holds the server's own origin. */
  readonly origin?: string
  /** Exported Durable Object classes by the name of their binding. */
  readonly objects?: Readonly<Record<string, string>>
}

export interface Lane {
  readonly name: string
  /** Folder in `lanes/`, which also identifies the lane. */
  readonly folder: string
  /** Absolute path of the entry modules. Default: `lanes/<folder>`. */
  readonly source?: string
  /** The newest 2025 revision that the library supports. */
  readonly sessionRevision: string
  readonly supports: readonly (ScenarioName | Measurement)[]
  readonly compatibilityFlags: readonly string[]
  readonly bindings?: Readonly<Partial<Record<EntryName, Bindings>>>
  /** Entries whose size and start-up time are measured, with their names in the report. */
  readonly footprints?: Readonly<Partial<Record<EntryName, string>>>
  /**
   * Folder of the lane of which this lane is another configuration. The report lists a variant only
   * in the scenarios that it supports, and omits the dash of a lane whose variant supports one.
   */
  readonly variantOf?: string
  /** Its tasks are those of 2025-11-25, in a session. */
  readonly hasExperimentalTasks?: true
  /** The server accepts every session id, also one that it has not issued. */
  readonly acceptsAnySessionId?: true
}
