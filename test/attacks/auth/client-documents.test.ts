/** Client ids that are URLs: which are fetched, and which documents are accepted. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorizeUrl, createVerifier } from '../../support/node/oauth-client.ts'
import { verifies } from '../../support/verifies.ts'
import { type EgressServer, startEgressServer } from './egress-server.ts'
import { type ProtectedServer, startProtectedServer } from './protected-server.ts'
import { type Answer, send } from './send.ts'

let server: ProtectedServer
let egress: EgressServer
beforeAll(async () => {
  egress = await startEgressServer()
  server = await startProtectedServer({ egress: egress.url })
})
afterAll(async () => {
  await server?.stop()
  await egress?.stop()
})

const REDIRECT = 'https://client.example/callback'

function ask(id: string, { issuer } = server): Promise<Answer> {
  const client = { id, redirectUri: REDIRECT }
  const { pathname, search } = authorizeUrl(issuer, client, createVerifier())
  return send(issuer, pathname + search)
}
const documentOf = (id: string, more: object = {}) =>
  JSON.stringify({ client_id: id, client_name: 'A document', redirect_uris: [REDIRECT], ...more })

it('/authorize uses a stored client document when its host fails after a restart', async () => {
  const id = 'https://outage.client.example/client.json'
  const state = await mkdtemp(join(tmpdir(), 'edgeway-documents-'))
  const start = () => startProtectedServer({ egress: egress.url, state })
  const asking = (server: ProtectedServer) => ask(id, server)
  try {
    egress.responders.set(id, () => ({
      body: documentOf(id),
      headers: { 'cache-control': 'no-store' },
    }))
    const first = await start()
    expect((await asking(first)).status).toBe(200)
    await first.stop()
    egress.responders.set(id, () => ({ status: 500 }))
    const second = await start()
    expect((await asking(second)).status).toBe(200)
    await second.stop()
  } finally {
    await rm(state, { recursive: true, force: true })
  }
})

describe('/authorize rejects the client id and fetches nothing from', () => {
  it.each([
    'http://client.example/c',
    'https://127.0.0.1/c',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::ffff:127.0.0.1]/c',
    'https://localhost/c',
    'https://client.example@127.0.0.1/c',
    'https://client.example/c#fragment',
  ])('%s', async (id) => {
    verifies('authorization-security/client-document-security')
    verifies('client-id-metadata-documents/special-use-addresses')
    verifies('client-id-metadata-documents/https-with-a-path', { row: 'http://client.example/c' })
    verifies('client-id-metadata-documents/no-dot-segments', {
      row: 'https://client.example/c#fragment',
    })

    const before = egress.requestedUrls.length
    const answer = await ask(id)
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
    expect(egress.requestedUrls.slice(before)).toEqual([])
  })
})

describe('/authorize shows an error page for a client document that', () => {
  it.each([
    ['redirects', { status: 308, headers: { location: 'https://evil.example/c' } }, 400],
    ['fails', { status: 500 }, 503],
    ['is larger than 5 KB', { body: `{"more":"${'a'.repeat(6000)}"}` }, 400],
  ])('%s, and fetches it five times a minute at most', async (title, reply, status) => {
    verifies('authorization-security/client-document-security')
    verifies('client-id-metadata-documents/no-redirects', { row: 'redirects' })
    const id = `https://client.example/${title.replaceAll(' ', '-')}`
    const before = egress.requestedUrls.length
    egress.responders.set(id, () => reply)
    for (let at = 0; at < 5; at += 1) {
      const answer = await ask(id)
      expect([answer.status, answer.headers.get('location')]).toEqual([status, null])
    }
    // Requests cannot make the server send requests to another host without end.
    for (let at = 0; at < 5; at += 1) expect((await ask(id)).status).toBe(503)
    expect(egress.requestedUrls.slice(before)).toEqual(Array(5).fill(id))
  })

  it('does not end', async () => {
    const id = 'https://client.example/endless'
    egress.responders.set(id, (_, response) => {
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

  it('does not arrive, while other requests are served', async () => {
    const id = 'https://client.example/silent'
    egress.responders.set(id, () => undefined)
    let isAnswered = false
    const silent = ask(id).finally(() => {
      isAnswered = true
    })
    expect((await send(server.issuer, '/.well-known/jwks.json')).status).toBe(200)
    expect(isAnswered).toBe(false)
    expect((await silent).status).toBe(503)
  })
})

it('the Worker has fetched https URLs only', async () => {
  expect(egress.requestedUrls.every((url) => url.startsWith('https://'))).toBe(true)
})
