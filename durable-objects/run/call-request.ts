/** The request of a run as its call brings it to the dispatcher. */
import type { CallRequest } from '../../src/dispatch/call.ts'
import type { FactoryParams } from '../../src/protocol/factory-params.ts'
import type { ProgressToken } from '../../src/protocol/meta.ts'
import { readHeaderLines } from '../header-lines.ts'
import type { Run } from './run.ts'

export function callRequestOf(
  { request, auth, grant }: Run,
  factoryParams: FactoryParams,
  progressToken: ProgressToken | undefined,
): CallRequest {
  const { id, method, params, headers, origin = '' } = request
  return {
    id,
    method,
    params,
    auth,
    grant,
    factoryParams,
    // Parsed on first access: most handlers read no header.
    get headers() {
      return readHeaderLines(headers)
    },
    origin: () => origin,
    progressToken,
  }
}
