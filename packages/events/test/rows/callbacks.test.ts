/** Rows ssrf-* and verification-* of the scenario events-webhook-delivery. */
// features: events
import { expect, it, onTestFinished, vi } from 'vitest'
import { advanceClock } from '../../../../test/support/clock.ts'
import { createEventSecret } from '../../../testing/src/index.ts'
import {
  CODES,
  emit,
  pass,
  person,
  receiver,
  refusal,
  restart,
  runAlarms,
  subscriber,
} from '../support/rows.ts'
import { switches } from '../support/rows-server.ts'

/** The URLs of all requests that the server sends to other hosts than those of receivers. */
function recordFetches(): readonly string[] {
  const urls: string[] = []
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    urls.push(input instanceof Request ? input.url : String(input))
    return new Response(null, { status: 204 })
  })
  onTestFinished(() => spy.mockRestore())
  return urls
}

function trust(origin: string): void {
  switches.trusted.add(origin)
  onTestFinished(() => void switches.trusted.delete(origin))
}

const NO_CALLBACKS = [
  'https://127.0.0.1/hook',
  'https://127.1/hook',
  'https://0x7f000001/hook',
  'https://[::1]/hook',
  'https://[::ffff:127.0.0.1]/hook',
  'https://10.0.0.1/hook',
  'https://172.16.0.1/hook',
  'https://192.168.0.1/hook',
  'https://169.254.169.254/latest/meta-data',
  'https://100.64.0.1/hook',
  'https://0.0.0.0/hook',
  'https://[fd00::1]/hook',
  'https://[fe80::1]/hook',
  'https://localhost/hook',
  'https://LOCALHOST./hook',
  'https://app.localhost/hook',
  'https://printer.local/hook',
  'https://db.internal/hook',
  'https://intranet/hook',
]

it.each(NO_CALLBACKS)(
  'ssrf-reject-non-routable: refuses the callback %s without a connection',
  async (url) => {
    const urls = recordFetches()
    const { client } = await person()
    const callback = { url, secret: createEventSecret() }
    const refused = await refusal(client.events.subscribe('rows.all', { callback }))
    expect(refused.code).toBe(CODES.invalidParams)
    expect(urls).toEqual([])
  },
)

it.each([
  'https://user:password@receiver.example/hook',
  'https://user@receiver.example/hook',
  'https://receiver.example/hook#fragment',
  `https://receiver.example/${'x'.repeat(2048)}`,
  'https://',
  'https:///hook',
  'https:///receiver.example/hook',
  'https:///user:password@receiver.example/hook',
  'javascript:alert(1)',
])('ssrf-validate-callback-url: refuses the callback %s without a connection', async (url) => {
  const urls = recordFetches()
  const { client } = await person()
  const callback = { url, secret: createEventSecret() }
  const refused = await refusal(client.events.subscribe('rows.all', { callback }))
  expect(refused.code).toBe(CODES.invalidParams)
  expect(urls).toEqual([])
})

it('ssrf-reject-non-routable: an origin that the operator trusts may be plain http and loopback', async () => {
  trust('http://127.0.0.1:9999')
  const { client, topic } = await person()
  const callback = receiver('http://127.0.0.1:9999/hook')
  await client.events.subscribe('rows.all', { callback, arguments: { topic } })
  await emit(topic, 'a')
  expect((await callback.next()).status).toBe(204)
})

it('ssrf-validate-at-delivery-time: a callback that is not allowed any more receives nothing', async () => {
  const origin = 'http://127.0.0.1:9998'
  trust(origin)
  const { client, topic } = await person()
  const callback = receiver(`${origin}/hook`)
  await client.events.subscribe('rows.all', { callback, arguments: { topic } })
  await emit(topic, 'a')
  await callback.next()
  switches.trusted.delete(origin)
  await emit(topic, 'b')
  await runAlarms()
  expect((await refusal(callback.next(300))).message).toContain('No delivery arrived')
})

it('ssrf-no-redirects: does not follow a redirect of a delivery, and retries it as a failure', async () => {
  const { callback, topic } = await subscriber()
  const target = receiver()
  callback.answerEvents({ redirect: target.url }, 'accept')
  await emit(topic, 'a')
  expect((await callback.next()).status).toBe(302)
  await pass(2000)
  expect((await callback.next()).status).toBe(204)
  expect(target.deliveries).toEqual([])
})

it('verification-required-before-delivery: sends a challenge before the subscription is answered and an event is sent', async () => {
  const { callback, topic } = await subscriber()
  expect(callback.deliveries.map(({ kind }) => kind)).toEqual(['verification'])
  await emit(topic, 'a')
  await callback.next()
  expect(callback.deliveries.map(({ kind }) => kind)).toEqual(['verification', 'event'])
})

it('verification-required-before-delivery: a callback that fails its challenge receives no event', async () => {
  const { client, topic } = await person()
  const callback = receiver()
  callback.answerChallenges('wrong-challenge')
  await refusal(client.events.subscribe('rows.all', { callback, arguments: { topic } }))
  await emit(topic, 'a')
  await runAlarms()
  expect(callback.deliveries.map(({ kind }) => kind)).toEqual(['verification'])
})

it('verification-challenge-echo: the challenge is signed and headed as a delivery, and never the same', async () => {
  const [one, two] = [await subscriber(), await subscriber()]
  const [first, second] = [one, two].map(({ callback }) => callback.deliveries[0])
  expect(first).toMatchObject({
    method: 'POST',
    envelope: { type: 'verification', challenge: expect.stringMatching(/^[\w-]{43,}$/) },
    verifiedBy: [one.callback.secret],
    subscriptionId: one.id,
  })
  expect(Object.keys(first?.envelope ?? {})).toEqual(['type', 'challenge'])
  expect(first?.envelope?.challenge).not.toBe(second?.envelope?.challenge)
})

it.each([
  ['wrong-challenge', 'challenge_failed'],
  ['huge', 'challenge_failed'],
  [{ status: 204 }, 'challenge_failed'],
  [{ status: 200, body: 'not JSON' }, 'challenge_failed'],
  [{ redirect: 'https://elsewhere.example/' }, 'challenge_failed'],
  [{ status: 404 }, 'http_4xx'],
  [{ status: 503 }, 'http_5xx'],
  ['hang', 'timeout'],
  ['unreachable', 'connection_refused'],
] as const)(
  'verification-failure-error: a callback that answers %j fails the subscription with %s',
  async (answer, reason) => {
    const { client } = await person()
    const callback = receiver()
    callback.answerChallenges(answer)
    const refused = await refusal(client.events.subscribe('rows.all', { callback }))
    expect(refused).toMatchObject({ code: CODES.callbackEndpointError, data: { reason } })
  },
)

it('verification-failure-error: a failed challenge of a refresh leaves the subscription as it was', async () => {
  const { client, callback, topic, args } = await subscriber()
  const earlier = callback.secret
  callback.rotate()
  callback.answerChallenges('wrong-challenge')
  await refusal(client.events.subscribe('rows.all', { callback, arguments: args }))
  await emit(topic, 'a')
  expect((await callback.next()).verifiedBy).toEqual([earlier])
})

it('verification-cached-per-principal-url: other arguments and a refresh need no second challenge, another person does', async () => {
  const { client, callback, args, topic } = await subscriber()
  const challenges = () => callback.deliveries.filter(({ kind }) => kind === 'verification').length
  await client.events.subscribe('rows.all', { callback, arguments: args })
  await client.events.subscribe('rows.all', { callback, arguments: { topic, level: 1 } })
  expect(challenges()).toBe(1)
  const other = await person()
  await other.client.events.subscribe('rows.all', { callback, arguments: args })
  expect(challenges()).toBe(2)
})

it('verification-cached-per-principal-url: is repeated after a day, and for a new secret', async () => {
  const { client, callback, args } = await subscriber()
  const challenges = () => callback.deliveries.filter(({ kind }) => kind === 'verification').length
  callback.rotate()
  const options = { callback, arguments: args, ttlMs: null }
  await client.events.subscribe('rows.all', options)
  expect(challenges()).toBe(2)
  advanceClock(86_400_000)
  await client.events.subscribe('rows.all', options)
  expect(challenges()).toBe(3)
})

it('verification-persisted-for-no-expiry: a restart does not forget that a callback is verified', async () => {
  const { client, callback, args, topic } = await subscriber()
  const options = { callback, arguments: args, ttlMs: null }
  await client.events.subscribe('rows.all', options)
  await restart()
  await client.events.subscribe('rows.all', options)
  await emit(topic, 'a')
  await callback.next()
  expect(callback.deliveries.map(({ kind }) => kind)).toEqual(['verification', 'event'])
})

it('verification-uses-ssrf-hardened-path: a challenge follows no redirect and goes to no refused address', async () => {
  const target = receiver()
  const { client } = await person()
  const callback = receiver()
  callback.answerChallenges({ redirect: target.url })
  await refusal(client.events.subscribe('rows.all', { callback }))
  expect(target.deliveries).toEqual([])
  const urls = recordFetches()
  const loopback = { url: 'https://127.0.0.1/hook', secret: createEventSecret() }
  await refusal(client.events.subscribe('rows.all', { callback: loopback }))
  expect(urls).toEqual([])
})

it('verification-no-raw-endpoint-responses: an error has nothing that the callback has answered', async () => {
  const { client } = await person()
  const callback = receiver()
  callback.answerChallenges({ status: 500, body: 'a secret of the endpoint' })
  const refused = await refusal(client.events.subscribe('rows.all', { callback }))
  expect(refused.data).toEqual({ reason: 'http_5xx' })
  expect(JSON.stringify([refused.message, refused.data])).not.toMatch(/secret of|500/)
})
