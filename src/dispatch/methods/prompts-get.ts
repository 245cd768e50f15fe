/** `prompts/get`. @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts */

import { isJsonObject } from '../../protocol/json.ts'
import type { GetPromptResult } from '../../protocol/primitives.ts'
import { excerpt, invalidParams } from '../../protocol/protocol-error.ts'
import type { PromptDefinition } from '../../server/definition.ts'
import { describeIssues } from '../../server/schema/compile.ts'
import { checkScopes } from '../access.ts'
import type { Call } from '../call.ts'
import type { Cancellation } from '../cancellation.ts'
import { contentBlockFault } from '../content-block.ts'
import { resultText } from '../result-text.ts'
import { badResult } from '../run-error.ts'
import { failureError, PLAIN_RUN, runHandler } from '../run-handler.ts'
import { checkMeta } from '../tool-result.ts'
import type { RevisionContext } from './method.ts'
import { calledName, readArguments } from './tools-call.ts'

/** @throws {ProtocolError} for an unknown prompt, malformed arguments, missing scopes or a failed handler */
export async function getPrompt(
  { definition, codec }: RevisionContext,
  call: Call,
): Promise<string> {
  const { params, auth } = call.request
  const name = calledName(params)
  const { named } = call.target
  if (named?.kind !== 'prompt') throw invalidParams(`Unknown prompt: ${excerpt(name)}`)
  const prompt = named.definition
  checkScopes(prompt, auth)
  const args = await checkArguments(prompt, readArguments(params), call.run.cancellation)
  const subject = `Prompt ${name}`
  try {
    const returned = await runHandler(call, codec, PLAIN_RUN, (ctx) => prompt.run(args, ctx))
    return resultText(call, codec, codec.getPromptResult(toPromptResult(prompt, returned)))
  } catch (error) {
    throw failureError(call, definition, subject, error)
  }
}

async function checkArguments(
  { input, info }: PromptDefinition,
  args: object,
  cancellation: Cancellation,
): Promise<unknown> {
  for (const [name, value] of Object.entries(args)) {
    if (typeof value !== 'string') {
      throw invalidParams(`Prompt argument ${excerpt(name)} must be a string`)
    }
  }
  if (input === undefined) return args
  const checked = input.validate(args)
  const outcome = checked instanceof Promise ? await cancellation.waitFor(checked) : checked
  if (outcome.issues !== undefined) {
    throw invalidParams(`Invalid arguments for ${info.name}:\n${describeIssues(outcome.issues)}`)
  }
  return outcome.value
}

export function toPromptResult({ info }: PromptDefinition, returned: unknown): GetPromptResult {
  const { description } = info
  const result =
    typeof returned === 'string'
      ? { messages: [{ role: 'user', content: { type: 'text', text: returned } }] }
      : Array.isArray(returned)
        ? { messages: returned }
        : returned
  if (!isJsonObject(result) || !Array.isArray(result.messages)) {
    throw badResult('a prompt returns text, messages or { messages }')
  }
  const { messages, _meta, description: own } = result
  for (const [index, message] of messages.entries()) {
    const fault = promptMessageFault(message)
    if (fault !== undefined) {
      throw badResult(`messages[${index}] is not a prompt message: ${fault}`)
    }
  }
  if (own !== undefined && typeof own !== 'string') {
    throw badResult('description must be a string')
  }
  const text = own ?? description
  return {
    ...(text === undefined ? undefined : { description: text }),
    messages,
    ...(_meta === undefined ? undefined : { _meta: checkMeta(_meta) }),
  }
}

function promptMessageFault(value: unknown): string | undefined {
  if (!isJsonObject(value) || (value.role !== 'user' && value.role !== 'assistant')) {
    return 'role must be "user" or "assistant"'
  }
  const fault = contentBlockFault(value.content)
  return fault && `content: ${fault}`
}
