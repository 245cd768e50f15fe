import { describe, expect, it } from 'vitest'
import { verifies } from '../../../support/verifies.ts'
import { bodyOf, refusalOf, refusalWith } from '../support/answers.ts'
import { AuthClient, postForm, statusWith } from '../support/client.ts'
import { advance, openDeployment } from '../support/deployment.ts'
import { basic, MACHINE } from '../support/static-clients.ts'

const open = () => openDeployment({ clients: [MACHINE] })
const CREDENTIALS = { grant_type: 'client_credentials' }
const HOUR_MS = 3_600_000

describe('client credentials', () => {
  it('give an access token of one hour and no refresh token', async () => {
    verifies('client-credentials/conformance', 'oauth-2-1-endpoints/access-token-and-type')
    verifies('oauth-security-practice/refresh-tokens-by-risk')
    const server = open()
    const body = await bodyOf(await postForm(server, '/token', CREDENTIALS, basic('machine')))
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'read write',
    })
    const token = String(body.access_token)
    advance(HOUR_MS - 1)
    expect(await statusWith(server, token)).toBe(200)
    advance(1)
    expect(await statusWith(server, token)).toBe(401)
  })

  it('are rejected with invalid_client when the secret is wrong', async () => {
    verifies('client-credentials/client-authentication')
    verifies('oauth-2-1-grants/client-credentials-authenticate')
    const refused = await postForm(open(), '/token', CREDENTIALS, basic('machine', 'wrong'))
    expect(await refusalOf(refused)).toEqual({
      status: 401,
      error: 'invalid_client',
      challenge: 'Basic realm="https://mcp.example.com", charset="UTF-8"',
    })
  })

  it('are rejected with unauthorized_client for a client that registered itself', async () => {
    verifies('oauth-2-1-clients/privileges-of-clients')
    verifies('oauth-2-1-grants/confidential-client-credentials')
    const client = await AuthClient.register(open(), {
      token_endpoint_auth_method: 'client_secret_post',
    })
    expect(await refusalOf(await client.token(CREDENTIALS))).toEqual(
      refusalWith('unauthorized_client'),
    )
  })
})
