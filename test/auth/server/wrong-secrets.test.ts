import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { refusalOf } from './support/answers.ts'
import { AuthClient, postForm } from './support/client.ts'
import { openDeployment } from './support/deployment.ts'
import { basic, MACHINE, SECRET } from './support/static-clients.ts'

const WRONG = { status: 401, error: 'invalid_client' }
const THROTTLED = { status: 429, error: 'invalid_client' }

function open() {
  const server = openDeployment({ clients: [MACHINE, { ...MACHINE, id: 'other' }] })
  const attempt = (secret: string, address = '192.0.2.1', id = 'machine', path = '/token') =>
    postForm(
      server,
      path,
      { grant_type: 'client_credentials', token: 'x' },
      { ...basic(id, secret), 'cf-connecting-ip': address },
    )
  /** Makes the network wait. */
  const exhaust = async (address?: string) => {
    for (let n = 0; n < 10; n++) await attempt('wrong', address)
  }
  return { server, attempt, exhaust }
}

describe('a wrong client secret', () => {
  it('is rejected with 401 ten times, and then with 429 and Retry-After', async () => {
    verifies('client-credentials/security', 'oauth-2-1-clients/brute-force-of-secrets')
    verifies('oauth-2-1-endpoints/challenge-for-basic', 'oauth-2-1-security/guessing')
    const { server, attempt } = open()
    for (let n = 0; n < 10; n++) {
      expect(await refusalOf(await attempt('wrong'))).toMatchObject(WRONG)
    }
    const response = await attempt('wrong')
    expect(response.headers.get('retry-after')).toBe('15')
    expect(await refusalOf(response)).toEqual(THROTTLED)
    expect(server.events.at(-1)).toMatchObject({ type: 'refusal', status: 429 })
  })

  it.each(['/token', '/revoke', '/introspect'])('is counted at %s too', async (path) => {
    verifies('oauth-2-1-clients/brute-force-of-secrets', 'token-revocation/guessing')
    const { attempt, exhaust } = open()
    await exhaust()
    expect((await attempt('wrong', undefined, undefined, path)).status).toBe(429)
  })

  it('is counted in the form as well', async () => {
    const { server, attempt, exhaust } = open()
    await exhaust()
    const fields = { client_id: 'machine', client_secret: 'wrong', token: 'x' }
    const headers = { 'cf-connecting-ip': '192.0.2.1' }
    expect((await postForm(server, '/revoke', fields, headers)).status).toBe(429)
    expect((await attempt('wrong')).status).toBe(429)
  })

  it('does not keep the right secret out, not even of the same network', async () => {
    const { attempt, exhaust } = open()
    await exhaust()
    expect((await attempt(SECRET)).status).toBe(200)
    expect((await attempt('wrong')).status).toBe(429)
  })

  it('affects neither another network nor another client', async () => {
    const { attempt, exhaust } = open()
    await exhaust('2001:db8:1:2::1')
    expect((await attempt('wrong', '2001:db8:1:2:ffff::9')).status).toBe(429)
    expect((await attempt('wrong', '2001:db8:1:3::1')).status).toBe(401)
    expect((await attempt('wrong', '2001:db8:1:2::1', 'other')).status).toBe(401)
  })

  it('is throttled for a registered client', async () => {
    verifies('oauth-2-1-clients/brute-force-of-secrets')
    const server = openDeployment()
    const metadata = { token_endpoint_auth_method: 'client_secret_post' }
    const { id } = await AuthClient.register(server, metadata)
    const impostor = new AuthClient(server, id, 'wrong')
    for (let n = 0; n < 10; n++) expect((await impostor.refresh('x')).status).toBe(401)
    expect((await impostor.refresh('x')).status).toBe(429)
  })
})
