/** `tools/call`. @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#calling-tools */
import { overClientLimit, SAFE_RESULT_LENGTH } from '../../clients/limits.ts'
import { ErrorCode } from '../../protocol/error-codes.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import type { CallToolResult } from '../../protocol/primitives.ts'
import { excerpt, invalidParams, ProtocolError } from '../../protocol/protocol-error.ts'
import type { FullContext } from '../../server/context.ts'
import type { Definition, ToolDefinition } from '../../server/definition.ts'
import { type CompiledSchema, describeIssues } from '../../server/schema/compile.ts'
import { repairArguments } from '../../server/schema/repair.ts'
import type { Issue, ValidationResult } from '../../server/schema/standard-schema.ts'
import { checkScopes } from '../access.ts'
import type { Call, ResultText } from '../call.ts'
import type { CallInRequest } from '../extensions.ts'
import { Suspension } from '../journal/suspension.ts'
import { resultText } from '../result-text.ts'
import { describeFailure, failureError, runHandler } from '../run-handler.ts'
import { textResult, toCallToolResult } from '../tool-result.ts'
import type { RevisionContext } from './method.ts'

/**
 * @throws {ProtocolError} for an unknown tool, malformed params or missing scopes, and in 2025-11-25 for
 *   a call with `params.task` that cannot become a task
 */
export async function callTool(context: RevisionContext, call: Call): Promise<ResultText> {
  const { definition, codec } = context
  const tool = calledTool(call.target.tool, call.request.params)
  const args = readArguments(call.request.params)
  checkScopes(tool, call.request.auth)
  tool.checkCall?.(args, call.request.auth)
  const { name } = tool.info
  if (tool.deprecated !== undefined && isFirstRound(call)) reportDeprecated(call, tool)
  const long = call.deployment.extensions.longCalls?.begin(tool, context, call)
  const hasOwnAnswer = long?.hasOwnAnswer === true
  const counted = call.run.continues ? undefined : countCall(call, tool)
  const overLimit = counted instanceof Promise ? await counted : counted
  if (overLimit !== undefined) {
    if (hasOwnAnswer) throw new ProtocolError(ErrorCode.invalidRequest, overLimit)
    return toolError(context, call, overLimit)
  }
  const { rounds, uploads, callers } = call.deployment.extensions
  let inRequest: CallInRequest | undefined
  try {
    const parsed = parseInput(tool, args, call)
    const input = parsed instanceof Promise ? await call.run.cancellation.waitFor(parsed) : parsed
    if (!input.ok) {
      if (hasOwnAnswer) throw invalidParams(input.error)
      return toolError(context, call, input.error)
    }
    const files = uploads?.request(tool, context, call)
    if (files !== undefined) await files
    if (long !== undefined) {
      const started = await call.run.cancellation.waitFor(long.start())
      if (typeof started === 'string' || started instanceof Uint8Array) return started
      inRequest = started
    }
    const served = inRequest?.call ?? call
    let result: unknown
    try {
      const run = (ctx: FullContext) => tool.run(input.value, ctx)
      result = await runHandler(served, codec, tool, run, context)
    } catch (error) {
      const continued = error instanceof Suspension ? inRequest?.continued?.(error) : undefined
      if (continued === undefined) throw error
      return await continued
    }
    const checked = toCallToolResult(tool, result)
    const whole =
      checked instanceof Promise ? await call.run.cancellation.waitFor(checked) : checked
    if (whole.isError === true) markToolError(call)
    const asked = served.run.throughModel && rounds ? rounds.mark(served, whole) : whole
    const own = callers === undefined ? asked : callers.mark(served, asked)
    // Serialised inside the `try`: a value that JSON cannot represent is a failure of the handler.
    const text = resultText(call, codec, codec.callToolResult(own))
    if (text.length > SAFE_RESULT_LENGTH) reportLargeResult(call, name, whole)
    return text
  } catch (thrown) {
    const error = inRequest === undefined ? thrown : inRequest.convert(thrown)
    if (error instanceof ProtocolError || error instanceof Suspension) throw error
    if (hasOwnAnswer) throw failureError(call, definition, `Tool ${name}`, error)
    markToolError(call)
    return codec.resultText(codec.callToolResult(failureResult(call, definition, tool, error)))
  }
}

/** Counts a call of a tool that names a class of limits. Returns the text of the answer to one above the limit. */
export function countCall({ request, services }: Call, tool: ToolDefinition) {
  return tool.limitClass === undefined
    ? undefined
    : services.rateLimits()?.ofTool(tool, request.auth, request.headers)
}

/** A result for the model of a call whose handler does not run. */
function toolError({ codec }: RevisionContext, call: Call, text: string): ResultText {
  markToolError(call)
  return codec.resultText(codec.callToolResult(textResult(text, true)))
}

/** For telemetry: of the call where it runs, and of the request that has started it in a task object. */
function markToolError({ run: { recording, task } }: Call): void {
  recording?.markToolError()
  task?.markToolError()
}

/** A later round has the state or the journal of the earlier ones. */
function isFirstRound({ request, run }: Call): boolean {
  const isLater = run.continues || run.journal?.isEmpty === false
  return !isLater && request.params?.requestState === undefined
}

/** Reports who calls a tool that authors replace. Nothing for any other. */
export function reportDeprecated(
  { client, deployment }: Call,
  { info, deprecated }: ToolDefinition,
): void {
  if (deprecated === undefined) return
  const name = excerpt(client.info?.name ?? '')
  const { use } = deprecated
  deployment.report({ type: 'deprecated-call', tool: info.name, use, client: name })
}

type Input =
  | { readonly ok: true; readonly value: unknown }
  /** The text for the model. */
  | { readonly ok: false; readonly error: string }

/** Validates the arguments of a call, and repairs those that are refused. */
export function parseInput(
  tool: ToolDefinition,
  passed: JsonObject,
  call: Call,
): Input | Promise<Input> {
  const { input } = tool
  const args = call.deployment.extensions.callers?.argumentsOf(tool, passed) ?? passed
  if (input === undefined) return { ok: true, value: args }
  const parsed = (outcome: ValidationResult<unknown>): Input | Promise<Input> =>
    outcome.issues === undefined
      ? { ok: true, value: outcome.value }
      : repairInput(tool, input, args, outcome.issues, call)
  const checked = input.validate(args)
  return checked instanceof Promise ? checked.then(parsed) : parsed(checked)
}

async function repairInput(
  { info }: ToolDefinition,
  input: CompiledSchema,
  args: JsonObject,
  refused: readonly Issue[],
  { deployment, run }: Call,
): Promise<Input> {
  const drops = input.dropsUndeclared === true
  const repaired = deployment.strict ? undefined : repairArguments(info.inputSchema, args, drops)
  const outcome = repaired && (await input.validate(repaired))
  if (outcome === undefined || outcome.issues !== undefined) {
    return { ok: false, error: `Invalid arguments for ${info.name}:\n${describeIssues(refused)}` }
  }
  if (!run.continues) {
    deployment.report({ type: 'leniency', name: 'arguments-repaired', method: 'tools/call' })
  }
  return { ok: true, value: outcome.value }
}

function reportLargeResult(
  { client, deployment }: Call,
  tool: string,
  result: CallToolResult,
): void {
  const over = overClientLimit(client.info?.name, result)
  if (over === undefined) return
  const subject = `Tool ${tool}`
  const name = excerpt(client.info?.name ?? '')
  deployment.report({ type: 'result-over-client-limit', subject, client: name, ...over })
}

function failureResult(
  call: Call,
  definition: Definition,
  { info }: ToolDefinition,
  error: unknown,
): CallToolResult {
  const subject = `Tool ${info.name}`
  return textResult(describeFailure(call, definition, subject, error), true)
}

/**
 * @param tool that of a name, if the caller sees it
 * @throws {ProtocolError} invalidParams, for an unknown tool and for one that the caller does not see
 */
export function calledTool(
  tool: ToolDefinition | undefined,
  params: JsonObject | undefined,
): ToolDefinition {
  const name = calledName(params)
  if (tool === undefined) throw invalidParams(`Unknown tool: ${excerpt(name)}`)
  return tool
}

/** @throws {ProtocolError} invalidParams, for anything but a text */
export function calledName(params: JsonObject | undefined): string {
  const name = params?.name
  if (typeof name !== 'string') throw invalidParams('params.name must be a string')
  return name
}

/** Reads the arguments; absent arguments are an empty object. */
export function readArguments(params: JsonObject | undefined): JsonObject {
  const args = params?.arguments
  if (args === undefined) return {}
  if (!isJsonObject(args)) throw invalidParams('params.arguments must be an object')
  return args
}
