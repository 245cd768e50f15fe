/** Open state of OAuth clients: registrations, secrets, keys and metadata documents. */
import { createHash, randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import {
  type HeldClient,
  obtainCode,
  obtainTokens,
  redeem,
  refresh,
  register,
  statusWith,
  type Tokens,
  tokensIn,
} from '../../support/node/oauth-client.ts'
import { openState } from '../open-state.ts'
import { DOCUMENT_CLIENT } from '../outside-world.ts'
import type { ServedEndpoint } from '../upgrade-server.ts'

/** The headers with a DPoP proof (RFC 9449 §4.2), which is dated by the server's clock. */
async function proofHeaders(
  { origin, now }: ServedEndpoint,
  jwk: JWK,
  path: string,
  token?: string,
): Promise<Record<string, string>> {
  const { d: _, ...publicJwk } = jwk
  const ath = token && createHash('sha256').update(token).digest('base64url')
  const dpop = await new SignJWT({
    htm: 'POST',
    htu: origin + path,
    jti: randomUUID(),
    ...(ath && { ath }),
  })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: publicJwk })
    .setIssuedAt(Math.floor(now() / 1000))
    .sign(await importJWK(jwk, 'ES256'))
  return { dpop, ...(token !== undefined && { authorization: `DPoP ${token}` }) }
}

export const CLIENT_STATES = {
  'registered client': openState<HeldClient>({
    title: 'authorizes a client that has registered itself',
    isOlder: true,
    leave: (server, label) => register(server, { client_name: label }),
    async resume(server, client, expect) {
      const tokens = await obtainTokens(server, client, { as: 'guest' })
      expect(await statusWith(server, tokens.access)).toBe(200)
    },
  }),

  'client with a secret': openState<{ client: HeldClient; tokens: Tokens }>({
    title: 'authenticates a client by its secret',
    isOlder: true,
    async leave(server, label) {
      const client = await register(server, {
        client_name: label,
        token_endpoint_auth_method: 'client_secret_post',
      })
      return { client, tokens: await obtainTokens(server, client) }
    },
    async resume(server, { client, tokens }, expect) {
      const impostor = { ...client, secret: `${client.secret}x` }
      const { status, body } = await refresh(server, impostor, tokens.refresh)
      expect([status, body.error]).toEqual([401, 'invalid_client'])
      const refreshed = tokensIn(await refresh(server, client, tokens.refresh))
      expect(await statusWith(server, refreshed.access)).toBe(200)
    },
  }),

  'client with a key': openState<{ client: HeldClient; jwk: JWK; tokens: Tokens }>({
    title: 'accepts tokens that are bound to a key with proofs of that key alone',
    async leave(server, label) {
      const { privateKey } = await generateKeyPair('ES256', { extractable: true })
      const jwk = await exportJWK(privateKey)
      const client = await register(server, { client_name: label })
      const code = await obtainCode(server, client)
      const headers = await proofHeaders(server, jwk, '/token')
      return { client, jwk, tokens: tokensIn(await redeem(server, client, code, headers)) }
    },
    async resume(server, { client, jwk, tokens }, expect) {
      const withProof = async (token: string) =>
        statusWith(server, token, await proofHeaders(server, jwk, '/mcp', token))
      expect(await withProof(tokens.access)).toBe(200)
      expect(await statusWith(server, tokens.access)).toBe(401)
      expect((await refresh(server, client, tokens.refresh)).status).toBe(400)
      const headers = await proofHeaders(server, jwk, '/token')
      const refreshed = tokensIn(await refresh(server, client, tokens.refresh, headers))
      expect(await withProof(refreshed.access)).toBe(200)
    },
  }),

  'client with a document': openState<Tokens>({
    title: 'knows a client by its stored metadata document, which it does not fetch again',
    async leave(server) {
      return obtainTokens(server, DOCUMENT_CLIENT)
    },
    async resume(server, tokens, expect) {
      const refreshed = tokensIn(await refresh(server, DOCUMENT_CLIENT, tokens.refresh))
      expect(await statusWith(server, refreshed.access)).toBe(200)
      const { access } = await obtainTokens(server, DOCUMENT_CLIENT, { as: 'guest' })
      expect(await statusWith(server, access)).toBe(200)
    },
  }),
}
