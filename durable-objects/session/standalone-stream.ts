/** The stream of a session that carries what its tasks send when no stream of `tasks/result` does. */
import type { StreamKind } from '../../src/ports/sessions.ts'
import type { ClientState } from './client-state.ts'
import type { StreamLogs } from './stream-logs.ts'
import type { StreamSockets } from './stream-sockets.ts'

export interface StandaloneStreamContext {
  readonly logs: StreamLogs
  readonly sockets: StreamSockets
  readonly client: ClientState
  /** Sets the alarm that deletes what is written here. */
  readonly schedule: (by: number) => void
  readonly logRetentionMs: number
}

export class StandaloneStream {
  readonly #context: StandaloneStreamContext

  constructor(context: StandaloneStreamContext) {
    this.#context = context
  }

  /** The id of the primary stream; undefined without a reader. */
  get id(): string | undefined {
    return this.#primary?.stream
  }

  /** Opens the log of the primary stream, which may have no row yet. */
  open(): void {
    const primary = this.#primary
    if (primary === undefined) return
    const { client, logs, schedule, logRetentionMs } = this.#context
    client.persist()
    logs.open(primary.stream, primary.kind)
    schedule(Date.now() + logRetentionMs)
  }

  get #primary(): { readonly stream: string; readonly kind: StreamKind } | undefined {
    const { sockets } = this.#context
    const [socket] = sockets.changeSockets
    return socket && sockets.streamOf(socket)
  }
}
