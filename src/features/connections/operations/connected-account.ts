/** An account as a handler uses it: its token, and requests that carry it. */
import { sha256Base64Url } from '../../../platform/digest.ts'
import type { ConnectedAccount } from '../../../server/connection.ts'
import type { Service } from '../service.ts'
import type { Used } from '../store.ts'

type Token = Extract<Used, { kind: 'token' }>

/** A token with less time left is asked for again. */
const MARGIN_MS = 60_000

const MAX_REDIRECTS = 5

/**
 * @param renew asks for the token again; with a digest of one that the service has refused, for another one
 */
export function createConnectedAccount(
  { name, origins, login }: Service,
  first: Token,
  renew: (refused?: string) => Promise<Token>,
): ConnectedAccount {
  let current = first
  const token = async (): Promise<string> => {
    if ((current.expiresAt ?? Number.POSITIVE_INFINITY) < Date.now() + MARGIN_MS) {
      current = await renew()
    }
    return current.accessToken
  }
  const check = (url: URL) => {
    if (origins.includes(url)) return
    throw new TypeError(
      `The token of the connection "${name}" may not be sent to ${url.origin}: its origins are ${origins.listed.join(', ')}`,
    )
  }
  const header = login.kind === 'api-key' ? login.header : undefined
  const send = async (to: URL, init: RequestInit, accessToken: string): Promise<Response> => {
    const headers = new Headers(init.headers)
    headers.set(
      header ?? 'authorization',
      header === undefined ? `Bearer ${accessToken}` : accessToken,
    )
    const mayFollow = ['GET', 'HEAD'].includes((init.method ?? 'GET').toUpperCase())
    let url = to
    for (let redirects = 0; ; redirects++) {
      const response = await fetch(url.href, { ...init, headers, redirect: 'manual' })
      const location = response.headers.get('location')
      const isRedirect = response.status >= 300 && response.status < 400 && location !== null
      const next = isRedirect && mayFollow ? URL.parse(location, url.href) : null
      const follows = next !== null && origins.includes(next) && redirects < MAX_REDIRECTS
      if (!follows) return response
      await response.body?.cancel()
      url = next
    }
  }
  return {
    account: first.account,
    token,
    async fetch(to, init = {}) {
      const url = new URL(to)
      check(url)
      const accessToken = await token()
      const response = await send(url, init, accessToken)
      if (response.status !== 401 || init.body instanceof ReadableStream) return response
      const refused = await sha256Base64Url(accessToken)
      // The service may end tokens before their time. With a token that it still knows, its answer stands.
      const again = await renew(refused)
      if (again.accessToken === accessToken) return response
      current = again
      await response.body?.cancel()
      return send(url, init, again.accessToken)
    },
  }
}
