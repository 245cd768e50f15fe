/** Clients whose registration has expired while their grant is live. */
import { generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { bodyOf, messageOf, refusalOf } from './support/answers.ts'
import { AuthClient, statusWith, tokensOf } from './support/client.ts'
import { advance, openDeployment } from './support/deployment.ts'
import { assertionOf, expectRefusal, open as openFlow, type Setting } from './support/flow.ts'
import { basic, MACHINE } from './support/static-clients.ts'

const DAY_MS = 86_400_000

/** A client whose registration has expired, with a grant that it has refreshed meanwhile. */
async function open(setting: Setting = {}) {
  const opened = await openFlow(setting)
  const { client, credentials } = opened
  const first = await tokensOf(await client.redeem(await client.code(), await credentials()))
  advance(50 * DAY_MS)
  const tokens = await tokensOf(await client.refresh(first.refresh, await credentials()))
  advance(50 * DAY_MS)
  return { ...opened, tokens }
}

describe('a client whose registration has expired', () => {
  it('refreshes and revokes its live grant', async () => {
    const { server, client, tokens } = await open()
    const next = await tokensOf(await client.refresh(tokens.refresh))
    expect(await statusWith(server, next.access)).toBe(200)
    expect((await client.refresh(next.refresh)).status).toBe(200)
    expect((await client.post('/revoke', { token: next.refresh })).status).toBe(200)
    expect(await statusWith(server, next.access)).toBe(401)
  })

  it('must present its secret', async () => {
    const { server, client, tokens } = await open({ kind: 'secret' })
    for (const secret of [undefined, 'wrong']) {
      const impostor = new AuthClient(server, client.id, secret)
      expect((await impostor.refresh(tokens.refresh)).status).toBe(401)
    }
    const introspected = await bodyOf(await client.post('/introspect', { token: tokens.refresh }))
    expect(introspected).toMatchObject({ active: true })
    expect((await client.refresh(tokens.refresh)).status).toBe(200)
  })

  it('signs its assertions with the keys that it has registered', async () => {
    const { client, credentials, tokens } = await open({ kind: 'keys' })
    const { privateKey } = await generateKeyPair('ES256')
    const forged = client.refresh(tokens.refresh, await assertionOf(client.id, privateKey))
    await expectRefusal(forged, 'invalid_client', 401)
    expect((await client.refresh(tokens.refresh, await credentials())).status).toBe(200)
  })

  it('is unknown with the refresh token of another client, and with one that was made up', async () => {
    const { server, client, tokens } = await open()
    const other = await AuthClient.register(server)
    const foreign = (await other.tokens()).refresh
    await expectRefusal(client.refresh(foreign), 'invalid_client', 401)
    await expectRefusal(client.refresh('made-up'), 'invalid_client', 401)
    expect((await other.refresh(tokens.refresh)).status).toBe(400)
  })

  it('is unknown once its grant was revoked, and cannot request a new authorization', async () => {
    const { client, tokens } = await open()
    await client.post('/revoke', { token: tokens.refresh })
    await expectRefusal(client.refresh(tokens.refresh), 'invalid_client', 401)
    expect(messageOf(await client.authorize())).toBe(400)
  })
})

it('a configured client that the author has removed cannot use its live grants', async () => {
  const { client, server } = await openFlow({ kind: 'static' })
  const { refresh } = await client.tokens()
  const after = openDeployment({}, { bindings: server.bindings })
  const fields = { client_id: undefined, client_secret: undefined }
  const refused = await client.at(after).refresh(refresh, fields, basic(MACHINE.id))
  expect(await refusalOf(refused)).toMatchObject({ status: 401, error: 'invalid_client' })
})
