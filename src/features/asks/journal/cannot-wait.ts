/** The errors of a handler that asks or waits where its client, or its call, cannot. */

import type { CallClient } from '../../../dispatch/call.ts'
import { ErrorCode } from '../../../protocol/error-codes.ts'
import { ProtocolError } from '../../../protocol/protocol-error.ts'
import { ToolError } from '../../../server/tool-error.ts'
import type { Ask } from './ask.ts'

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
  const message = `The client cannot answer ${method}`
  return era === 'modern'
    ? new ProtocolError(ErrorCode.missingClientCapability, message, {
        requiredCapabilities: requires,
      })
    : new ToolError(`${message}.`)
}

/** A call of the session eras without a session goes on without its client, and nothing remembers its waits. */
export function cannotWait(): Error {
  return new ToolError('This call waits for a time or an event, which needs a task or a session.')
}
