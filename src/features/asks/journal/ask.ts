/** An ask: its request, the capability that the client needs, and how its answer is read. */

import { capabilityName, clientsWith } from '../../../clients/having.ts'
import type { CallClient } from '../../../dispatch/call.ts'
import { fingerprint } from '../../../platform/fnv.ts'
import { type ClientCapabilities, hasCapability } from '../../../protocol/capabilities.ts'
import { ErrorCode } from '../../../protocol/error-codes.ts'
import { isJsonObject, type JsonObject } from '../../../protocol/json.ts'
import { ProtocolError } from '../../../protocol/protocol-error.ts'
import { ToolError } from '../../../server/tool-error.ts'

export interface Ask<Answer> {
  readonly kind: 'elicit' | 'sample' | 'roots' | 'ping' | 'task'
  readonly method: string
  readonly params: JsonObject
  /** The capabilities that the client must declare, in the form in which it declares them. */
  readonly requires: JsonObject
  readonly canAnswer: (capabilities: ClientCapabilities) => boolean
  /** Whether a model may answer: as the author says, or else as the app. Absent: never. */
  readonly throughModel?: boolean | 'as-app'
  /** Converts an answer to the type that the handler receives. One that does not fit is asked for again. */
  readonly read: (answer: unknown) => Promise<ReadAnswer<Answer> | Misfit>
}

/** Why an answer does not fit its ask. The text is part of the message when it is asked again. */
export interface Misfit {
  readonly misfit: string
}

export interface ReadAnswer<Answer> {
  readonly value: Answer
  /** The members of the answer that the journal stores. Unknown members are dropped. */
  readonly kept: JsonObject
}

export function isMisfit(read: object): read is Misfit {
  return 'misfit' in read
}

export function declares(...path: string[]): (capabilities: ClientCapabilities) => boolean {
  return (capabilities) => hasCapability(capabilities, path)
}

/**
 * Derives a key for an ask without one: from its kind, its index among the asks of this kind, and its
 * content, so that an answer is never matched with another ask.
 */
export function deriveKey({ kind, params }: Ask<unknown>, place: number): string {
  return `${kind}-${place}-${fingerprint(JSON.stringify(params))}`
}

/**
 * The ask of `ctx.session.ping`: any result is an answer.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
 */
export function pingAsk(): Ask<void> {
  return {
    kind: 'ping',
    method: 'ping',
    params: {},
    requires: {},
    canAnswer: () => true,
    read: async (answer) =>
      isJsonObject(answer)
        ? { value: undefined, kept: {} }
        : { misfit: 'the result must be an object' },
  }
}

/** The modern era has an error code for it. In the session eras the model receives a message. */
export function cannotAnswer(
  { era, info }: CallClient,
  { method, requires }: Pick<Ask<unknown>, 'method' | 'requires'>,
): Error {
  // Clients of 2024-11-05 open a new session when they reconnect, and do not introduce themselves again.
  if (era === 'http-sse' && info === undefined) {
    return new ToolError(
      `The client has reconnected without initialize, so it cannot answer ${method}. Disconnect and connect it again.`,
    )
  }
  const capability = capabilityName(requires)
  const lacking = capability === '' ? '.' : `: it has not declared ${capability}.`
  const message = `The client cannot answer ${method}${lacking}${clientsWith(capability)} Do not call it again from this client: tell the person.`
  return era === 'modern'
    ? new ProtocolError(ErrorCode.missingClientCapability, message, {
        requiredCapabilities: requires,
      })
    : new ToolError(message)
}

/** A call of the session eras without a session goes on without its client, and nothing remembers its waits. */
export function cannotWait(): Error {
  return new ToolError(
    'This call waits for a time or an event, for which it needs a task or a session. Do not repeat it here: tell the person.',
  )
}
