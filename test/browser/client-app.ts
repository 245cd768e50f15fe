/** An app that registers itself, creates authorization links and receives the response on loopback. */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export interface ClientApp {
  readonly clientId: string
  readonly redirectUri: string
  /** A new authorization request. */
  link(changes?: Readonly<Record<string, string>>): string
  /** The received authorization responses. */
  readonly answers: URLSearchParams[]
  /** Exchanges the code of the last authorization request. */
  redeem(answer: URLSearchParams | undefined): Promise<Readonly<Record<string, unknown>>>
  /** Calls the endpoint with a token and returns the status. */
  call(accessToken: unknown): Promise<number>
  stop(): Promise<void>
}

export interface ClientAppOptions {
  readonly issuer: string
  readonly name?: string
  /** Further redirect URIs. */
  readonly redirectUris?: readonly string[]
  /** Writes the response of the callback. */
  readonly reply?: (response: ServerResponse) => void
}

const PAGE = '<!doctype html><title>Connected</title><p>You can close this window.'

export async function startClientApp({
  issuer,
  name = 'Example Notebook',
  redirectUris = [],
  reply = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE),
}: ClientAppOptions): Promise<ClientApp> {
  const answers: URLSearchParams[] = []
  const origin = await listen((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (url.pathname !== '/callback') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE)
      return
    }
    answers.push(url.searchParams)
    reply(response)
  })
  const redirectUri = `${origin.url}/callback`
  const clientId = await register(issuer, name, [redirectUri, ...redirectUris])
  let verifier = ''
  let used = redirectUri
  return {
    clientId,
    redirectUri,
    answers,
    link(changes = {}) {
      verifier = randomBytes(32).toString('base64url')
      used = changes.redirect_uri ?? redirectUri
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: 'read write',
        state: 'state-1',
        resource: `${issuer}/mcp`,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        ...changes,
      })
      return `${issuer}/authorize?${query}`
    },
    async redeem(answer) {
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code: answer?.get('code') ?? '',
          client_id: clientId,
          redirect_uri: used,
          code_verifier: verifier,
        }),
      })
      return (await response.json()) as Readonly<Record<string, unknown>>
    },
    async call(accessToken) {
      const response = await fetch(`${issuer}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${String(accessToken)}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      })
      await response.body?.cancel()
      return response.status
    },
    stop: origin.stop,
  }
}

async function register(
  issuer: string,
  client_name: string,
  redirect_uris: readonly string[],
): Promise<string> {
  const response = await fetch(`${issuer}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name, redirect_uris, token_endpoint_auth_method: 'none' }),
  })
  const answer = (await response.json()) as { readonly client_id?: string }
  if (answer.client_id === undefined) throw new Error(`Not registered: ${JSON.stringify(answer)}`)
  return answer.client_id
}

/** Starts a server on a free port. */
export async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer(handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
