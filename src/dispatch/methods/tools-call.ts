/** `tools/call`. @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#calling-tools */
import { overClientLimit, SAFE_RESULT_LENGTH } from '../../clients/limits.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import type { CallToolResult } from '../../protocol/primitives.ts'
import { excerpt, invalidParams, ProtocolError } from '../../protocol/protocol-error.ts'
import type { Definition, ToolDefinition } from '../../server/definition.ts'
import { describeIssues } from '../../server/schema/compile.ts'
import type { ValidationResult } from '../../server/schema/standard-schema.ts'
import { checkScopes, isVisible } from '../access.ts'
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
  const tool = findTool(definition, call)
  const args = readArguments(call.request.params)
  checkScopes(tool, call.request.auth)
  const { name } = tool.info
  const long = call.deployment.extensions.longCalls?.begin(tool, context, call)
  const hasOwnAnswer = long?.hasOwnAnswer === true
  let inRequest: CallInRequest | undefined
  try {
    let input: unknown = args
    if (tool.input !== undefined) {
      const checked = tool.input.validate(args)
      const outcome: ValidationResult<unknown> =
        checked instanceof Promise ? await call.run.cancellation.waitFor(checked) : checked
      if (outcome.issues !== undefined) {
        const text = `Invalid arguments for ${name}:\n${describeIssues(outcome.issues)}`
        if (hasOwnAnswer) throw invalidParams(text)
        call.run.recording?.markToolError()
        return codec.resultText(codec.callToolResult(textResult(text, true)))
      }
      input = outcome.value
    }
    if (long !== undefined) {
      const started = await call.run.cancellation.waitFor(long.start())
      if (typeof started === 'string' || started instanceof Uint8Array) return started
      inRequest = started
    }
    const served = inRequest?.call ?? call
    const result = await runHandler(served, codec, tool, (ctx) => tool.run(input, ctx))
    // Serialised inside the `try`: a value that JSON cannot represent is a failure of the handler.
    const checked = toCallToolResult(tool, result)
    const whole =
      checked instanceof Promise ? await call.run.cancellation.waitFor(checked) : checked
    if (whole.isError === true) call.run.recording?.markToolError()
    const text = resultText(call, codec, codec.callToolResult(whole))
    if (text.length > SAFE_RESULT_LENGTH) reportLargeResult(call, name, whole)
    return text
  } catch (thrown) {
    const error = inRequest === undefined ? thrown : inRequest.convert(thrown)
    if (error instanceof ProtocolError || error instanceof Suspension) throw error
    if (hasOwnAnswer) throw failureError(call, definition, `Tool ${name}`, error)
    call.run.recording?.markToolError()
    return codec.resultText(codec.callToolResult(failureResult(call, definition, tool, error)))
  }
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

/** @throws {ProtocolError} invalidParams, for an unknown tool and for one that the caller does not see */
export function findTool({ tools }: Definition, { request }: Call): ToolDefinition {
  const { params, auth } = request
  const name = params?.name
  if (typeof name !== 'string') throw invalidParams('params.name must be a string')
  const tool = tools.get(name)
  if (tool === undefined || !isVisible(tool, auth)) {
    throw invalidParams(`Unknown tool: ${excerpt(name)}`)
  }
  return tool
}

/** Reads the arguments; absent arguments are an empty object. */
export function readArguments(params: JsonObject | undefined): JsonObject {
  const args = params?.arguments
  if (args === undefined) return {}
  if (!isJsonObject(args)) throw invalidParams('params.arguments must be an object')
  return args
}
