/**
 * Tasks: requests whose results are fetched later. The neutral model is that of the extension
 * `io.modelcontextprotocol/tasks`; the codec of 2025-11-25 derives the experimental tasks from it.
 *
 * @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 */
import { type ClientCapabilities, hasCapability } from './capabilities.ts'
import { ErrorCode } from './error-codes.ts'
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import { ProtocolError } from './protocol-error.ts'
import type { Era } from './revisions.ts'

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/** The key of `_meta` that associates a message of 2025-11-25 with its task. */
export const RELATED_TASK = 'io.modelcontextprotocol/related-task'

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** The members that every task has on the wire. Durations are in milliseconds. */
export interface Task {
  readonly taskId: string
  readonly status: TaskStatus
  readonly statusMessage?: string
  /** ISO 8601. */
  readonly createdAt: string
  /** ISO 8601. */
  readonly lastUpdatedAt: string
  /** From creation; the task and its result are deleted afterwards. */
  readonly ttlMs: number
  readonly pollIntervalMs: number
}

/** What a task has besides, depending on its status. */
export interface TaskDetail {
  /** The result of the request, when the status is `completed`. */
  readonly result?: JsonObject
  /** The JSON-RPC error of the request, when the status is `failed`. */
  readonly error?: { readonly code: number; readonly message: string; readonly data?: JsonValue }
  /** The open asks by key, when the status is `input_required`. */
  readonly inputRequests?: Readonly<Record<string, JsonObject>>
}

/** Whether a client of the modern era declares the extension in its request. */
export function declaresTasks(capabilities: ClientCapabilities): boolean {
  return hasCapability(capabilities, ['extensions', TASKS_EXTENSION])
}

/**
 * Whether a client runs calls as tasks, as far as its capabilities say so. In 2025-11-25 they name the requests of the
 * server that it runs as tasks; the clients that declare some send `params.task` too.
 */
export function hasTasks({
  era,
  capabilities,
}: {
  readonly era: Era
  readonly capabilities: ClientCapabilities
}): boolean {
  return era === 'modern' ? declaresTasks(capabilities) : hasCapability(capabilities, ['tasks'])
}

/** The error for a request that needs a client with tasks. */
export function tasksRequired(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.missingClientCapability, message, {
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  })
}

/** Whether an error is that of a client which does not declare tasks. */
export function isTasksRequired({ code, data }: ProtocolError): boolean {
  if (code !== ErrorCode.missingClientCapability || !isJsonObject(data)) return false
  return hasCapability((data.requiredCapabilities ?? {}) as ClientCapabilities, [
    'extensions',
    TASKS_EXTENSION,
  ])
}

/** @param limit of the tasks of one principal */
export function tooManyTasks(limit: number): ProtocolError {
  return new ProtocolError(
    ErrorCode.invalidRequest,
    `You have too many tasks: at most ${limit} at the same time (tasks({ perPrincipal })). Cancel one, or wait until one has expired.`,
  )
}

/** Maximum length of a status message, in UTF-16 code units. */
export const MAX_STATUS_MESSAGE_LENGTH = 2000

/** The first text of a result, as a status message; undefined without one. */
export function errorTextOf({ content }: JsonObject): string | undefined {
  const blocks = Array.isArray(content) ? content.filter(isJsonObject) : []
  const text = blocks.find(({ type }) => type === 'text')?.text
  return typeof text === 'string' ? text.slice(0, MAX_STATUS_MESSAGE_LENGTH) : undefined
}

export function isOverStatus(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}
