import { describe, expect, it } from 'vitest'
import type { Subject } from '../../clients/auth/browser.ts'
import { HttpSession } from '../../support/http-session.ts'
import { obtainTokens, register } from '../../support/node/oauth-client.ts'
import { verifies } from '../../support/verifies.ts'
import { serveProtected } from './protected-server.ts'

/** The default of `sessions({ perPrincipal })`. */
const LIMIT = 100

const server = serveProtected()

async function connect(as: Subject = 'owner', path = '/mcp') {
  const client = await register(server.issuer)
  const resource = `${server.issuer}${path}`
  const { access } = await obtainTokens(server.issuer, client, { as, resource })
  const endpoint = {
    url: resource,
    fetch: (request: Request) => {
      const headers = new Headers(request.headers)
      headers.set('authorization', `Bearer ${access}`)
      return fetch(new Request(request, { headers }))
    },
  }
  return {
    open: () => HttpSession.open(endpoint),
    /** A session that stores a row. */
    store: async () => {
      const session = await HttpSession.open(endpoint)
      await session.request('logging/setLevel', { level: 'debug' })
      return session
    },
  }
}

const statusOf = async (session: HttpSession) => {
  const response = await session.send('ping')
  await response.text()
  return response.status
}

describe('the sessions of one principal that store rows', () => {
  it('end with the least recently used one beyond the limit, and no session of another principal', async () => {
    verifies('streamable-http/ended-session-is-not-found')
    const owner = await connect()
    const guest = await connect('guest')
    const others = [await guest.store(), await owner.open()]
    const first = await owner.store()
    const stream = await first.get()
    expect(stream.status).toBe(200)
    const second = await owner.store()
    const third = await owner.store()
    for (let count = 3; count < LIMIT; count++) await owner.store()
    await owner.store()
    // The session ends in the background, and its stream with it. A request to it before that would be a
    // use, if its object was evicted.
    await stream.text()
    expect(await statusOf(first)).toBe(404)
    expect(await statusOf(second)).toBe(200)
    for (const session of others) expect(await statusOf(session)).toBe(200)

    // A session that its client has ended is not counted any more.
    expect((await third.end()).status).toBe(204)
    await owner.store()
    expect(await statusOf(second)).toBe(200)
  })

  it('are counted for all resources of the server together', async () => {
    const guest = await connect('guest')
    const elsewhere = await connect('guest', '/other')
    const first = await elsewhere.store()
    const stream = await first.get()
    expect(stream.status).toBe(200)
    const second = await elsewhere.store()
    for (let count = 2; count < LIMIT; count++) {
      await (count % 2 === 0 ? guest : elsewhere).store()
    }
    await guest.store()
    await stream.text()
    expect(await statusOf(first)).toBe(404)
    expect(await statusOf(second)).toBe(200)
  })
})
