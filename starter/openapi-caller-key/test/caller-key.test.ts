/** Two people sign in, each with their own key, and call the same tool of an API. */
import { env } from 'cloudflare:workers'
import { createEdgeway } from 'edgeway'
import { fromOpenAPI } from 'edgeway/openapi'
import { connect } from 'edgeway/testing'
import { afterEach, expect, it, vi } from 'vitest'
import { auth } from '../src/auth.ts'
import { keyOfCaller } from '../src/server.ts'

/** An API of the test, so that the test does not depend on the operations of yours. */
const PARCELS = {
  openapi: '3.1.0',
  info: { title: 'Parcels', version: '1.0.0' },
  servers: [{ url: 'https://parcels.example.com' }],
  paths: { '/parcels': { get: { operationId: 'list_parcels', security: [{ key: [] }] } } },
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
}

const app = createEdgeway(fromOpenAPI(PARCELS, { auth: keyOfCaller }), { auth })

/** The owners of the keys, by what a request with the key sends in `Authorization`. */
const owners: Readonly<Record<string, string>> = {
  'Bearer key-of-ann': 'Ann',
  'Bearer key-of-bob': 'Bob',
}

vi.stubGlobal('fetch', async (url: string, { headers }: RequestInit) => {
  const owner = owners[new Headers(headers).get('authorization') ?? '']
  if (owner === undefined) return new Response(null, { status: 401 })
  const isParcels = url.startsWith('https://parcels.example.com/')
  return Response.json(isParcels ? { parcelsOf: owner } : { id: owner, name: owner })
})

afterEach(() => vi.unstubAllGlobals())

it('sends the key of each caller to the API', async () => {
  const parcelsOf = async (key: string) => {
    const client = await connect(app, { env, signIn: { fields: { api_key: key } } })
    return (await client.callTool('list_parcels', {})).structuredContent
  }
  expect(await Promise.all([parcelsOf('key-of-ann'), parcelsOf('key-of-bob')])).toEqual([
    { parcelsOf: 'Ann' },
    { parcelsOf: 'Bob' },
  ])
  // The Worker is built when its first test begins.
}, 60_000)
