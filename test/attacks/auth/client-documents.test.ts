/** Clients that are URLs: which are asked for at all, and what of the answers is taken. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorizeQuery, createVerifier, REDIRECT } from './client.ts'
import { type Outside, type Play, startOutside } from './outside.ts'
import { type ProtectedServer, startProtectedServer } from './protected-server.ts'
import { type Answer, send } from './send.ts'

let server: ProtectedServer
let outside: Outside
beforeAll(async () => {
  outside = await startOutside()
  server = await startProtectedServer({ egress: outside.url })
})
afterAll(async () => {
  await server?.stop()
  await outside?.stop()
})

const ask = (id: string): Promise<Answer> =>
  send(server.issuer, `/authorize?${authorizeQuery(id, createVerifier())}`)
const documentOf = (id: string, more: object = {}) =>
  JSON.stringify({ client_id: id, client_name: 'A document', redirect_uris: [REDIRECT], ...more })

it('takes a document that is as it should be', async () => {
  const id = 'https://good.client.example/client.json'
  outside.plays.set(id, () => ({ body: documentOf(id) }))
  const answer = await ask(id)
  expect(answer.status).toBe(200)
  expect(answer.body).toContain('good.client.example')
})

it('goes by what another process has fetched, whose host is down since', async () => {
  const id = 'https://outage.client.example/client.json'
  const state = await mkdtemp(join(tmpdir(), 'edgeway-documents-'))
  const start = () => startProtectedServer({ egress: outside.url, state })
  const asking = ({ issuer }: ProtectedServer) =>
    send(issuer, `/authorize?${authorizeQuery(id, createVerifier())}`)
  try {
    outside.plays.set(id, () => ({
      body: documentOf(id),
      headers: { 'cache-control': 'no-store' },
    }))
    const first = await start()
    expect((await asking(first)).status).toBe(200)
    await first.stop()
    outside.plays.set(id, () => ({ status: 500 }))
    const second = await start()
    expect((await asking(second)).status).toBe(200)
    await second.stop()
  } finally {
    await rm(state, { recursive: true, force: true })
  }
})

describe('nothing is asked for at', () => {
  it.each([
    'http://client.example/c',
    'https://127.0.0.1/c',
    'https://127.1/c',
    'https://2130706433/c',
    'https://0x7f000001/c',
    'https://0177.0.0.1/c',
    'https://0/c',
    'https://10.0.0.1/c',
    'https://192.168.0.1/c',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::1]/c',
    'https://[::ffff:127.0.0.1]/c',
    'https://[fd00::1]/c',
    'https://[64:ff9b::7f00:1]/c',
    'https://localhost/c',
    'https://localhost./c',
    'https://a.localhost/c',
    'https://printer.local/c',
    'https://metadata.google.internal/c',
    'https://intranet/c',
    'https://client.example:22/c',
    'https://client.example:443/c',
    'https://user:pass@client.example/c',
    'https://client.example@127.0.0.1/c',
    'https://client.example/',
    'https://client.example',
    'https://client.example/a/../c',
    'https://client.example/c#fragment',
    'https://CLIENT.example/c',
    'https://client.example\\@127.0.0.1/c',
    'https://①②⑦.0.0.1/c',
    'https://client。example/c',
    ' https://client.example/c',
    'https://client.example/\u0000',
    'https:client.example/c',
    'ftp://client.example/c',
    'file:///etc/passwd',
  ])('%s', async (id) => {
    const before = outside.asked.length
    const answer = await ask(id)
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
    expect(outside.asked.slice(before)).toEqual([])
  })
})

describe('nobody is sent anywhere for a document that', () => {
  const plays: readonly (readonly [string, (id: string) => Play, number])[] = [
    [
      'redirects',
      () => () => ({ status: 302, headers: { location: 'https://169.254.169.254/' } }),
      400,
    ],
    [
      'redirects for good',
      () => () => ({ status: 308, headers: { location: 'https://evil.example/c' } }),
      400,
    ],
    ['is not there', () => () => ({ status: 404 }), 400],
    ['is gone', () => () => ({ status: 410 }), 400],
    ['fails', () => () => ({ status: 500 }), 503],
    ['has another client_id', (id) => () => ({ body: documentOf(`${id}?`) }), 400],
    [
      'has none',
      () => () => ({ body: JSON.stringify({ client_name: 'A', redirect_uris: [REDIRECT] }) }),
      400,
    ],
    ['has a secret', (id) => () => ({ body: documentOf(id, { client_secret: 'a' }) }), 400],
    [
      'authenticates with a secret',
      (id) => () => ({
        body: documentOf(id, { token_endpoint_auth_method: 'client_secret_basic' }),
      }),
      400,
    ],
    ['has no name', (id) => () => ({ body: documentOf(id, { client_name: undefined }) }), 400],
    [
      'has redirect URIs of script',
      (id) => () => ({ body: documentOf(id, { redirect_uris: ['javascript:alert(1)'] }) }),
      400,
    ],
    [
      'has another redirect URI',
      (id) => () => ({ body: documentOf(id, { redirect_uris: ['https://evil.example/'] }) }),
      400,
    ],
    ['is a list', () => () => ({ body: '[]' }), 400],
    [
      'is HTML',
      (id) => () => ({ headers: { 'content-type': 'text/html' }, body: documentOf(id) }),
      400,
    ],
    ['has no type', (id) => () => ({ headers: { 'content-type': '' }, body: documentOf(id) }), 400],
    ['is no JSON', () => () => ({ body: '<html>' }), 400],
    [
      'is larger than 5 KB',
      (id) => () => ({ body: documentOf(id, { more: 'a'.repeat(6000) }) }),
      400,
    ],
  ]
  it.each(plays)('%s', async (title, play, status) => {
    const id = `https://client.example/${title.replaceAll(' ', '-')}`
    const before = outside.asked.length
    outside.plays.set(id, play(id))
    const answer = await ask(id)
    expect([answer.status, answer.headers.get('location')]).toEqual([status, null])
    expect(outside.asked.slice(before)).toEqual([id])
    // Nobody can make this server knock over and over.
    await ask(id)
    expect(outside.asked.slice(before)).toEqual([id])
  })

  it('does not end', async () => {
    const id = 'https://client.example/endless'
    outside.plays.set(id, (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = () => {
        while (!response.destroyed && response.write('a'.repeat(16_384)));
      }
      response.on('drain', more)
      more()
      return undefined
    })
    expect((await ask(id)).status).toBe(400)
  })

  it('does not begin, within 8 seconds, while others are served', async () => {
    const id = 'https://client.example/silent'
    outside.plays.set(id, () => undefined)
    const startedAt = Date.now()
    const silent = ask(id)
    expect((await send(server.issuer, '/.well-known/jwks.json')).status).toBe(200)
    expect(Date.now() - startedAt).toBeLessThan(4000)
    expect((await silent).status).toBe(503)
    expect(Date.now() - startedAt).toBeLessThan(8000)
  })
})

it('sends nothing along but what it accepts', async () => {
  expect(outside.asked.every((url) => url.startsWith('https://'))).toBe(true)
})
