/**
 * What the owner of a timeline reads. The same shapes are JSON at `GET /inspect/timeline.json`, so members are
 * only ever added. `connections.ts` and `verdict/verdict.ts` make them. Faults and reasons are codes: their texts
 * are joined where people read them (`../timeline-texts`), and are not in the bundle of a Worker.
 */

/** What one client in one network did. */
export interface TimelineConnection {
  /** Stays the same while the first step is stored. */
  readonly id: string
  readonly client: {
    /** The name of a known client, otherwise what the client calls itself, otherwise its software. */
    readonly name: string
    /** The URL of its document, or the digest of its client id. */
    readonly id?: string
  }
  /** Digests of the networks of the client. The browser of a person may be in another one. */
  readonly networks: readonly string[]
  /** In epoch milliseconds. */
  readonly beganAt: number
  readonly lastAt: number
  readonly verdict: TimelineVerdict
  readonly steps: readonly TimelineEntry[]
}

/** A connection without its steps, as a list of connections has it. */
export interface TimelineSummary
  extends Pick<TimelineConnection, 'id' | 'client' | 'networks' | 'beganAt' | 'lastAt'> {
  readonly verdict: Pick<TimelineVerdict, 'state' | 'summary' | 'missing'>
}

/** One request of a connection. Has no token, code, state, argument, secret and no address. */
export interface TimelineEntry {
  /** When the request arrived, in epoch milliseconds. */
  readonly at: number
  /** Time to the headers of the response. A deployed clock advances at I/O alone. */
  readonly tookMs: number
  /** What the request asks for, by its path. `other-path` is a path of discovery that this server does not have. */
  readonly kind:
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
    | 'other-path'
  /** What was asked for, such as `token (authorization_code)` or `tools/list`. */
  readonly title: string
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
  readonly events: readonly TimelineEvent[]
  /** What is known of the request and its answer, by name. Names may be added and removed. */
  readonly details: Readonly<Record<string, string | number | boolean>>
}

/** A refusal, a leniency or a failure of one request. */
export interface TimelineEvent {
  readonly type: 'refusal' | 'leniency' | 'failure'
  /** A name of `docs/reference/reasons.md`. */
  readonly name: string
  /** The reason as a sentence. Text of the client in it is left out. */
  readonly message: string
}

/** What became of a connection. */
export interface TimelineVerdict {
  /**
   * `connected`: the client came to its lists. `stopped`: an expected step did not come in time. `examination`: these are
   * the requests of `edgeway doctor`, about which nothing is concluded.
   */
  readonly state: 'connected' | 'in-progress' | 'stopped' | 'examination'
  /** One sentence. */
  readonly summary: string
  /** The step that did not come, or that is waited for. */
  readonly missing?: string
  readonly findings: readonly TimelineFinding[]
  /** Where a step is missing, the known causes of it. */
  readonly checked: readonly CheckedCause[]
}

/** A fault of the catalogue that the answers of this server show. */
export interface TimelineFinding {
  /** A code of `docs/reference/faults.md`, as `edgeway doctor` reports it. */
  readonly code: string
  readonly severity: 'error' | 'warning'
  /** What the server answered, or what the client sent, as a sentence without its full stop. */
  readonly answer: string
}

/** A known cause of a missing step, and what this server's answer to it was. */
export interface CheckedCause {
  /** A code of `docs/reference/faults.md`. */
  readonly code: string
  /** `unseen`: nothing that was recorded shows it. */
  readonly result: 'passed' | 'failed' | 'unseen'
  /** As a sentence without its full stop. */
  readonly answer: string
}
