/** What tasks report to the client of a session: their states as notifications, and the progress of their requests. */
import type { DefinedDeployment } from '../../src/dispatch/deployment.ts'
import type { TaskSnapshot } from '../../src/ports/tasks.ts'
import type { Codec } from '../../src/protocol/codec/codec.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { notificationText } from '../../src/protocol/json-rpc.ts'
import { isOverStatus, RELATED_TASK } from '../../src/protocol/tasks.ts'
import type { RunWaits } from './run-waits.ts'
import { Retention } from './schema.ts'
import type { SessionStorage } from './session-storage.ts'
import type { StandaloneStream } from './standalone-stream.ts'
import type { StreamLogs } from './stream-logs.ts'
import type { StreamSockets } from './stream-sockets.ts'

export interface TaskReportsContext {
  readonly storage: SessionStorage
  readonly logs: StreamLogs
  readonly sockets: StreamSockets
  readonly standalone: StandaloneStream
  readonly waits: RunWaits
  readonly codec: () => Codec
  readonly deployment: Pick<DefinedDeployment, 'extensions'>
}

export class TaskReports {
  readonly #context: TaskReportsContext

  constructor(context: TaskReportsContext) {
    this.#context = context
  }

  report(state: TaskSnapshot): void {
    this.#reportProgress(state)
    this.#reportStatus(state)
  }

  #reportStatus(state: TaskSnapshot): void {
    const { standalone, codec, deployment } = this.#context
    const { longCalls } = deployment.extensions
    if (standalone.id === undefined || longCalls === undefined) return
    const body = longCalls.body(state, codec()) as JsonObject
    this.#append(standalone.id, notificationText('notifications/tasks/status', body))
  }

  /** Progress of a request that has become a task goes where its asks would go. */
  #reportProgress({ taskId, progress, status }: TaskSnapshot): void {
    if (progress === undefined || isOverStatus(status)) return
    const { sockets, standalone, waits, codec } = this.#context
    const { waiting } = waits.resultStreams(taskId)
    const stream = waiting.find((each) => sockets.has(each)) ?? standalone.id
    if (stream === undefined) return
    const params = codec().progressParams(progress.token, progress)
    const related = { ...params, _meta: { [RELATED_TASK]: { taskId } } }
    this.#append(stream, notificationText('notifications/progress', related))
  }

  #append(stream: string, text: string): void {
    const { storage, logs, standalone } = this.#context
    storage.transaction(() => {
      if (stream === standalone.id) standalone.open()
      logs.append(stream, text, Retention.prunable)
    })
  }
}
