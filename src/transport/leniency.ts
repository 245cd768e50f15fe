/** Client faults that are served and reported, and the refusals that `strict: true` answers instead. */
import type { EndpointLeniency } from '../ports/telemetry.ts'
import type { RequestId } from '../protocol/json-rpc.ts'
import type { RefusalName } from '../protocol/refusals.ts'
import type { Exchange } from './exchange.ts'
import { Refusal } from './refusal.ts'

type StrictRefusal = readonly [name: RefusalName, message: string]

const NOT_NEGOTIATED: StrictRefusal = [
  'message-malformed',
  'MCP-Protocol-Version must be the version that initialize negotiated',
]

const STRICT: Readonly<Record<EndpointLeniency, StrictRefusal>> = {
  'accept-incomplete': [
    'not-acceptable',
    'Accept must list application/json and text/event-stream',
  ],
  'client-info-malformed': [
    'meta-malformed',
    'io.modelcontextprotocol/clientInfo must be an object with a name and a version',
  ],
  'content-type-missing': ['content-type-not-json', 'Content-Type must be application/json'],
  'initialize-with-modern-header': [
    'message-malformed',
    'initialize must be sent without MCP-Protocol-Version',
  ],
  'notification-in-modern-era': [
    'message-malformed',
    'This revision has no notifications from clients. Close the response to cancel its request',
  ],
  'protocol-version-header-mismatch': NOT_NEGOTIATED,
  'protocol-version-header-repeated': NOT_NEGOTIATED,
  'protocol-version-header-unknown': NOT_NEGOTIATED,
  'unexpected-response': [
    'unexpected-response',
    'The server has sent no request with this id, or it is already answered',
  ],
}

/**
 * Reports a leniency.
 *
 * @param method the method of the message, if it has one
 * @param id the id of the message, for the refusal
 * @throws {Refusal} instead, when the endpoint is strict
 */
export function allowLeniency(
  { endpoint }: Exchange,
  name: EndpointLeniency,
  method?: string,
  id?: RequestId,
): void {
  if (endpoint.strict) {
    throw new Refusal(...STRICT[name], { id })
  }
  endpoint.report({ type: 'leniency', name, method })
}
