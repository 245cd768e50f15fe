/** The connection timeline: what is recorded of one request, and where it is stored. */

import { ServiceKey } from '../../../../../src/ports/service-key.ts'

/** What a request asks for, by its path. */
export type StepKind =
  | 'endpoint'
  | 'preflight'
  | 'resource-metadata'
  | 'server-metadata'
  | 'keys'
  | 'registration'
  | 'authorization'
  | 'consent'
  | 'sign-in'
  | 'token'
  | 'revocation'
  /** A path of discovery or a usual path of an endpoint, which this server does not have. */
  | 'other-path'

/** A refusal, a leniency or a failure of one request. */
export interface StepEvent {
  readonly type: 'refusal' | 'leniency' | 'failure'
  /** A name of `docs/reference/reasons.md`. */
  readonly name: string
  /** The reason as a sentence. Text of the client in it is left out. */
  readonly message: string
}

/** What is known of a request and its answer, by name. `packages/inspector/src/timeline/details` lists every name. */
export type Details = Readonly<Record<string, string | number | boolean>>

/** One request. Has no token, code, state, argument, secret and no address. */
export interface TimelineStep {
  /** When the request arrived, in epoch milliseconds. */
  readonly at: number
  /** Time to the headers of the response. A deployed clock advances at I/O alone. */
  readonly tookMs: number
  readonly kind: StepKind
  /** The HTTP method. */
  readonly http: string
  readonly status: number
  /** Digest of the network of the client, with a key of the deployment. */
  readonly network: string
  /** The first product of `User-Agent`, without its version; `browser` for a browser. */
  readonly software: string
  /** The URL of a client id metadata document, or the digest of another client id. */
  readonly client?: string
  /** What the client calls itself. */
  readonly name?: string
  /** Digest of the session id. */
  readonly session?: string
  readonly events: readonly StepEvent[]
  readonly details: Details
}

/** Whether requests are recorded, and how networks and ids become digests. */
export interface TimelineSettings {
  /** The key of digests; undefined before anything was recorded. */
  readonly key: string | undefined
  /** Production is recorded until this time, in epoch milliseconds. */
  readonly until: number
}

/** A step as it is stored. */
export interface StoredStep {
  readonly at: number
  /** Steps of one origin (network and software) are deleted together. */
  readonly origin: string
  /** Whether the step is a successful call, of which only the first ones of an origin are stored. */
  readonly isCall: boolean
  /** JSON of a {@link TimelineStep}. */
  readonly step: string
}

export interface TimelineStore {
  /** @param create whether to create the key */
  settings(create: boolean): Promise<TimelineSettings>
  append(steps: readonly StoredStep[]): Promise<void>
  /** All steps, in the order of their times. */
  read(): Promise<readonly TimelineStep[]>
  /** Records production until this time, in epoch milliseconds. 0 ends it. */
  switchUntil(until: number): Promise<void>
}

export const TIMELINE_STORE = new ServiceKey<TimelineStore>('timeline')
