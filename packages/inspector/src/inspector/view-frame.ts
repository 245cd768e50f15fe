/**
 * `GET /inspect/view?csp=…`: the document of the frame that shows a view, in development. Its header has the policy that
 * the options of the view make, so that the browser blocks what a host would block.
 */
import { tryParseJson } from '../../../../src/platform/try-parse.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { FRAME_DOCUMENT } from '../../../view/src/host/frame-document.ts'
import { viewPolicy } from '../../../view/src/host/view-policy.ts'
import { PRIVATE_HEADERS, problem } from './problem.ts'
import { policyFault } from './view-origins.ts'

export function viewFrame(request: Request): Response {
  const csp = tryParseJson(new URL(request.url).searchParams.get('csp') ?? '{}')
  const fault = policyFault(csp)
  if (fault !== undefined) return problem(400, fault)
  return new Response(FRAME_DOCUMENT, {
    headers: {
      ...PRIVATE_HEADERS,
      // The next document of a view does not wait for a Worker that is loaded again.
      'cache-control': 'private, max-age=3600',
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `${viewPolicy(csp as JsonObject)}; frame-ancestors 'self'`,
      'referrer-policy': 'no-referrer',
    },
  })
}
