/** The servers that the Worker calls: the host of a client's metadata document, and an OpenID provider. */
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { type EgressServer, startEgressServer } from '../attacks/auth/egress-server.ts'

/** The URL of the document is the id of the client. */
export const DOCUMENT_CLIENT = {
  id: 'https://app.example/client.json',
  redirectUri: 'https://app.example/callback',
} as const

const DOCUMENT = {
  client_id: DOCUMENT_CLIENT.id,
  client_name: 'An app with a document',
  redirect_uris: [DOCUMENT_CLIENT.redirectUri],
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
}

export const PROVIDER = 'https://provider.example'

/** The only refresh token that the provider accepts. Grants keep it in their props. */
const PROVIDER_REFRESH_TOKEN = 'refresh-token-of-the-provider'

export interface OutsideWorldOptions {
  /** The time on the Worker's clock, in epoch milliseconds. */
  readonly now: () => number
  /** Without it, the metadata document of the client cannot be fetched. */
  readonly hasDocument: boolean
}

/** Starts an egress proxy that plays these servers. */
export async function startOutsideWorld({
  now,
  hasDocument,
}: OutsideWorldOptions): Promise<EgressServer> {
  const egress = await startEgressServer()
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'provider', alg: 'ES256' }
  const publish = (url: string, document: object) =>
    egress.responders.set(url, () => ({ body: JSON.stringify(document) }))
  if (hasDocument) publish(DOCUMENT_CLIENT.id, DOCUMENT)
  publish(`${PROVIDER}/.well-known/openid-configuration`, {
    issuer: PROVIDER,
    authorization_endpoint: `${PROVIDER}/authorize`,
    token_endpoint: `${PROVIDER}/token`,
    jwks_uri: `${PROVIDER}/jwks`,
  })
  publish(`${PROVIDER}/jwks`, { keys: [jwk] })
  /** The code of an authorization is its nonce, so that the provider keeps no state. */
  const signIdToken = (nonce: string) => {
    const iat = Math.floor(now() / 1000)
    const claims = { iss: PROVIDER, aud: 'edgeway-fixture', sub: 'alice', nonce, iat }
    return new SignJWT({ ...claims, exp: iat + 60 })
      .setProtectedHeader({ alg: 'ES256', kid: 'provider' })
      .sign(privateKey)
  }
  egress.responders.set(`${PROVIDER}/token`, (body, response) => {
    const form = new URLSearchParams(body)
    const isRefresh = form.get('grant_type') === 'refresh_token'
    if (isRefresh && form.get('refresh_token') !== PROVIDER_REFRESH_TOKEN) {
      return { status: 400, body: '{"error":"invalid_grant"}' }
    }
    const tokens = {
      access_token: 'access-token-of-the-provider',
      refresh_token: PROVIDER_REFRESH_TOKEN,
      token_type: 'Bearer',
      expires_in: 60,
    }
    signIdToken(form.get('code') ?? '').then(
      (id_token) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(isRefresh ? tokens : { ...tokens, id_token }))
      },
      (error) => response.destroy(error),
    )
    return undefined
  })
  return egress
}
