/** Widely used clients, with the callbacks that they register and send. */
import { describe, expect, it } from 'vitest'
import { matchRedirectUri } from '../../../src/auth/clients/redirect-uri.ts'
import { KNOWN_APPS, metadataOf } from '../../clients/auth/client-table.ts'
import { openDeployment } from './deployment.ts'

describe.each(KNOWN_APPS)('the known client $name', (known) => {
  const { name, callbacks } = known

  it('that registers keeps every redirect URI, and every requested one matches', async () => {
    const { clients, authenticate } = openDeployment()
    const registered = await clients.register(metadataOf(known))
    expect(registered).toMatchObject(metadataOf(known))
    const id = registered.client_id as string
    expect(id.length).toBeLessThan(2000)
    const kept = (await clients.find(id))?.redirectUris ?? []
    expect(callbacks.map((uri) => matchRedirectUri(kept, uri))).toEqual(callbacks)
    expect((await authenticate(new Headers(), new Map([['client_id', id]]))).name).toBe(name)
  })
})

const PUBLISHED = KNOWN_APPS.flatMap(({ document, ...known }) =>
  document === undefined ? [] : [{ ...known, document }],
)

describe.each(PUBLISHED)('the known client $name', (known) => {
  const { document: id, name, callbacks, redirectUris } = known

  it('with its metadata document keeps every redirect URI, and every requested one matches', async () => {
    const { authenticate, published } = openDeployment()
    published.set(id, { client_id: id, ...metadataOf(known) })
    const client = await authenticate(new Headers(), new Map([['client_id', id]]))
    expect(client).toMatchObject({ kind: 'document', name, redirectUris })
    expect(callbacks.map((uri) => matchRedirectUri(client.redirectUris, uri))).toEqual(callbacks)
  })
})
