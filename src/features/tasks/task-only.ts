/** Refuses a call of a tool that needs a task, says what its author can do, and warns the author once. */

import { clientsWith } from '../../clients/having.ts'
import type { Call } from '../../dispatch/call.ts'
import type { TelemetrySink } from '../../ports/telemetry.ts'
import type { Codec } from '../../protocol/codec/codec.ts'
import { ErrorCode } from '../../protocol/error-codes.ts'
import { ProtocolError } from '../../protocol/protocol-error.ts'
import { TASKS_EXTENSION, tasksRequired } from '../../protocol/tasks.ts'
import type { ToolDefinition } from '../../server/definition.ts'

/** Tools of one server about which an isolate warns. A factory can create any number of them. */
const MAX_WARNINGS = 100

/** The tools that each server has warned about, by its telemetry. */
const warned = new WeakMap<TelemetrySink, Set<string>>()

/** The error for a client that cannot have a task, or has not asked for one. */
export function taskOnly(
  { info, job }: ToolDefinition,
  { revision }: Codec,
  { deployment }: Pick<Call, 'deployment'>,
): ProtocolError {
  const author =
    job === undefined
      ? `Author of the server: with task: 'optional', any client can call the tool, and get_result waits for its result`
      : `Author of the server: registerTool with task: 'optional' instead of a job serves any client`
  warnOnce(deployment.report, info.name, author)
  if (revision.era === 'modern') {
    const text = `Tool ${info.name} runs as a task only, and this client has not declared ${TASKS_EXTENSION}.`
    return tasksRequired(`${text}${clientsWith(TASKS_EXTENSION)} ${author}.`)
  }
  const how = revision.features.tasks ? 'send params.task' : `revision ${revision.id} has no tasks`
  return noTask(`Tool ${info.name} runs as a task only: ${how}. ${author}.`)
}

/** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#tool-level-negotiation */
export function noTask(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.methodNotFound, message)
}

function warnOnce(report: TelemetrySink, tool: string, author: string): void {
  const tools = warned.get(report) ?? new Set()
  warned.set(report, tools)
  if (tools.has(tool) || tools.size >= MAX_WARNINGS) return
  tools.add(tool)
  report({
    type: 'definition-warning',
    subject: `Tool ${tool}`,
    message: `task "required" has refused a client, and most clients have no tasks. ${author}`,
  })
}
