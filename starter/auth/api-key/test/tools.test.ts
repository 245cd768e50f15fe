import { env } from 'cloudflare:workers'
import { accept, connect } from 'edgeway/testing'
import { afterAll, expect, it, vi } from 'vitest'
import app from '../src/worker.ts'

const owners: Readonly<Record<string, object>> = { 'Bearer key-1': { id: '1', name: 'Ann' } }

vi.stubGlobal('fetch', async (_url: string, { headers }: { headers: Record<string, string> }) => {
  const owner = owners[headers.authorization ?? '']
  return owner === undefined ? new Response(null, { status: 401 }) : Response.json(owner)
})

afterAll(() => vi.unstubAllGlobals())

it('serves a person who has signed in with a key', async () => {
  const signIn = { fields: { api_key: 'key-1' } }
  const client = await connect(app, { env, elicit: [accept({ people: 2 })], signIn })
  const { text } = await client.callTool('book_table', { restaurant: 'Lotus' })
  expect(text).toBe('Booked a table for 2 at Lotus.')
})
