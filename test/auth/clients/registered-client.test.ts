import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { DAY_MS, ISSUER, NOW, openDeployment } from './deployment.ts'
import { EC_KEY, RSA_KEY } from './keys.ts'

const CURSOR = {
  client_name: 'Cursor',
  redirect_uris: [
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'https://www.cursor.com/agents/mcp/oauth/callback',
    'http://localhost:8787/callback',
  ],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

describe('registration', () => {
  it('gives a public client an id that contains its metadata', async () => {
    const { clients } = openDeployment()
    const registered = await clients.register(CURSOR)
    expect(registered).toMatchObject({ ...CURSOR, client_id_issued_at: NOW / 1000 })
    expect(registered).not.toHaveProperty('client_secret')
    expect(registered).not.toHaveProperty('client_secret_expires_at')
    const id = registered.client_id as string
    expect(await clients.find(id)).toEqual({
      id,
      kind: 'registered',
      name: 'Cursor',
      uri: undefined,
      host: undefined,
      redirectUris: CURSOR.redirect_uris,
      authMethod: 'none',
      secretHash: undefined,
      jwks: undefined,
      jwksUri: undefined,
      grantTypes: ['authorization_code', 'refresh_token'],
      scopes: undefined,
      dpopBound: false,
    })
  })

  it.each(['client_secret_basic', 'client_secret_post', undefined])(
    'gives a client with %s a secret, which is not stored',
    async (method) => {
      verifies('enterprise-managed-authorization/client-credentials')
      const { clients, sealer } = openDeployment()
      const { client_id, client_secret, client_secret_expires_at } = await clients.register({
        ...CURSOR,
        token_endpoint_auth_method: method,
      })
      expect(client_secret).toMatch(/^[\w-]{43}$/)
      expect(client_secret_expires_at).toBe(NOW / 1000 + 90 * 86_400)
      const found = await clients.find(client_id as string)
      expect(found?.authMethod).toBe(method ?? 'client_secret_basic')
      expect(found?.secretHash).toMatch(/^[\w-]{43}$/)
      const opened = await sealer.open('client-id/1', client_id as string, ISSUER)
      expect(new TextDecoder().decode(opened)).not.toContain(client_secret)
    },
  )

  it('seals all metadata that later requests need', async () => {
    const { clients } = openDeployment()
    const { client_id } = await clients.register({
      redirect_uris: ['com.example.app:/cb'],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [EC_KEY, RSA_KEY] },
      grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
      scope: 'read write',
      client_uri: 'https://a.example',
      client_name: 'Caf\u00e9',
    })
    expect(await clients.find(client_id as string)).toMatchObject({
      redirectUris: ['com.example.app:/cb'],
      authMethod: 'private_key_jwt',
      jwks: [EC_KEY, RSA_KEY],
      grantTypes: [
        'authorization_code',
        'refresh_token',
        'urn:ietf:params:oauth:grant-type:jwt-bearer',
      ],
      scopes: ['read', 'write'],
      uri: 'https://a.example',
      name: 'Caf\u00e9',
    })
  })

  it('gives ids that are short enough for URLs, also for ten long redirect URIs', async () => {
    const { clients } = openDeployment()
    const idOf = async (changes: object) =>
      String((await clients.register({ ...CURSOR, ...changes })).client_id)
    const id = await idOf({
      client_uri: 'https://cursor.com',
      scope: 'read write offline_access',
      token_endpoint_auth_method: 'client_secret_post',
    })
    expect(id).toMatch(/^[\w.-]+$/)
    expect(id.length).toBeLessThan(600)
    const uris = (length: number) =>
      Array.from({ length: 10 }, (_, n) => `https://a.example/${n}`.padEnd(length, 'x'))
    const long = await idOf({ redirect_uris: uris(150) })
    expect(long.length).toBeLessThan(2500)
    expect((await clients.find(long))?.redirectUris).toEqual(uris(150))
    await expect(idOf({ redirect_uris: uris(2000) })).rejects.toMatchObject({
      code: 'invalid_client_metadata',
      message:
        'The client metadata is too long: register fewer redirect_uris, or a jwks_uri instead of jwks',
    })
  })

  it('gives only ids that it accepts later, at every length', async () => {
    const { clients } = openDeployment()
    const rejected: number[] = []
    const known: number[] = []
    for (let length = 2900; length < 3100; length += 2) {
      const redirect_uris = ['https://a.example/', 'https://b.example/'].map((uri) =>
        uri.padEnd(length / 2, 'x'),
      )
      const registered = await clients.register({ ...CURSOR, redirect_uris }).catch(() => undefined)
      if (registered === undefined) rejected.push(length)
      else if (await clients.find(registered.client_id as string)) known.push(length)
    }
    expect(known.length).toBeGreaterThan(0)
    expect(rejected.length).toBeGreaterThan(0)
    expect(known.length + rejected.length).toBe(100)
    expect(Math.max(...known)).toBeLessThan(Math.min(...rejected))
  })
})

describe('a client id is unknown', () => {
  it('after 90 days', async () => {
    const { clients, clock } = openDeployment()
    const { client_id } = await clients.register(CURSOR)
    clock.now += 90 * DAY_MS - 1
    expect(await clients.find(client_id as string)).toBeDefined()
    clock.now += 1
    expect(await clients.find(client_id as string)).toBeUndefined()
  })

  it('to another issuer with the same keys', async () => {
    const { client_id } = await openDeployment().clients.register(CURSOR)
    const other = openDeployment({ issuer: 'https://other.example.com' })
    expect(await other.clients.find(client_id as string)).toBeUndefined()
  })

  it('when it was sealed for another purpose', async () => {
    const { clients, sealer } = openDeployment()
    const payload = new TextEncoder().encode(
      '{"r":["https://evil.example/"],"m":"none","e":9999999999}',
    )
    const code = await sealer.seal('auth-code/1', payload, ISSUER)
    expect(await clients.find(code)).toBeUndefined()
  })

  it('when a character was replaced, inserted or removed', async () => {
    const { clients } = openDeployment()
    const id = (await clients.register(CURSOR)).client_id as string
    for (let at = 0; at < id.length; at += 7) {
      const other = id[at] === 'A' ? 'B' : 'A'
      expect(await clients.find(id.slice(0, at) + other + id.slice(at + 1))).toBeUndefined()
      expect(await clients.find(id.slice(0, at) + id.slice(at + 1))).toBeUndefined()
      expect(await clients.find(id.slice(0, at) + other + id.slice(at))).toBeUndefined()
    }
  })

  it.each([
    ['empty', ''],
    ['a space', ' '],
    ['a letter', 'x'],
    ['a property of Object.prototype', 'constructor'],
    ['__proto__', '__proto__'],
    ['a control character', '\u0000'],
    ['too long', 'A'.repeat(5000)],
    ['the prefix of a seal', '1envAAAAA.'],
  ])('when it is %s', async (_, id) => {
    expect(await openDeployment().clients.find(id)).toBeUndefined()
  })
})
