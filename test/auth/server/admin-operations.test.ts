/** What the operations of the admin API end and keep, and that they may be repeated. */
import { describe, expect, it } from 'vitest'
import { admin } from '../../../packages/inspector/src/admin/index.ts'
import { OWNERS, open, operate, SCOPES, send, tokenFor } from './support/admin.ts'
import { Browser } from './support/browser.ts'
import { AuthClient, statusWith } from './support/client.ts'
import { advance, GUEST_PASSPHRASE, ORIGIN, openDeployment } from './support/deployment.ts'
import { createToken, openWithTokens } from './support/personal-tokens.ts'

describe('the operations on grants', () => {
  async function opened() {
    const server = open()
    const client = await AuthClient.register(server)
    const guest = await client.tokens({ scope: 'read' }, GUEST_PASSPHRASE)
    const token = await tokenFor(server)
    return { server, client, guest, token }
  }

  it('revoke-everyone ends the token of its own caller too, at once in this isolate', async () => {
    const { server, guest, token } = await opened()
    expect(await operate(server, token, { operation: 'revoke-everyone' })).toEqual({
      validFrom: Date.now() + 30_000,
    })
    expect(await statusWith(server, guest.access)).toBe(401)
    expect((await send(server, { operation: 'health' }, token)).status).toBe(401)
  })

  it('revoke-client ends the grants of one client', async () => {
    const { server, client, guest, token } = await opened()
    await operate(server, token, { operation: 'revoke-client', client: client.id })
    expect(await statusWith(server, guest.access)).toBe(401)
    expect((await client.refresh(guest.refresh)).status).toBe(400)
    await operate(server, token, { operation: 'grants', subject: 'owner' })
  })

  it('revoke-client says when too many clients are revoked', async () => {
    const { server, token } = await opened()
    for (let index = 0; index < 100; index++) {
      await operate(server, token, { operation: 'revoke-client', client: `client-${index}` })
    }
    const response = await send(server, { operation: 'revoke-client', client: 'one-more' }, token)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('Revoke everyone instead')
  })

  it('revoke-grant ends one grant, and says at the second time that there is none', async () => {
    const { server, client, guest, token } = await opened()
    const other = await client.tokens({ scope: 'read' }, GUEST_PASSPHRASE)
    const listed = (await operate(server, token, { operation: 'grants', subject: 'guest' })) as {
      grants: { grantId: string }[]
    }
    const grant = listed.grants.at(-1)?.grantId ?? ''
    const revoke = { operation: 'revoke-grant', subject: 'guest', grant }
    expect(await operate(server, token, revoke)).toEqual({ revoked: true })
    expect(await operate(server, token, revoke)).toEqual({ revoked: false })
    const statuses = [guest, other].map(({ access }) => statusWith(server, access))
    expect((await Promise.all(statuses)).sort()).toEqual([200, 401])
  })

  it('revoke-person ends the grants and the sign-ins of one person alone, for thirty seconds', async () => {
    const { server, guest, token } = await opened()
    const browser = new Browser(server)
    await browser.signIn(GUEST_PASSPHRASE)
    const revoke = { operation: 'revoke-person', subject: 'guest' }
    expect(await operate(server, token, revoke)).toMatchObject({ grants: 1, consents: 0 })
    expect(await operate(server, token, revoke)).toMatchObject({ grants: 0 })
    expect(await statusWith(server, guest.access)).toBe(401)
    expect((await browser.get('/account')).actions).toEqual(['/login'])
    await operate(server, token, { operation: 'grants', subject: 'owner' })
    advance(30_001)
    await browser.signIn(GUEST_PASSPHRASE)
    expect((await browser.get('/account')).actions).toContain('/logout')
  })

  it('revoke-person ends personal access tokens', async () => {
    const server = openWithTokens(
      { limits: { grantCheckMaxAgeMs: 0 }, scopes: { ...SCOPES, write: 'Write' } },
      { app: { admin: admin(OWNERS) } },
    )
    const browser = new Browser(server)
    await browser.signIn(GUEST_PASSPHRASE)
    const personal = await createToken(browser, {
      passphrase: GUEST_PASSPHRASE,
      resource: `${ORIGIN}/mcp`,
    })
    expect(await statusWith(server, personal)).toBe(200)
    const revoke = { operation: 'revoke-person', subject: 'guest' }
    expect(await operate(server, await tokenFor(server), revoke)).toMatchObject({
      personalTokens: 1,
    })
    expect(await statusWith(server, personal)).toBe(401)
  })

  it('rotate-keys keeps every token, and repeats nothing', async () => {
    const { server, guest, token } = await opened()
    const rotated = await operate(server, token, { operation: 'rotate-keys' })
    expect(rotated).toEqual({
      sealFrom: Date.now() + 86_400_000,
      signFrom: Date.now() + 86_400_000,
    })
    advance(60_000)
    expect(await operate(server, token, { operation: 'rotate-keys' })).toEqual(rotated)
    expect(await statusWith(server, guest.access)).toBe(200)
  })

  it('rotate-keys with discard ends every token in an isolate that starts afterwards', async () => {
    const { server, guest, token } = await opened()
    const discard = { operation: 'rotate-keys', discard: true }
    advance(60_000)
    const now = Date.now()
    expect(await operate(server, token, discard)).toEqual({ sealFrom: now, signFrom: now })
    const restarted = openDeployment({ scopes: SCOPES }, { bindings: server.bindings })
    expect(await statusWith(restarted, guest.access)).toBe(401)
    const client = await AuthClient.register(restarted)
    expect(await statusWith(restarted, (await client.tokens()).access)).toBe(200)
  })
})
