/** Apps that deviate slightly from the specifications or use other URLs of the server. */
import { beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { detailsOf, headingOf, openBrowser } from './browser.ts'
import { useServerWithClientHost } from './client-host.ts'
import { KNOWN_APPS, metadataOf } from './client-table.ts'
import { authorizeUrl, expectCodeFlowAtEach, register, runCodeFlow } from './code-flow.ts'
import { refresh, sendMessage } from './raw.ts'

const { server, host } = useServerWithClientHost()

const REDIRECT_URI = 'http://127.0.0.1:1/callback'
const METADATA = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' }

let clientId: string
beforeAll(async () => {
  clientId = (await register(server.origin, METADATA)).body.client_id
})

/** Tokens of a code flow with further parameters. */
async function tokensFor(params: Readonly<Record<string, string>> = {}) {
  const options = { origin: server.origin, clientId, redirectUri: REDIRECT_URI, params }
  return (await runCodeFlow(options)).tokens
}

async function pingStatus(token: string): Promise<number> {
  return (await sendMessage(server.url, { token, method: 'ping' })).status
}

describe.each(KNOWN_APPS.filter(({ document }) => document !== undefined))('$name', (app) => {
  test('is authorized by its document and obtains tokens at each callback', async () => {
    const { document = '', callbacks, name } = app
    host.publish(document, { client_id: document, ...metadataOf(app) })
    const [redirectUri = ''] = callbacks
    const options = { origin: server.origin, clientId: document, redirectUri }
    const page = await openBrowser().open(authorizeUrl(options))
    expect(headingOf(page)).toBe(`${name} wants to connect to Edgeway fixture`)
    expect(detailsOf(page).App).toBe(new URL(document).hostname)
    await expectCodeFlowAtEach(server, document, callbacks)
  })
})

describe('an app', () => {
  test('may register twice concurrently and use either id', async () => {
    const answers = await Promise.all([
      register(server.origin, METADATA),
      register(server.origin, METADATA),
    ])
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    for (const { body } of answers)
      await expectCodeFlowAtEach(server, body.client_id, [REDIRECT_URI])
  })

  test('loses its invalid callbacks and keeps the valid one', async () => {
    const { status, body } = await register(server.origin, {
      ...METADATA,
      redirect_uris: ['http://evil.example/callback', 'javascript:alert(1)', REDIRECT_URI],
    })
    expect([status, body.redirect_uris]).toEqual([201, [REDIRECT_URI]])
    await expectCodeFlowAtEach(server, body.client_id, [REDIRECT_URI])
  })

  test('without a scope parameter is granted the default scopes', async () => {
    verifies('oauth-2-1-clients/default-scope')
    expect((await tokensFor()).body.scope).toBe('read write')
  })

  test('that requests unknown scopes is granted the known ones', async () => {
    const { body } = await tokensFor({ scope: 'openid read profile offline_access' })
    expect(body.scope).toBe('read')
  })

  test.each([
    { what: 'no resource', resource: () => undefined },
    { what: 'the resource', resource: () => server.url },
    { what: 'the resource with a slash', resource: () => `${server.url}/` },
    { what: 'the origin', resource: () => server.origin },
    { what: 'the URL of the older transport', resource: () => `${server.origin}/sse` },
  ])('with $what as its resource obtains and refreshes tokens', async ({ resource }) => {
    const named = resource()
    const params = { ...(named !== undefined && { resource: named }) }
    const first = await tokensFor(params)
    expect(await pingStatus(first.body.access_token)).toBe(200)
    const app = { clientInformation: () => ({ client_id: clientId }) }
    const second = await refresh(server.origin, app, first.body.refresh_token, params)
    expect(await pingStatus(second.body.access_token)).toBe(200)
    // A refresh may omit the parameter.
    expect((await refresh(server.origin, app, second.body.refresh_token)).status).toBe(200)
  })

  test('with an unknown client id receives invalid_client as JSON', async () => {
    const unknown = { clientInformation: () => ({ client_id: 'unknown' }) }
    const { status, headers, body } = await refresh(server.origin, unknown, 'nothing')
    expect([status, body.error]).toEqual([401, 'invalid_client'])
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('cache-control')).toBe('no-store')
  })
})
