/** `completion/complete`. @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion */
import { isJsonObject, isTextList, type JsonObject } from '../../protocol/json.ts'
import type { CompleteResult } from '../../protocol/primitives.ts'
import { excerpt, invalidParams } from '../../protocol/protocol-error.ts'
import type { Complete } from '../../server/completion.ts'
import { checkScopes } from '../access.ts'
import type { Call } from '../call.ts'
import { resultText } from '../result-text.ts'
import { badResult } from '../run-error.ts'
import { failureError, PLAIN_RUN, runHandler } from '../run-handler.ts'
import type { RevisionContext } from './method.ts'

/** The limit of the protocol on the values of one completion. */
const MAX_VALUES = 100

/** @throws {ProtocolError} for malformed params, an unknown reference or missing scopes */
export async function complete(
  { definition, codec }: RevisionContext,
  call: Call,
): Promise<string> {
  const { ref, argument, context } = call.request.params ?? {}
  if (!isJsonObject(argument)) throw invalidParams('params.argument must be an object')
  const { name, value } = argument
  if (typeof name !== 'string' || typeof value !== 'string') {
    throw invalidParams('params.argument needs a name and a value that are strings')
  }
  const callback = findComplete(call, ref, name)
  const args = readArguments(context)
  if (callback === undefined) {
    return codec.resultText(codec.completeResult({ completion: { values: [], hasMore: false } }))
  }
  try {
    const returned = await runHandler(call, codec, PLAIN_RUN, (ctx) =>
      callback(value, { arguments: args, ctx }),
    )
    return resultText(call, codec, codec.completeResult(toCompleteResult(returned)))
  } catch (error) {
    throw failureError(call, definition, 'The completion', error)
  }
}

/** @throws {ProtocolError} invalidParams, if the prompt, template, argument or variable does not exist */
function findComplete(
  { target: { named }, request: { auth } }: Call,
  ref: unknown,
  name: string,
): Complete | undefined {
  // A resource without variables has nothing to complete.
  if (named?.kind === 'resource') return undefined
  if (named?.kind === 'prompt') {
    const { info, complete: callbacks } = named.definition
    if (!info.arguments?.some((argument) => argument.name === name)) {
      throw invalidParams(`Prompt ${info.name} has no argument ${excerpt(name)}`)
    }
    checkScopes(named.definition, auth)
    return callbacks.get(name)
  }
  if (named?.kind === 'template') {
    const { info, template } = named.definition
    if (!template.uriTemplate.variables.includes(name)) {
      throw invalidParams(`Template ${info.uriTemplate} has no variable ${excerpt(name)}`)
    }
    checkScopes(named.definition, auth)
    return Object.hasOwn(template.complete, name) ? template.complete[name] : undefined
  }
  const { type, name: prompt, uri } = isJsonObject(ref) ? ref : {}
  if (type === 'ref/prompt' && typeof prompt === 'string') {
    throw invalidParams(`Unknown prompt: ${excerpt(prompt)}`)
  }
  if (type === 'ref/resource' && typeof uri === 'string') {
    throw invalidParams(`Unknown resource template: ${excerpt(uri)}`)
  }
  throw invalidParams(
    'params.ref must be { type: "ref/prompt", name } or { type: "ref/resource", uri }',
  )
}

/** Reads the arguments that are already filled in. */
function readArguments(context: unknown): { readonly [name: string]: string } {
  const args = isJsonObject(context) ? context.arguments : undefined
  if (context !== undefined && !isJsonObject(context)) {
    throw invalidParams('params.context must be an object')
  }
  if (args === undefined) return {}
  if (!isStringRecord(args)) {
    throw invalidParams('params.context.arguments must be an object of strings')
  }
  return args
}

function isStringRecord(value: unknown): value is JsonObject & { readonly [name: string]: string } {
  return isJsonObject(value) && Object.values(value).every((item) => typeof item === 'string')
}

export function toCompleteResult(returned: unknown): CompleteResult {
  const { values, total, hasMore } = Array.isArray(returned)
    ? { values: returned, total: returned.length, hasMore: undefined }
    : (returned as { values?: unknown; total?: unknown; hasMore?: unknown })
  if (!isTextList(values)) {
    throw badResult('a completion returns strings')
  }
  return {
    completion: {
      values: values.slice(0, MAX_VALUES),
      ...(Number.isSafeInteger(total) ? { total: total as number } : undefined),
      hasMore: hasMore === true || values.length > MAX_VALUES,
    },
  }
}
