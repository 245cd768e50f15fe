/** Widely used clients by name, with their registrations, documents and callbacks. */
import { describe, expect, test } from 'vitest'
import { detailsOf, headingOf, openBrowser } from './browser.ts'
import { useServerWithClientHost } from './client-host.ts'
import { KNOWN_APPS, metadataOf } from './client-table.ts'
import { authorizeUrl, expectCodeFlowAtEach, register } from './code-flow.ts'

const { server, host } = useServerWithClientHost()

describe.each(KNOWN_APPS)('$name', (app) => {
  test('registers all of its callbacks and obtains tokens at each', async () => {
    const { status, headers, body } = await register(server.origin, metadataOf(app))
    expect(status).toBe(201)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toMatchObject(metadataOf(app))
    await expectCodeFlowAtEach(server, body.client_id, app.callbacks)
  })
})

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
