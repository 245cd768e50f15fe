/** The error that rejects a request before any method runs. `respond.ts` turns it into a response. */
import type { TelemetryEvent } from '../ports/telemetry.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { RequestId } from '../protocol/json-rpc.ts'
import { REFUSALS, type RefusalName } from '../protocol/refusals.ts'

interface RefusalDetails {
  /** The id of the refused request, if it is known. */
  readonly id?: RequestId | undefined
  readonly data?: JsonValue
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The class of rate limits that the request exceeds. */
  readonly limitClass?: string
}

export class Refusal extends Error {
  override readonly name: RefusalName
  readonly id: RequestId | undefined
  readonly data: JsonValue | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly limitClass: string | undefined

  /** @param message sent to the client: says what to do next */
  constructor(name: RefusalName, message: string, details: RefusalDetails = {}) {
    super(message)
    this.name = name
    this.id = details.id
    this.data = details.data
    this.headers = details.headers
    this.limitClass = details.limitClass
  }
}

/** The telemetry event of a refusal. */
export function refusalEvent({ name, message, limitClass }: Refusal): TelemetryEvent {
  const { status } = REFUSALS[name]
  const event = { type: 'refusal', name, status, message } as const
  return limitClass === undefined ? event : { ...event, limitClass }
}

/** @param allowed the value of `Allow` */
export function methodNotAllowed(method: string, allowed: string): Refusal {
  return new Refusal('http-method-not-allowed', `${method} is not served here. Use: ${allowed}`, {
    headers: { allow: allowed },
  })
}

export function batchNotAllowed(): Refusal {
  return new Refusal('batch-not-allowed', 'The body must be a single JSON-RPC message')
}
