/** Apps that do a little otherwise than the specifications have it, or know the server by other names. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { factsOf, headingOf, openBrowser } from './browser.ts'
import { authorizeUrl, expectAnswers, goAllTheWay, register } from './by-hand.ts'
import { type ClientHost, startClientHost } from './client-host.ts'
import { KNOWN_APPS, metadataOf } from './client-table.ts'
import { useProtectedServer } from './protected-server.ts'
import { refresh, sendMessage } from './raw.ts'

let host: ClientHost
const server = useProtectedServer(async () => {
  host = await startClientHost()
  return { egress: host.url }
})
afterAll(() => host.close())

const REDIRECT_URI = 'http://127.0.0.1:1/callback'
const METADATA = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' }

let clientId: string
beforeAll(async () => {
  clientId = (await register(server.origin, METADATA)).body.client_id
})

/** The app's way to tokens, with what it says of its own accord. */
async function tokensFor(params: Readonly<Record<string, string>> = {}) {
  const way = { origin: server.origin, clientId, redirectUri: REDIRECT_URI, params }
  return (await goAllTheWay(way)).tokens
}

async function pingStatus(token: string): Promise<number> {
  return (await sendMessage(server.url, { token, method: 'ping' })).status
}

describe.each(KNOWN_APPS.filter(({ document }) => document !== undefined))('$name', (app) => {
  test('is known by its document, and is answered at each of its callbacks', async () => {
    const { document = '', callbacks, name } = app
    host.publish(document, { client_id: document, ...metadataOf(app) })
    const [redirectUri = ''] = callbacks
    const way = { origin: server.origin, clientId: document, redirectUri }
    const page = await openBrowser().open(authorizeUrl(way))
    expect(headingOf(page)).toBe(`${name} wants to connect to Edgeway fixture`)
    expect(factsOf(page).App).toBe(new URL(document).hostname)
    await expectAnswers(server, document, callbacks)
  })
})

describe('an app', () => {
  test('may register twice at once, and use either id', async () => {
    const answers = await Promise.all([
      register(server.origin, METADATA),
      register(server.origin, METADATA),
    ])
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    for (const { body } of answers) await expectAnswers(server, body.client_id, [REDIRECT_URI])
  })

  test('loses one bad callback, and not the good ones beside it', async () => {
    const { status, body } = await register(server.origin, {
      ...METADATA,
      redirect_uris: ['http://evil.example/callback', 'javascript:alert(1)', REDIRECT_URI],
    })
    expect([status, body.redirect_uris]).toEqual([201, [REDIRECT_URI]])
    await expectAnswers(server, body.client_id, [REDIRECT_URI])
  })

  test('that says nothing of scopes gets those that the server names', async () => {
    expect((await tokensFor()).body.scope).toBe('read write')
  })

  test('that asks for scopes it has seen elsewhere gets those that there are', async () => {
    const { body } = await tokensFor({ scope: 'openid read profile offline_access' })
    expect(body.scope).toBe('read')
  })

  test.each([
    { what: 'no resource', resource: () => undefined },
    { what: 'the resource', resource: () => server.url },
    { what: 'the resource with a slash', resource: () => `${server.url}/` },
    { what: 'the origin', resource: () => server.origin },
    { what: 'the address of the older transport', resource: () => `${server.origin}/sse` },
  ])('that names $what gets tokens for it, and refreshes them so', async ({ resource }) => {
    const named = resource()
    const params = { ...(named !== undefined && { resource: named }) }
    const first = await tokensFor(params)
    expect(await pingStatus(first.body.access_token)).toBe(200)
    const app = { clientInformation: () => ({ client_id: clientId }) }
    const second = await refresh(server.origin, app, first.body.refresh_token, params)
    expect(await pingStatus(second.body.access_token)).toBe(200)
    // It may have named it once and not again.
    expect((await refresh(server.origin, app, second.body.refresh_token)).status).toBe(200)
  })

  test('is told in JSON that it is not known, so that it registers again', async () => {
    const stranger = { clientInformation: () => ({ client_id: 'stranger' }) }
    const { status, headers, body } = await refresh(server.origin, stranger, 'nothing')
    expect([status, body.error]).toEqual([401, 'invalid_client'])
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('cache-control')).toBe('no-store')
  })
})
