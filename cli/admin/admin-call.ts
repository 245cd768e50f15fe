/** One call of the admin API of a deployed server. */
import type { AdminOperation } from '../../src/protocol/admin-operations.ts'

/** The server has refused the call, or its answer is none of an admin API. */
export class AdminCallError extends Error {}

/** A refusal that a sign-in may help against. */
export class NotAuthorizedError extends AdminCallError {
  /** The scopes that the server asked for. */
  readonly scope: string | undefined

  constructor(message: string, scope: string | undefined) {
    super(message)
    this.scope = scope
  }
}

export interface AdminCall {
  readonly url: URL
  readonly token: string | undefined
  readonly operation: AdminOperation
  readonly params: Readonly<Record<string, string | boolean>>
}

/** A deletion of a person with many tasks calls an object for each. */
const TIMEOUT_MS = 120_000

/** @throws {AdminCallError} for a refusal; any other error means that the server was not reached */
export async function callAdmin({ url, token, operation, params }: AdminCall): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ operation, ...params }),
    // A token must not follow a redirect to another host.
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const body = parse(await response.text())
  if (response.ok && 'result' in body) return body.result
  const message = messageOf(body) ?? `The server answered ${response.status}`
  if (response.status === 401 || response.headers.has('www-authenticate')) {
    throw new NotAuthorizedError(message, scopeIn(response.headers.get('www-authenticate') ?? ''))
  }
  if (response.status === 404) {
    throw new AdminCallError(
      'There is no admin API at this URL. Set the option admin of createEdgeway',
    )
  }
  throw new AdminCallError(message)
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? { ...body } : {}
  } catch {
    // A page of a proxy, whose status says more.
    return {}
  }
}

function messageOf({ error, message }: Readonly<Record<string, unknown>>): string | undefined {
  const text = (error as { message?: unknown } | undefined)?.message ?? message
  return typeof text === 'string' ? text : undefined
}

function scopeIn(challenge: string): string | undefined {
  return /[ ,]scope="([^"]*)"/.exec(challenge)?.[1]
}
