/** The ask of `ctx.session.ping`: any result is an answer. */
import { isJsonObject } from '../../../protocol/json.ts'
import type { Ask } from './ask.ts'

/** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping */
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
