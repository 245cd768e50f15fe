/** The stream of a session that carries what its tasks send when no stream of `tasks/result` does. */
import type { StreamKind } from '../../../src/ports/sessions.ts'
import type { TaskPartContext } from '../../session/task-part.ts'

export class StandaloneStream {
  readonly #context: TaskPartContext

  constructor(context: TaskPartContext) {
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
    const { client, logs, lifetime, limits } = this.#context
    client.persist()
    logs.open(primary.stream, primary.kind)
    lifetime.wakeAt(Date.now() + limits.logRetentionMs)
  }

  get #primary(): { readonly stream: string; readonly kind: StreamKind } | undefined {
    const { sockets } = this.#context
    const [socket] = sockets.changeSockets
    return socket && sockets.streamOf(socket)
  }
}
