/**
 * An OpenID provider on this machine. It serves a page or a redirect to the browser, and metadata, keys
 * and tokens to the Worker, as its egress proxy.
 */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { listen } from './client-app.ts'

export interface UpstreamProvider {
  readonly url: string
  /**
   * `page`: shows a page with a link back. `redirect`: redirects back through another host.
   * `refuse`: redirects back with an error.
   */
  mode: 'page' | 'redirect' | 'refuse'
  stop(): Promise<void>
}

export async function startUpstreamProvider(): Promise<UpstreamProvider> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'key-1', alg: 'ES256', use: 'sig' }
  const codes = new Map<string, { readonly nonce: string; readonly challenge: string }>()

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const original = request.headers['x-original-url']
    const path = typeof original === 'string' ? original : (request.url ?? '/')
    const url = new URL(path, provider.url)
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return json(response, metadata())
      case '/keys':
        return json(response, { keys: [jwk] })
      case '/authorize':
        return authorize(url.searchParams, response)
      case '/token':
        return json(response, await tokens(new URLSearchParams(await bodyOf(request))))
      default:
        response.writeHead(404).end()
    }
  }

  const server = await listen((request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  })
  /** Another host of the same provider, because some redirect through several. */
  const hop = await listen((request, response) => {
    const to = new URL(request.url ?? '/', server.url).searchParams.get('to') ?? ''
    response.writeHead(302, { location: to }).end()
  })

  const metadata = () => ({
    issuer: server.url,
    authorization_endpoint: `${server.url}/authorize`,
    token_endpoint: `${server.url}/token`,
    jwks_uri: `${server.url}/keys`,
    authorization_response_iss_parameter_supported: true,
  })

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const back = new URL(query.get('redirect_uri') ?? '')
    back.searchParams.set('state', query.get('state') ?? '')
    back.searchParams.set('iss', server.url)
    if (provider.mode === 'refuse') {
      back.searchParams.set('error', 'access_denied')
      response.writeHead(302, { location: back.href }).end()
      return
    }
    const code = `code-${codes.size + 1}`
    codes.set(code, {
      nonce: query.get('nonce') ?? '',
      challenge: query.get('code_challenge') ?? '',
    })
    back.searchParams.set('code', code)
    if (provider.mode === 'redirect') {
      response.writeHead(302, { location: `${hop.url}/?to=${encodeURIComponent(back.href)}` }).end()
      return
    }
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<title>Provider</title><a href="${back.href.replaceAll('&', '&amp;')}">Continue</a>`)
  }

  async function tokens(form: URLSearchParams): Promise<object> {
    const known = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256').update(form.get('code_verifier') ?? '')
    if (known?.challenge !== challenge.digest('base64url')) return { error: 'invalid_grant' }
    const id_token = await new SignJWT({ nonce: known.nonce, name: 'Ada Lovelace' })
      .setProtectedHeader({ alg: 'ES256', kid: 'key-1' })
      .setIssuer(server.url)
      .setAudience('edgeway-fixture')
      .setSubject('user-1')
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey)
    return { access_token: 'upstream-access', token_type: 'Bearer', expires_in: 3600, id_token }
  }

  const provider: UpstreamProvider = {
    url: server.url,
    mode: 'page',
    async stop() {
      await server.stop()
      await hop.stop()
    },
  }
  return provider
}

function json(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}
