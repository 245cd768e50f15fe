/** The receiver of webhook deliveries: what it verifies, records and answers. Its deliveries are signed here. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEventReceiver, createEventSecret, type EventReceiver } from '../src/index.ts'

const NOW = Date.UTC(2026, 1, 19, 16)

const EVENT = {
  eventId: 'evt_1',
  name: 'note.changed',
  timestamp: '2026-02-19T15:59:59Z',
  data: { id: 7 },
  cursor: 'c_7',
}

interface Sent {
  readonly secrets?: readonly string[]
  readonly id?: string
  readonly at?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
  /** Signed in place of the body. */
  readonly signed?: string
}

function receive(): EventReceiver {
  const receiver = createEventReceiver({ now: () => NOW })
  onTestFinished(() => receiver.close())
  return receiver
}

async function signature(secret: string, content: string): Promise<string> {
  const raw = Uint8Array.fromBase64(secret.slice('whsec_'.length))
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['sign'])
  const bytes = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(content))
  return `v1,${new Uint8Array(bytes).toBase64()}`
}

/** A delivery as a conforming sender makes it. */
async function delivery(
  { url, secret }: EventReceiver,
  value: unknown = EVENT,
  { secrets = [secret], id = 'evt_1', at = NOW, headers = {}, method = 'POST', signed }: Sent = {},
): Promise<Request> {
  const body = typeof value === 'string' ? value : JSON.stringify(value)
  const timestamp = String(Math.floor(at / 1000))
  const content = `${id}.${timestamp}.${signed ?? body}`
  const signatures = await Promise.all(secrets.map((each) => signature(each, content)))
  return new Request(url, {
    method,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
      'x-mcp-subscription-id': 'sub_1',
      ...headers,
    },
    body,
  })
}

describe('a receiver of events', () => {
  it('verifies the signature of the published example', async () => {
    const receiver = createEventReceiver({
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      now: () => 1_614_265_330_000,
    })
    await receiver.fetch(
      new Request(receiver.url, {
        method: 'POST',
        headers: {
          'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
          'webhook-timestamp': '1614265330',
          'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
        },
        body: '{"test": 2432232314}',
      }),
    )
    expect(receiver.deliveries[0]?.verifiedBy).toEqual([receiver.secret])
  })

  it('answers an event with 204 and records it with its headers and its body', async () => {
    const receiver = receive()
    expect((await receiver.fetch(await delivery(receiver))).status).toBe(204)
    expect(await receiver.next()).toMatchObject({
      kind: 'event',
      method: 'POST',
      url: receiver.url,
      body: JSON.stringify(EVENT),
      event: EVENT,
      envelope: undefined,
      id: 'evt_1',
      subscriptionId: 'sub_1',
      receivedAt: NOW,
      verifiedBy: [receiver.secret],
      problem: undefined,
      status: 204,
    })
    expect(receiver.events).toEqual([EVENT])
  })

  it('answers a challenge with the challenge, and does not return it as the next delivery', async () => {
    const receiver = receive()
    const envelope = { type: 'verification', challenge: 'abc' }
    const request = await delivery(receiver, envelope, { id: 'msg_verification_1' })
    const response = await receiver.fetch(request)
    expect([response.status, await response.json()]).toEqual([200, { challenge: 'abc' }])
    expect(receiver.deliveries).toMatchObject([{ kind: 'verification', envelope }])
    await expect(receiver.next(1)).rejects.toThrow('No delivery arrived within 1 ms')
    await receiver.fetch(await delivery(receiver))
    expect((await receiver.next()).kind).toBe('event')
  })

  it.each([
    ['gap', { type: 'gap', cursor: 'c_9' }],
    ['terminated', { type: 'terminated', error: { code: -32012, message: 'Forbidden' } }],
  ])('accepts the control envelope %s', async (kind, envelope) => {
    const receiver = receive()
    const next = receiver.next()
    const request = await delivery(receiver, envelope, { id: `msg_${kind}_1` })
    expect((await receiver.fetch(request)).status).toBe(204)
    expect(await next).toMatchObject({ kind, envelope, event: undefined })
  })

  it('tells which of its secrets signed a delivery while a secret is being replaced', async () => {
    const receiver = receive()
    const earlier = receiver.secret
    const later = receiver.rotate()
    expect(receiver.secret).toBe(later)
    for (const secrets of [[earlier], [earlier, later], [later, createEventSecret()]]) {
      await receiver.fetch(await delivery(receiver, EVENT, { secrets }))
    }
    expect(receiver.deliveries.map(({ verifiedBy }) => verifiedBy)).toEqual([
      [earlier],
      [earlier, later],
      [later],
    ])
  })
})

describe('a receiver of events refuses', () => {
  const large = { ...EVENT, data: { text: 'x'.repeat(262_144) } }
  const cases: [string, number, unknown, Sent][] = [
    ['a body that was changed', 401, EVENT, { signed: '{}' }],
    ['the secret of another receiver', 401, EVENT, { secrets: [createEventSecret()] }],
    ['no signature', 401, EVENT, { secrets: [] }],
    ['a timestamp of 301 s ago', 401, EVENT, { at: NOW - 301_000 }],
    ['a timestamp in 301 s', 401, EVENT, { at: NOW + 301_000 }],
    ['another method', 405, EVENT, { method: 'PUT' }],
    ['another content type', 415, EVENT, { headers: { 'content-type': 'text/plain' } }],
    ['a body above 262,144 bytes', 413, large, {}],
    ['a body that is not JSON', 400, '{', {}],
    ['an event without data', 400, { ...EVENT, data: null }, {}],
    ['an unknown control envelope', 400, { type: 'other' }, { id: 'msg_other_1' }],
    ['a webhook-id that is not the id of the event', 400, EVENT, { id: 'evt_2' }],
    ['a gap whose id has another form', 400, { type: 'gap', cursor: 'c' }, { id: 'evt_2' }],
  ]

  it.each(cases)('%s with %i', async (_, status, value, sent) => {
    const receiver = receive()
    const response = await receiver.fetch(await delivery(receiver, value, sent))
    expect(response.status).toBe(status)
    expect(receiver.deliveries).toMatchObject([{ status, problem: expect.any(String) }])
    expect(receiver.events).toEqual([])
  })

  it('a delivery without X-MCP-Subscription-Id with 400', async () => {
    const receiver = receive()
    const request = await delivery(receiver)
    request.headers.delete('x-mcp-subscription-id')
    expect((await receiver.fetch(request)).status).toBe(400)
  })

  it.each(['', 'abc', 'whsec_', 'whsec_####'])(
    'every signature while its secret is %j with 401',
    async (secret) => {
      const receiver = createEventReceiver({ secret, now: () => NOW })
      const request = await delivery(receiver, EVENT, { secrets: [createEventSecret()] })
      expect((await receiver.fetch(request)).status).toBe(401)
      expect(receiver.deliveries).toMatchObject([
        { verifiedBy: [], problem: 'No signature is valid' },
      ])
    },
  )

  it('nothing that is at most 300 s old', async () => {
    const receiver = receive()
    const request = await delivery(receiver, EVENT, { at: NOW - 300_000 })
    expect((await receiver.fetch(request)).status).toBe(204)
  })
})

describe('a receiver of events that a test instructs to fail', () => {
  it('gives each of its answers once and repeats the last one', async () => {
    const receiver = receive()
    receiver.answerEvents({ status: 503 }, { status: 410 }, 'accept')
    const statuses: number[] = []
    for (let sent = 0; sent < 4; sent++) {
      statuses.push((await receiver.fetch(await delivery(receiver))).status)
    }
    expect(statuses).toEqual([503, 410, 204, 204])
    expect(receiver.deliveries.map(({ status }) => status)).toEqual(statuses)
  })

  it('redirects', async () => {
    const receiver = receive()
    receiver.answerEvents({ redirect: 'https://elsewhere.example/' })
    const response = await receiver.fetch(await delivery(receiver))
    expect([response.status, response.headers.get('location')]).toEqual([
      302,
      'https://elsewhere.example/',
    ])
  })

  it('answers challenges as instructed, and events as before', async () => {
    const receiver = receive()
    receiver.answerChallenges('wrong-challenge')
    const envelope = { type: 'verification', challenge: 'abc' }
    const challenge = await delivery(receiver, envelope, { id: 'msg_verification_1' })
    expect(await (await receiver.fetch(challenge)).json()).not.toEqual({ challenge: 'abc' })
    expect((await receiver.fetch(await delivery(receiver))).status).toBe(204)
  })

  it('answers a body of 1 MiB', async () => {
    const receiver = receive()
    receiver.answerEvents('huge')
    const response = await receiver.fetch(await delivery(receiver))
    expect((await response.arrayBuffer()).byteLength).toBe(1_048_576)
  })

  it('hangs until it is closed', async () => {
    const receiver = receive()
    receiver.answerEvents('hang')
    const answer = receiver.fetch(await delivery(receiver))
    expect((await receiver.next()).status).toBeUndefined()
    receiver.close()
    await expect(answer).rejects.toThrow(TypeError)
  })

  it('hangs until the sender gives up', async () => {
    const receiver = receive().listen()
    receiver.answerEvents('hang')
    const controller = new AbortController()
    const request = await delivery(receiver)
    const answer = fetch(receiver.url, {
      method: 'POST',
      headers: request.headers,
      body: await request.text(),
      signal: controller.signal,
    })
    await receiver.next()
    controller.abort()
    await expect(answer).rejects.toThrow()
  })

  it('fails as a host that cannot be reached', async () => {
    const receiver = receive()
    receiver.answerEvents('unreachable')
    await expect(receiver.fetch(await delivery(receiver))).rejects.toThrow(TypeError)
    expect(receiver.deliveries).toHaveLength(1)
  })
})

describe('listen() of a receiver of events', () => {
  it('answers what the global fetch sends to its URL, and nothing else, until it is closed', async () => {
    const earlier = globalThis.fetch
    const asked: string[] = []
    globalThis.fetch = async (input) => {
      asked.push(String(input))
      return new Response('elsewhere')
    }
    onTestFinished(() => {
      globalThis.fetch = earlier
    })
    const receiver = receive()
    receiver.listen().listen()
    const request = await delivery(receiver)
    const body = await request.clone().text()
    const response = await fetch(receiver.url, { method: 'POST', headers: request.headers, body })
    expect(response.status).toBe(204)
    await fetch('https://receiver.example/other')
    receiver.close()
    await fetch(receiver.url)
    expect(asked).toEqual(['https://receiver.example/other', receiver.url])
  })

  it('is ended by `using`', async () => {
    const earlier = globalThis.fetch
    {
      using receiver = createEventReceiver().listen()
      expect(receiver.url).toMatch(/^https:\/\/receiver\.example\//)
      expect(globalThis.fetch).not.toBe(earlier)
    }
    expect(globalThis.fetch).toBe(earlier)
  })
})
