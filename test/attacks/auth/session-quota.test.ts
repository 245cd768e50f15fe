import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { HttpSession } from '../../support/http-session.ts'
import { obtainTokens, register } from './client.ts'
import { serveProtected } from './protected-server.ts'

/** The default of `limits.sessionsPerPrincipal`. */
const LIMIT = 100

const GUEST = 'battery staple correct horse'

const server = serveProtected()

async function connect(passphrase?: string) {
  const client = await register(server.issuer)
  const asking = passphrase === undefined ? {} : { passphrase }
  const { access } = await obtainTokens(server.issuer, client, asking)
  const endpoint = {
    url: `${server.issuer}/mcp`,
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
    const owner = await connect()
    const guest = await connect(GUEST)
    const others = [await guest.store(), await owner.open()]
    const sessions = []
    for (let count = 0; count < LIMIT; count++) sessions.push(await owner.store())
    const [first, second, third] = sessions
    if (first === undefined || second === undefined || third === undefined) throw new Error('none')
    await owner.store()
    // The session ends in the background. A request to it before that would be a use, if its object was evicted.
    await delay(2000)
    expect(await statusOf(first)).toBe(404)
    expect(await statusOf(second)).toBe(200)
    for (const session of others) expect(await statusOf(session)).toBe(200)

    // A session that its client has ended is not counted any more.
    expect((await third.end()).status).toBe(204)
    await owner.store()
    expect(await statusOf(second)).toBe(200)
  })
})
