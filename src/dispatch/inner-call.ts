/**
 * A call of a tool by the handler of another one. It is checked, counted, run and recorded like a call of the client,
 * inside the run of the first handler: its journal is a part of that journal, and what it asks is asked by that call.
 */
import type { JsonObject } from '../protocol/json.ts'
import { metaOf } from '../protocol/meta.ts'
import type { CallToolResult } from '../protocol/primitives.ts'
import { ProtocolError } from '../protocol/protocol-error.ts'
import type { FullContext } from '../server/context.ts'
import type { Definition, ToolDefinition } from '../server/definition.ts'
import { checkScopes, isVisible } from './access.ts'
import type { Call } from './call.ts'
import { Cancellation } from './cancellation.ts'
import type { HandlerRun } from './handler-run.ts'
import type { Journal } from './journal/journal.ts'
import { Suspension } from './journal/suspension.ts'
import { calledTool, countCall, parseInput, reportDeprecated } from './methods/tools-call.ts'
import { describeFailure, runHandler } from './run-handler.ts'
import { checkLength, textResult, toCallToolResult } from './tool-result.ts'

export interface InnerCall {
  readonly tool: ToolDefinition
  readonly args: JsonObject
  /** Distinguishes the call from others of the same run, and is the same when the run is repeated. */
  readonly key: string
  readonly journal: Journal
}

/**
 * Finds a tool that a handler may call.
 *
 * @throws {ProtocolError} invalidParams, for an unknown tool and for one that the caller does not see
 * @throws {ProtocolError} with `missingScopes`
 */
export function findInnerTool(run: HandlerRun, name: string): ToolDefinition {
  const { auth } = run.call.request
  const { tools } = definitionOf(run)
  const registered = tools.get(name)
  const seen = registered && isVisible(registered, auth) ? registered : undefined
  const tool = calledTool(seen, { name })
  checkScopes(tool, auth)
  return tool
}

/** @throws {TypeError} for the handler of anything but a tool */
export function definitionOf({ place }: HandlerRun): Definition {
  if (place.definition === undefined) {
    throw new TypeError('Only the handler of a tool can call a tool')
  }
  return place.definition
}

/**
 * Calls a tool. A failure is a result with `isError`, as a client receives it.
 *
 * @throws {Suspension} with what the handler of the tool asks and waits for
 * @throws {ProtocolError} with `missingScopes` of a call inside the call
 */
export async function callInner(outer: HandlerRun, inner: InnerCall): Promise<CallToolResult> {
  const { tool, args, journal } = inner
  const definition = definitionOf(outer)
  const { name } = tool.info
  outer.call.run.task?.addCalledTool({ tool: name, scopes: tool.scopes })
  const call = innerCall(outer, inner, journal)
  const over = await countCall(call, tool)
  if (over !== undefined) return textResult(over, true)
  if (journal.isEmpty) reportDeprecated(call, tool)
  try {
    const input = await parseInput(tool, args, call)
    if (!input.ok) return textResult(input.error, true)
    const place = { definition, outer }
    const run = (ctx: FullContext) => tool.run(input.value, ctx)
    const returned = await runHandler(call, outer.codec, tool, run, place)
    return withinLimit(call, await toCallToolResult(tool, returned))
  } catch (error) {
    const isProtocolError = error instanceof ProtocolError
    if (error instanceof Suspension || (isProtocolError && error.missingScopes)) throw error
    if (isProtocolError) return textResult(error.message, true)
    return textResult(describeFailure(unrecorded(call), definition, `Tool ${name}`, error), true)
  }
}

function innerCall(outer: HandlerRun, { tool, args, key }: InnerCall, journal: Journal): Call {
  const { request, run } = outer.call
  const { webhookUrl } = run
  const meta = metaOf(request.params)
  return {
    ...outer.call,
    request: {
      ...request,
      method: 'tools/call',
      params: {
        name: tool.info.name,
        arguments: args,
        ...(meta === undefined ? undefined : { _meta: meta }),
      },
      // The progress of a request is that of the handler which the client has called.
      progressToken: undefined,
    },
    run: {
      ...run,
      id: run.id && `${run.id}/${key}`,
      cancellation: cancelledWith(outer),
      webhookUrl: webhookUrl && ((event) => webhookUrl(`${key}.${event}`)),
      journal,
    },
  }
}

/** Has a timeout of its own, and is cancelled with the outer call, and when that has ended without it. */
function cancelledWith(outer: HandlerRun): Cancellation {
  const own = new Cancellation()
  const { cancellation } = outer.call.run
  const cancel = () => own.cancel(cancellation.reason ?? 'cancelled-by-client')
  cancellation.onCancel(cancel)
  outer.onClose(() => {
    if (outer.isOver) cancel()
  })
  return own
}

/** @throws {RunError} `too-large` */
function withinLimit({ deployment }: Call, result: CallToolResult): CallToolResult {
  checkLength(JSON.stringify(result).length, deployment.limits.resultBytes)
  return result
}

/** The end of an inner call is not that of the request. */
const unrecorded = (call: Call): Call => ({ ...call, run: { ...call.run, recording: undefined } })
