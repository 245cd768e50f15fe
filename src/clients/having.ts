/** Which of the known clients declare a capability, for the errors that say what works. A test compares it with the profiles. */

import { isJsonObject, type JsonObject } from '../protocol/json.ts'
import { TASKS_EXTENSION } from '../protocol/tasks.ts'

const CLIENTS: ReadonlyMap<string, string> = new Map([
  [TASKS_EXTENSION, 'Claude Code and MCP Inspector'],
  ['tasks', 'VS Code and mcpc'],
  ['elicitation.form', 'Claude Code, ChatGPT, Codex, VS Code and Copilot CLI'],
  ['elicitation.url', 'Claude Code, Codex, VS Code and Copilot CLI'],
  ['sampling', 'VS Code and Copilot CLI'],
  ['roots', 'Claude Code, VS Code and Gemini CLI'],
])

/** A sentence with the clients that declare a capability, after a space; empty where none is known. */
export function clientsWith(capability: string): string {
  const clients = CLIENTS.get(capability)
  return clients === undefined ? '' : ` Clients that declare it: ${clients}.`
}

/** What an author can do for clients without a capability: a kind of `ctx.client.can`, and what works where it is false. */
const INSTEAD: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['elicitation.form', ['elicit', 'take the answer as an argument of the tool']],
  ['elicitation.url', ['elicit-url', 'return the URL as text']],
  ['sampling', ['sample', 'return the text for the model of the client']],
  ['sampling.tools', ['sample-tools', 'sample without tools']],
  ['roots', ['roots', 'take the paths as an argument of the tool']],
])

/** For the author: what works without a capability; undefined where nothing is known. */
export function insteadOf(capability: string): string | undefined {
  const known = INSTEAD.get(capability)
  if (known === undefined) return undefined
  const [kind, instead] = known
  return `where ctx.client.can('${kind}') is false, ${instead}`
}

/** The path of a capability, as `elicitation.url`. @param required as a client declares it */
export function capabilityName(required: JsonObject): string {
  const [[name, value] = []] = Object.entries(required)
  const inner = isJsonObject(value) ? capabilityName(value) : ''
  return inner === '' ? String(name ?? '') : `${name}.${inner}`
}
