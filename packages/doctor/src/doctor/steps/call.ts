/** The result of the first call. */
import { CallToolResultSchema as ModernCallToolResultSchema } from '@modelcontextprotocol/core'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import type { JsonSchema } from '../../../../../src/protocol/content.ts'
import { ErrorCode } from '../../../../../src/protocol/error-codes.ts'
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { findFaults } from '../../../../../src/server/schema/find-faults.ts'
import { jsonOf } from '../../../../text/src/json/json-text.ts'
import { listIn } from '../../../../text/src/json/members.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import { printable } from '../../../../text/src/terminal-text.ts'
import {
  answered,
  type Detected,
  describe,
  detected,
  envelopeFaults,
  memberFaults,
} from '../detected.ts'
import type { RpcReply } from '../mcp/rpc.ts'
import type { Observations } from '../observations.ts'
import type { CallObservation } from '../probes/lists.ts'
import { firstIssue } from '../schema.ts'
import { authorizationFault } from './credentials.ts'
import { modernDefect } from './era.ts'
import { uncompilableKeyword } from './invalid-schema.ts'

/** What Claude passes to the model. */
export const MAX_RESULT_CHARACTERS = 150_000

export function callFaults(
  { tool, outputSchema, reply }: CallObservation,
  observed: Observations,
  isModern: boolean,
): Detected[] {
  const sent = `A call of ${quoted(tool)}`
  const say = (code: Detected['code'], text: string) => [detected(code, `${sent} ${text}`)]
  switch (reply.kind) {
    case 'failed':
      // A tool may be slower than the doctor waits.
      return reply.reply.failure.kind === 'no-answer'
        ? []
        : say('call-failed', `has no response: ${describe(reply)}`)
    case 'http':
    case 'error': {
      const refused = authorizationFault(reply, sent, observed)
      // A tool may require a scope of its own, which the client requests then.
      if (refused !== undefined) return refused.code === 'scope-insufficient' ? [] : [refused]
      const isOfTool = reply.kind === 'error' && mayBeOfTool(reply)
      return isOfTool ? memberFaults(reply, CALL) : [answered('call-failed', sent, reply)]
    }
    case 'malformed': {
      const isLate = reply.why === 'response-missing' && reply.http.end === 'timeout'
      return isLate ? [] : [answered('call-failed', sent, reply)]
    }
    case 'result':
      return [
        ...envelopeFaults(reply, CALL),
        ...resultFaults(reply.result, outputSchema, isModern, say),
      ]
  }
}

const CALL = 'tools/call'

/** Errors of the server, and not of the tool or its arguments. */
const OF_SERVER: readonly number[] = [
  ErrorCode.headerMismatch,
  ErrorCode.internalError,
  ErrorCode.methodNotFound,
]

/** A tool may refuse a call without arguments, in a response that clients recognize as that of the request. */
function mayBeOfTool({ http, code, isWellFormed }: Extract<RpcReply, { kind: 'error' }>): boolean {
  if (http.status >= 500 || (http.status < 300 && !isWellFormed)) return false
  return !OF_SERVER.includes(code)
}

function resultFaults(
  result: unknown,
  outputSchema: CallObservation['outputSchema'],
  isModern: boolean,
  say: (code: Detected['code'], text: string) => Detected[],
): Detected[] {
  if (isJsonObject(result) && result.resultType === 'input_required') return []
  const unmarked = isModern ? modernDefect(result) : undefined
  if (unmarked !== undefined) return say('call-result-invalid', `has a result with ${unmarked}`)
  const schema = isModern ? ModernCallToolResultSchema : CallToolResultSchema
  const invalid = firstIssue(schema, result)
  if (invalid !== undefined || !isJsonObject(result))
    return say('call-result-invalid', `has the result ${invalid}`)
  // The schema of the SDK supplies an absent content; other clients reject the result.
  if (result.content === undefined && result.structuredContent === undefined) {
    return say('call-result-invalid', 'has no content')
  }
  const isUnstructured = result.structuredContent === undefined && result.isError !== true
  if (outputSchema !== undefined && isUnstructured) {
    return say('call-result-invalid', 'has no structuredContent, and the tool has an outputSchema')
  }
  const different = structuredDefect(result.structuredContent, outputSchema)
  if (different !== undefined) {
    return say(
      'call-result-invalid',
      `has structuredContent that its outputSchema excludes: ${different}`,
    )
  }
  const content = listIn(result, 'content')
  const characters = textCharactersOf(result)
  if (characters > MAX_RESULT_CHARACTERS)
    return say('result-too-long', `has ${characters} characters`)
  const isHidden = result.structuredContent !== undefined && content.length === 0
  return isHidden ? say('structured-without-text', 'has structuredContent and no content') : []
}

/** How structured content differs from the schema; undefined where it does not, or where that is not examined. */
function structuredDefect(
  value: unknown,
  schema: CallObservation['outputSchema'],
): string | undefined {
  if (value === undefined || schema === undefined || hasPattern(schema)) return undefined
  // A schema of another type, or an invalid one, has a fault of its own.
  if (schema.type !== 'object' || uncompilableKeyword(schema) !== undefined) return undefined
  try {
    const [fault] = findFaults(schema as JsonSchema, value, 1)
    if (fault === undefined) return undefined
    const at = (fault.path ?? []).map((step) => `/${String(step)}`).join('')
    return printable(`${at === '' ? 'it' : at} ${fault.message}`)
  } catch {
    // It is nested too deeply to be compared.
    return undefined
  }
}

/** The pattern of a server may take more than linear time, so none is used. */
const hasPattern = (schema: object) => jsonOf(schema)?.includes('"pattern') !== false

/** Characters of the text blocks of a result. */
export const textCharactersOf = (result: unknown): number => textOfResult(result).length

/** The text blocks of a result, one after the other. */
export const textOfResult = (result: unknown): string =>
  listIn(result, 'content')
    .map((block) => (isJsonObject(block) && typeof block.text === 'string' ? block.text : ''))
    .join('')
