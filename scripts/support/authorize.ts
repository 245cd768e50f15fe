/** Obtains an access token of a server's endpoint `/mcp` without a browser. */
// Base64 of bytes, which Node lacks.
import '#runtime'
import { obtainToken } from '../../packages/testing/src/sign-in.ts'

export interface AuthorizeOptions {
  /** The server's origin, without a path. */
  readonly origin: string
  readonly passphrase?: string
  readonly scope?: string
  readonly fetch?: (request: Request) => Response | Promise<Response>
}

/** @throws {Error} with the server's answer when it issues no token */
export function authorize({
  origin,
  passphrase,
  scope,
  fetch: send = (request) => fetch(request),
}: AuthorizeOptions): Promise<string> {
  return obtainToken(async (request) => send(request), `${origin}/mcp`, {
    ...(passphrase !== undefined && { passphrase }),
    ...(scope !== undefined && { scopes: [scope] }),
  })
}
