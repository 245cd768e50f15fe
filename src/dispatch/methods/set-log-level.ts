/**
 * `logging/setLevel`. Without a session the level cannot be stored: it is checked and acknowledged, and the
 * default level applies.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging#setting-log-level
 */
import { isLogLevel } from '../../protocol/log-level.ts'
import { invalidParams } from '../../protocol/protocol-error.ts'
import type { Method } from './method.ts'

export const setLogLevel: Method = ({ codec }, { request, run }) => {
  const level = request.params?.level
  if (!isLogLevel(level)) throw invalidParams('params.level must be a log level')
  run.session?.setLogLevel(level)
  return codec.resultText({})
}
