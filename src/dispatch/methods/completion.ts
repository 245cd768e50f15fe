/** `completion/complete`. @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion */
import type { AuthInfo } from '../../protocol/auth-info.ts'
import { isJsonObject, isTextList, type JsonObject } from '../../protocol/json.ts'
import type { CompleteResult } from '../../protocol/primitives.ts'
import { excerpt, invalidParams } from '../../protocol/protocol-error.ts'
import type { Complete } from '../../server/completion.ts'
import type { Definition } from '../../server/definition.ts'
import { checkScopes, isVisible } from '../access.ts'
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
  const callback = findComplete(definition, ref, name, call.request.auth)
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
  { prompts, templates, resources }: Definition,
  ref: unknown,
  name: string,
  auth: AuthInfo | undefined,
): Complete | undefined {
  const { type, name: prompt, uri } = isJsonObject(ref) ? ref : {}
  if (type === 'ref/prompt' && typeof prompt === 'string') {
    const found = prompts.get(prompt)
    if (found === undefined || !isVisible(found, auth)) {
      throw invalidParams(`Unknown prompt: ${excerpt(prompt)}`)
    }
    if (!found.info.arguments?.some((argument) => argument.name === name)) {
      throw invalidParams(`Prompt ${prompt} has no argument ${excerpt(name)}`)
    }
    checkScopes(found, auth)
    return found.complete.get(name)
  }
  if (type === 'ref/resource' && typeof uri === 'string') {
    const found = templates.find(({ info }) => info.uriTemplate === uri)
    if (found !== undefined && isVisible(found, auth)) {
      const { complete: callbacks, uriTemplate } = found.template
      if (!uriTemplate.variables.includes(name)) {
        throw invalidParams(`Template ${uri} has no variable ${excerpt(name)}`)
      }
      checkScopes(found, auth)
      return Object.hasOwn(callbacks, name) ? callbacks[name] : undefined
    }
    const fixed = resources.get(uri)
    // A resource without variables has nothing to complete.
    if (fixed !== undefined && isVisible(fixed, auth)) return undefined
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
