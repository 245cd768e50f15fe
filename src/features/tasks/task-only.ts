/** Refuses a call of a tool that needs a task, and tells the author once what serves any client. */

import { clientsWith } from '../../clients/having.ts'
import type { Call } from '../../dispatch/call.ts'
import { perObject } from '../../platform/per-object.ts'
import type { TelemetrySink } from '../../ports/telemetry.ts'
import type { Codec } from '../../protocol/codec/codec.ts'
import { ErrorCode } from '../../protocol/error-codes.ts'
import { ProtocolError } from '../../protocol/protocol-error.ts'
import { TASKS_EXTENSION, tasksRequired } from '../../protocol/tasks.ts'
import type { Definition, ToolDefinition } from '../../server/definition.ts'
import { isResultTool } from './held/result-tool.ts'

/** Tools of one server about which an isolate warns. A factory can create any number of them. */
const MAX_WARNINGS = 100

/** What a model does next. */
const NO_REPEAT = 'Do not call it again from this client: use another tool, or tell the person.'

/** The tools that each server has warned about, by its telemetry. */
const warnedBy = perObject((_: TelemetrySink) => new Set<string>())

/** The error for a client that cannot have a task, or has not asked for one: a model reads it. */
export function taskOnly(
  { info, job }: ToolDefinition,
  { revision }: Codec,
  { deployment }: Pick<Call, 'deployment'>,
): ProtocolError {
  const author =
    job === undefined
      ? `With task: 'optional', any client can call the tool, and get_result waits for its result`
      : `registerTool with task: 'optional' instead of a job serves any client`
  warnOnce(deployment.report, info.name, author)
  const only = `Tool ${info.name} runs as a task only, and`
  if (revision.era === 'modern') {
    const lacking = `this client has not declared ${TASKS_EXTENSION}.${clientsWith(TASKS_EXTENSION)}`
    return tasksRequired(`${only} ${lacking} ${NO_REPEAT}`)
  }
  const lacking = revision.features.tasks
    ? `this client has not sent params.task, as those with the capability tasks do.${clientsWith('tasks')}`
    : `revision ${revision.id} has no ${TASKS_EXTENSION}.${clientsWith(TASKS_EXTENSION)}`
  return noTask(`${only} ${lacking} ${NO_REPEAT}`)
}

/**
 * The error for a request of 2026-07-28 that names a task, from a client without tasks.
 *
 * @param what the beginning of the sentence
 */
export function tasksNeeded(what: string, { tools }: Definition): ProtocolError {
  const resultTool = [...tools.values()].find(isResultTool)?.info.name
  const instead =
    resultTool === undefined
      ? ''
      : ` Without it, call ${resultTool} with the id of the task as its handle.`
  const needed = `${what} ${TASKS_EXTENSION} in the capabilities of the request.`
  return tasksRequired(`${needed}${clientsWith(TASKS_EXTENSION)}${instead}`)
}

/** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#tool-level-negotiation */
export function noTask(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.methodNotFound, message)
}

function warnOnce(report: TelemetrySink, tool: string, author: string): void {
  const tools = warnedBy(report)
  if (tools.has(tool) || tools.size >= MAX_WARNINGS) return
  tools.add(tool)
  report({
    type: 'definition-warning',
    subject: `Tool ${tool}`,
    message: `task "required" has refused a client, and most clients have no tasks. ${author}`,
  })
}
