/** A sign-in at an OpenID provider: what comes back to the callback, and to whom it does not belong. */
import type { ServerResponse } from 'node:http'
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Browser, fieldOf } from './browser.ts'
import { authorizeQuery, createVerifier, type Registered, register } from './client.ts'
import { type Outside, startOutside } from './outside.ts'
import { type ProtectedServer, startProtectedServer } from './protected-server.ts'
import { type Answer, errorOf } from './send.ts'

let server: ProtectedServer
let outside: Outside
let client: Registered
let key: CryptoKey
let otherKey: CryptoKey
/** What the id token says besides, or otherwise. */
let changes: Record<string, unknown>
let signWith: () => { readonly key: CryptoKey; readonly header: Record<string, unknown> }
let nonce: string

beforeAll(async () => {
  outside = await startOutside()
  const pair = await generateKeyPair('ES256', { extractable: true })
  key = pair.privateKey
  otherKey = (await generateKeyPair('ES256')).privateKey
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'provider', alg: 'ES256' }
  const at = (path: string) => `${outside.url}${path}`
  outside.plays.set(at('/.well-known/openid-configuration'), () => ({
    body: JSON.stringify({
      issuer: outside.url,
      authorization_endpoint: at('/authorize'),
      token_endpoint: at('/token'),
      jwks_uri: at('/jwks'),
    }),
  }))
  outside.plays.set(at('/jwks'), () => ({ body: JSON.stringify({ keys: [jwk] }) }))
  const respond = async (response: ServerResponse) => {
    const { key, header } = signWith()
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      ...{ iss: outside.url, aud: 'edgeway-fixture', sub: 'alice', nonce, iat: now, exp: now + 60 },
      ...changes,
    }
    const id_token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: 'provider', ...header })
      .sign(key)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ access_token: 'up', token_type: 'Bearer', id_token }))
  }
  outside.plays.set(at('/token'), (_, response) => {
    respond(response).catch((error) => response.destroy(error))
    return undefined
  })
  server = await startProtectedServer({ upstream: outside.url, egress: outside.url })
  client = await register(server.issuer)
})
afterAll(async () => {
  await server?.stop()
  await outside?.stop()
})
beforeEach(() => {
  changes = {}
  signWith = () => ({ key, header: {} })
})

/** A browser that has approved and stands at the provider's door. */
async function sent(
  name?: string,
  browser = new Browser(server.issuer),
): Promise<{ browser: Browser; state: string; nonce: string }> {
  const known = name === undefined ? client : await register(server.issuer, { client_name: name })
  const form = await browser.consent(authorizeQuery(known.id, createVerifier()))
  const answer = await browser.approve(form)
  const url = new URL(answer.headers.get('location') ?? '')
  expect(url.searchParams.get('code_challenge_method')).toBe('S256')
  nonce = url.searchParams.get('nonce') ?? ''
  return { browser, state: url.searchParams.get('state') ?? '', nonce }
}

const back = (browser: Browser, query: Readonly<Record<string, string>> | string) => {
  const text = typeof query === 'string' ? query : new URLSearchParams(query).toString()
  return browser.get(`/authorize/callback?${text}`, 'cross-site')
}

function expectNobody(answer: Answer, browser: Browser) {
  expect(answer.headers.get('location') ?? '').not.toContain('code=')
  expect(browser.cookies.has('__Host-edgeway-login')).toBe(false)
}

it('lets in whom the provider names', async () => {
  const { browser, state } = await sent()
  const answer = await back(browser, { code: 'c', state })
  expect(answer.status).toBe(303)
  expect(answer.headers.get('location')).toMatch(/^https:\/\/client\.example\/callback\?code=/)
})

describe('the client is told access_denied where', () => {
  const denied: readonly (readonly [string, () => void])[] = [
    [
      'the nonce is that of another sign-in',
      () => {
        changes = { nonce: 'other' }
      },
    ],
    [
      'there is no nonce',
      () => {
        changes = { nonce: undefined }
      },
    ],
    [
      'the id token is for another client',
      () => {
        changes = { aud: 'other' }
      },
    ],
    [
      'the id token is for several, and not to us',
      () => {
        changes = { aud: ['edgeway-fixture', 'other'] }
      },
    ],
    [
      'the id token was issued to another',
      () => {
        changes = { azp: 'other' }
      },
    ],
    [
      'the id token is of another issuer',
      () => {
        changes = { iss: 'https://evil.example' }
      },
    ],
    [
      'the id token has ended',
      () => {
        changes = { exp: 1 }
      },
    ],
    [
      'the id token is of the future',
      () => {
        changes = { iat: 9_999_999_999 }
      },
    ],
    [
      'there is no subject',
      () => {
        changes = { sub: undefined }
      },
    ],
    [
      'the subject is a number',
      () => {
        changes = { sub: 1 }
      },
    ],
    [
      'another key has signed',
      () => {
        signWith = () => ({ key: otherKey, header: {} })
      },
    ],
    [
      'another key has signed and is named',
      () => {
        signWith = () => ({
          key: otherKey,
          header: { kid: 'evil', jku: 'https://evil.example/jwks' },
        })
      },
    ],
  ]
  it.each(denied)('%s', async (_, prepare) => {
    prepare()
    const { browser, state } = await sent()
    const answer = await back(browser, { code: 'c', state })
    expect([answer.status, errorOf(answer)]).toEqual([303, 'access_denied'])
    expectNobody(answer, browser)
    expect(outside.asked).not.toContain('https://evil.example/jwks')
  })

  const answers: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['the answer is of another provider', { code: 'c', iss: 'https://evil.example' }],
    ['an error is of another provider', { error: 'access_denied', iss: 'https://evil.example' }],
    ['the provider says no', { error: 'access_denied' }],
    [
      'the provider says something with script',
      { error: '<script>', error_description: '<script>alert(1)</script>' },
    ],
    ['there is no code', {}],
    ['the code has 5,000 characters', { code: 'a'.repeat(5000) }],
  ]
  it.each(answers)('%s', async (_, query) => {
    const { browser, state } = await sent()
    const answer = await back(browser, { ...query, state })
    expect([answer.status, errorOf(answer)]).toEqual([303, 'access_denied'])
    expect(decodeURIComponent(answer.headers.get('location') ?? '')).not.toContain('<script')
    expectNobody(answer, browser)
  })

  it('the answer has two codes', async () => {
    const { browser, state } = await sent()
    const answer = await back(browser, `code=a&code=b&state=${encodeURIComponent(state)}`)
    expect(errorOf(answer)).toBe('access_denied')
    expectNobody(answer, browser)
  })
})

describe('the person is told, and nobody is sent anywhere, where', () => {
  it.each(['', 'made-up', '\u0000', 'a'.repeat(5000)])('the state is %j', async (state) => {
    const { browser } = await sent()
    const answer = await back(browser, { code: 'c', state })
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
  })
  it('the state is there twice', async () => {
    const { browser, state } = await sent()
    const twice = encodeURIComponent(state)
    const answer = await back(browser, `code=c&state=${twice}&state=${twice}`)
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
  })
  it('the sign-in was begun in another browser', async () => {
    const attacker = await sent()
    const victim = await sent()
    for (const browser of [victim.browser, new Browser(server.issuer)]) {
      const answer = await back(browser, { code: 'c', state: attacker.state })
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
    }
  })
  it('the state is a transaction, which was sealed for something else', async () => {
    const { browser } = await sent()
    const form = await browser.consent(authorizeQuery(client.id, createVerifier()))
    const answer = await back(browser, { code: 'c', state: form.transaction })
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
  })
  it('the answer comes a second time', async () => {
    const { browser, state } = await sent()
    const approvals = [...browser.cookies].filter(([name]) => name.includes('-approval-'))
    expect(approvals).toHaveLength(1)
    expect((await back(browser, { code: 'c', state })).status).toBe(303)
    for (const [name, value] of approvals) browser.cookies.set(name, value)
    const again = await back(browser, { code: 'c', state })
    expect([again.status, again.headers.get('location')]).toEqual([400, null])
  })
})

it('lets a browser connect two clients at the same time', async () => {
  const first = await sent()
  const { browser } = first
  const second = await sent(undefined, browser)
  for (const begun of [first, second]) {
    nonce = begun.nonce
    expect((await back(browser, { code: 'c', state: begun.state })).status).toBe(303)
  }
})

it('gives one code to twenty answers at once', async () => {
  const { browser, state } = await sent()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => back(browser, { code: 'c', state })),
  )
  expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
})

it('does not send anybody to the provider before they have approved', async () => {
  const browser = new Browser(server.issuer)
  const answer = await browser.get(
    `/authorize?${authorizeQuery(client.id, createVerifier())}`,
    'none',
  )
  expect([answer.status, answer.headers.get('location')]).toEqual([200, null])
})

it('shows script in the name of a person as text', async () => {
  changes = { name: '"><script>alert(1)</script>' }
  const { browser, state } = await sent()
  await back(browser, { code: 'c', state })
  const { status, body } = await browser.get('/account')
  expect(status).toBe(200)
  expect(fieldOf(body, 'csrf')).not.toBe('')
  expect(body).toContain('&lt;script&gt;')
  expect(body).not.toContain('<script')
})
