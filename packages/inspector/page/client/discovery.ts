/** Finds the authorization server of the endpoint. The page may connect to its own server alone. */
import { parseChallenge } from '../../../client/src/challenge.ts'
import type { SendRequest } from '../../../client/src/client-http.ts'
import { type Discovered, discover } from '../../../client/src/discover.ts'
import { signInError } from '../../../client/src/mcp-error.ts'

/** @throws {McpError} for a URL of another origin */
export const send: SendRequest = async ({ url, ...request }) => {
  if (url.origin !== location.origin) {
    throw signInError(
      `The metadata is at ${url.href}, and this page is at ${location.origin}. Open the inspector at that address.`,
    )
  }
  const response = await fetch(url, { ...request, redirect: 'error', credentials: 'omit' })
  return { status: response.status, text: await response.text() }
}

/**
 * @param challenge the `WWW-Authenticate` header of the refusal
 * @throws {McpError}
 */
export function discoverServer(endpoint: URL, challenge: string): Promise<Discovered> {
  return discover(send, {
    url: endpoint,
    challenge: parseChallenge(challenge) ?? {},
    checkUrl: ({ origin }) => {
      if (origin === location.origin) return
      throw signInError(
        `The authorization server is at ${origin}. This page may connect to its own server alone: get an access token there and enter it here.`,
      )
    },
  })
}
