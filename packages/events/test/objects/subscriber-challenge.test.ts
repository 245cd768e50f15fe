/** The verification of callbacks: challenges, consents, trusted origins, their caches and limits. */
import { describe, expect, it } from 'vitest'
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  NOON,
  useFakeClock,
} from '../../../../test/durable-objects/fake-clock.ts'
import { advance, isSignedWith, OTHER_SECRET, openSubscriber, SECRET, URL_A } from './subscriber.ts'
import { echoOrAccept, type Received } from './subscriber-world.ts'

useFakeClock()

const failure = (reason: string) => ({
  ok: false,
  error: { name: 'CallbackEndpointError', data: { reason } },
})

const challengeOf = ({ message }: Received) => message.challenge

describe('a challenge', () => {
  it('is signed with the secret of the request, and names the subscription that it is for', async () => {
    const subscriber = openSubscriber()
    const { id } = await subscriber.subscribed()
    const [challenge] = subscriber.envelopes('verification')
    if (challenge === undefined) throw new Error('No challenge was sent')
    expect(await isSignedWith(challenge, SECRET)).toBe(true)
    expect(challenge.headers.get('webhook-id')).toMatch(/^msg_verification_[A-Za-z0-9_-]{22}$/)
    expect(challenge.headers.get('x-mcp-subscription-id')).toBe(id)
    expect(challenge.message).toEqual({
      type: 'verification',
      challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    })
    const [{ init } = {}] = subscriber.world.requests
    expect(init).toMatchObject({ method: 'POST', redirect: 'manual' })
  })

  it.each<[string, string, (request: Received) => Response | Promise<Response>]>([
    ['another challenge', 'challenge_failed', () => Response.json({ challenge: 'x'.repeat(43) })],
    ['a shorter challenge', 'challenge_failed', () => Response.json({ challenge: 'x' })],
    ['no challenge', 'challenge_failed', () => Response.json({})],
    ['a list', 'challenge_failed', (request) => Response.json([challengeOf(request)])],
    [
      'its challenge in a list',
      'challenge_failed',
      (request) => Response.json({ challenge: [challengeOf(request)] }),
    ],
    [
      'what no text can be made of',
      'challenge_failed',
      () => Response.json({ challenge: { toString: 0 } }),
    ],
    ['text', 'challenge_failed', (request) => new Response(challengeOf(request))],
    ['nothing', 'challenge_failed', () => new Response(null, { status: 204 })],
    [
      'more than 4 KiB',
      'challenge_failed',
      (request) => Response.json({ challenge: challengeOf(request), more: 'x'.repeat(4096) }),
    ],
    [
      'bytes that are not UTF-8',
      'challenge_failed',
      () => new Response(new Uint8Array([0xff, 0xfe])),
    ],
    [
      'a redirect',
      'challenge_failed',
      () => new Response(null, { status: 302, headers: { location: 'https://other.example/' } }),
    ],
    ['404', 'http_4xx', () => new Response(null, { status: 404 })],
    [
      'its echo with 400',
      'http_4xx',
      (request) => Response.json({ challenge: challengeOf(request) }, { status: 400 }),
    ],
    ['500', 'http_5xx', () => new Response(null, { status: 500 })],
    ['526', 'tls_error', () => new Response(null, { status: 526 })],
    ['an error of the connection', 'connection_refused', () => Promise.reject(new TypeError('x'))],
  ])('that is answered with %s fails as %s', async (_, reason, answer) => {
    const subscriber = openSubscriber()
    const { world } = subscriber
    world.answer = answer
    expect(await subscriber.subscribe()).toEqual(failure(reason))
    expect(await subscriber.stub().subscriptions()).toEqual([])
    expect(world.registrations.size).toBe(0)
    expect(world.reasons('event-subscription')).toEqual([['refused', reason]])
    expect(world.requests.map(({ url }) => url)).not.toContain('https://other.example/')
  })

  it('that is not answered in time fails as timeout', async () => {
    const subscriber = openSubscriber({ deliveryTimeoutMs: 50 })
    let isAborted = false
    subscriber.world.answer = (_, signal) =>
      new Promise(() => {
        signal?.addEventListener('abort', () => {
          isAborted = true
        })
      })
    expect(await subscriber.subscribe()).toEqual(failure('timeout'))
    expect(isAborted).toBe(true)
  })

  it('whose answer never ends fails as timeout', async () => {
    const subscriber = openSubscriber({ deliveryTimeoutMs: 50 })
    subscriber.world.answer = () =>
      new Response(new ReadableStream({ pull: () => new Promise(() => undefined) }))
    expect(await subscriber.subscribe()).toEqual(failure('timeout'))
  })

  it('is not repeated for a day, for refreshes, other arguments, and after a restart', async () => {
    const subscriber = openSubscriber()
    await subscriber.subscribed()
    await subscriber.subscribed()
    await subscriber.kill()
    await subscriber.subscribed({ arguments: '{"list":"b"}' })
    advance(DAY_MS - 1)
    await subscriber.subscribed()
    expect(subscriber.envelopes('verification')).toHaveLength(1)
    advance(1)
    await subscriber.subscribed()
    expect(subscriber.envelopes('verification')).toHaveLength(2)
  })

  it.each([{ secret: OTHER_SECRET }, { url: 'https://hooks.example.org/b' }])(
    'is repeated for %j',
    async (part) => {
      const subscriber = openSubscriber()
      await subscriber.subscribed()
      await subscriber.subscribed(part)
      const [one, other] = subscriber.envelopes('verification')
      expect(other?.message.challenge).toBeDefined()
      expect(other?.message.challenge).not.toBe(one?.message.challenge)
    },
  )

  it('of one principal does not verify a callback for another', async () => {
    const [one, other] = [openSubscriber(), openSubscriber()]
    await one.subscribed()
    await other.subscribed()
    expect(other.envelopes('verification')).toHaveLength(1)
  })

  it('is sent ten times a minute at most, also after a restart', async () => {
    const subscriber = openSubscriber({ challengesPerMinute: 3 })
    const subscribe = (path: number) =>
      subscriber.subscribe({ url: `https://hooks.example.org/${path}` })
    subscriber.world.answer = () => new Response(null, { status: 500 })
    for (let path = 0; path < 3; path++) expect(await subscribe(path)).toMatchObject({ ok: false })
    await subscriber.kill()
    subscriber.world.answer = echoOrAccept
    expect(await subscribe(3)).toEqual({
      ok: false,
      error: { name: 'ResourceExhausted', data: { limit: 'verifications_per_minute', max: 3 } },
    })
    expect(subscriber.world.received).toHaveLength(3)
    advance(MINUTE_MS)
    expect(await subscribe(3)).toMatchObject({ ok: true })
  })

  it('is counted before the platform counts its host, so that concurrent subscriptions have one limit', async () => {
    const subscriber = openSubscriber({ challengesPerMinute: 3 })
    subscriber.world.limitOfCallback = async () => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      return undefined
    }
    const paths = Array.from({ length: 12 }, (_, path) => path)
    const results = await Promise.all(
      paths.map((path) => subscriber.subscribe({ url: `https://hooks.example.org/${path}` })),
    )
    expect(results.filter(({ ok }) => ok)).toHaveLength(3)
    expect(subscriber.envelopes('verification')).toHaveLength(3)
  })

  it('is counted also while as much is remembered as may be', async () => {
    const subscriber = openSubscriber({ challengesPerMinute: 3 })
    await subscriber.subscribed()
    await subscriber.query(
      `WITH RECURSIVE ids (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM ids WHERE n < 2500)
       INSERT INTO marks (name, until) SELECT 'ended sub_' || n, ${NOON + DAY_MS} + n FROM ids`,
    )
    const results: boolean[] = []
    for (let path = 0; path < 4; path++) {
      const { ok } = await subscriber.subscribe({ url: `https://hooks.example.org/${path}` })
      results.push(ok)
    }
    expect(results).toEqual([true, true, false, false])
    expect(subscriber.envelopes('verification')).toHaveLength(3)
  })

  it('is not sent to a host that has received too many of all principals', async () => {
    const subscriber = openSubscriber()
    const hosts: string[] = []
    subscriber.world.limitOfCallback = (host) => {
      hosts.push(host)
      return { limitClass: 'callback-host', retryAfterSeconds: 60, isExact: true }
    }
    expect(await subscriber.subscribe()).toEqual({
      ok: false,
      error: { name: 'ResourceExhausted', data: { limit: 'verifications_per_minute' } },
    })
    expect(hosts).toEqual([new URL(URL_A).hostname])
    expect(subscriber.world.received).toEqual([])
  })

  it('is not sent to a URL that is refused', async () => {
    const subscriber = openSubscriber()
    for (const url of [
      'http://hooks.example.org/',
      'https://127.0.0.1/',
      'https://mcp.example.com/',
    ]) {
      expect(await subscriber.subscribe({ url })).toEqual(failure('connection_refused'))
    }
    expect(subscriber.world.requests).toEqual([])
  })
})

describe('a callback at a trusted origin', () => {
  const url = 'http://127.0.0.1:4000/hook'
  const trusted = ['http://127.0.0.1:4000']

  it('needs no challenge', async () => {
    const subscriber = openSubscriber({}, { callbacks: { trusted } })
    await subscriber.subscribed({ url })
    expect(subscriber.world.requests).toEqual([])
  })

  it('needs one where the operator wants it', async () => {
    const subscriber = openSubscriber({}, { callbacks: { trusted, challengeTrusted: true } })
    await subscriber.subscribed({ url })
    expect(subscriber.envelopes('verification')).toHaveLength(1)
  })

  it.each([
    [trusted[0], 1],
    ['http://127.0.0.1:5000', 0],
  ])('needs one where the operator wants it at %s: %i', async (origin, count) => {
    const challengeTrusted = (asked: string) => asked === origin
    const subscriber = openSubscriber({}, { callbacks: { trusted, challengeTrusted } })
    await subscriber.subscribed({ url })
    expect(subscriber.envelopes('verification')).toHaveLength(count)
  })
})

describe('a callback that does not echo, at a host with a document of consent', () => {
  const document = 'https://hooks.example.org/.well-known/mcp-webhook-receiver.json'
  const consenting =
    (receivers: unknown, headers: Record<string, string> = {}, status = 401) =>
    ({ url }: Received) =>
      url === document ? Response.json({ receivers }, { headers }) : new Response(null, { status })

  it.each([[['/']], [['/hooks/', '/a']]])('is verified by %j', async (receivers) => {
    const subscriber = openSubscriber()
    subscriber.world.answer = consenting(receivers)
    await subscriber.subscribed()
    expect(subscriber.world.requests.map(({ url }) => url)).toEqual([URL_A, document])
    expect(subscriber.world.requests[1]?.init.redirect).toBe('manual')
  })

  it.each(['..%2fx', '%2F..%2fx', '..%5cx'])(
    'is not verified by a prefix of its path with the encoded separator of %s',
    async (rest) => {
      const subscriber = openSubscriber()
      subscriber.world.answer = consenting(['/hooks/'])
      const url = 'https://hooks.example.org/hooks/'
      expect(await subscriber.subscribe({ url: `${url}${rest}` })).toMatchObject({ ok: false })
      expect(await subscriber.subscribe({ url: `${url}x%20y` })).toMatchObject({ ok: true })
    },
  )

  it.each([
    [['/b']],
    [['/a/']],
    [['a']],
    [[]],
    ['/a'],
    [['https://hooks.example.org/a']],
    [[1]],
    [null],
  ])('is not verified by %j', async (receivers) => {
    const subscriber = openSubscriber()
    subscriber.world.answer = consenting(receivers)
    expect(await subscriber.subscribe()).toEqual(failure('http_4xx'))
  })

  it('is not verified by a prefix that ends within a segment', async () => {
    const subscriber = openSubscriber()
    subscriber.world.answer = consenting(['/hooks'])
    const url = 'https://hooks.example.org/hooks-of-others'
    expect(await subscriber.subscribe({ url })).toEqual(failure('http_4xx'))
  })

  it('is not asked for a document when it cannot be reached', async () => {
    const subscriber = openSubscriber()
    subscriber.world.answer = consenting(['/'], {}, 503)
    expect(await subscriber.subscribe()).toEqual(failure('http_5xx'))
    expect(subscriber.world.requests).toHaveLength(1)
  })

  it.each([
    [{}, HOUR_MS],
    [{ 'cache-control': 'public, max-age=600' }, 10 * MINUTE_MS],
    [{ 'cache-control': 'max-age=99999999' }, DAY_MS],
    [{ 'cache-control': 'no-store' }, 0],
  ])('is asked again after the time that %j allow', async (headers, ms) => {
    const subscriber = openSubscriber()
    subscriber.world.answer = consenting(['/'], headers)
    await subscriber.subscribed()
    const { length } = subscriber.world.requests
    if (ms > 0) {
      advance(ms - 1)
      await subscriber.subscribed()
      expect(subscriber.world.requests).toHaveLength(length)
      advance(1)
    }
    await subscriber.subscribed()
    expect(subscriber.world.requests).toHaveLength(2 * length)
  })
})
