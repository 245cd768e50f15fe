/** What tasks report to the client of a session: their states as notifications, and the progress of their requests. */
import { taskBody } from '../../../src/features/tasks/methods.ts'
import type { TaskSnapshot } from '../../../src/ports/tasks.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { notificationText } from '../../../src/protocol/json-rpc.ts'
import { isOverStatus, RELATED_TASK } from '../../../src/protocol/tasks.ts'
import { Retention } from '../../session/schema.ts'
import type { TaskPartContext } from '../../session/task-part.ts'
import { resultStreamsOf } from './result-streams.ts'
import type { StandaloneStream } from './standalone-stream.ts'

export class TaskReports {
  readonly #context: TaskPartContext
  readonly #standalone: StandaloneStream

  constructor(context: TaskPartContext, standalone: StandaloneStream) {
    this.#context = context
    this.#standalone = standalone
  }

  report(state: TaskSnapshot): void {
    this.#reportProgress(state)
    this.#reportStatus(state)
  }

  #reportStatus(state: TaskSnapshot): void {
    const { id } = this.#standalone
    if (id === undefined) return
    const body = taskBody(state, this.#context.codec) as JsonObject
    this.#append(id, notificationText('notifications/tasks/status', body))
  }

  /** Progress of a request that has become a task goes where its asks would go. */
  #reportProgress({ taskId, progress, status }: TaskSnapshot): void {
    if (progress === undefined || isOverStatus(status)) return
    const { sockets, codec } = this.#context
    const { waiting } = resultStreamsOf(this.#context, taskId)
    const stream = waiting.find((each) => sockets.has(each)) ?? this.#standalone.id
    if (stream === undefined) return
    const params = codec.progressParams(progress.token, progress)
    const related = { ...params, _meta: { [RELATED_TASK]: { taskId } } }
    this.#append(stream, notificationText('notifications/progress', related))
  }

  #append(stream: string, text: string): void {
    const { storage, logs } = this.#context
    storage.transaction(() => {
      if (stream === this.#standalone.id) this.#standalone.open()
      logs.append(stream, text, Retention.prunable)
    })
  }
}
