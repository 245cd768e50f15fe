import { describe, expect, it, vi } from 'vitest'
import { DocumentCache } from '../../../src/auth/fetch/document-cache.ts'
import type { FetchFailure, GuardedResponse } from '../../../src/auth/fetch/guarded-fetch.ts'
import type { DocumentStore, StoredDocument } from '../../../src/ports/documents.ts'
import { verifies } from '../../support/verifies.ts'

const DOC = 'https://client.example/doc.json'
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const START = Date.UTC(2026, 10, 2)

interface Setting {
  readonly store?: DocumentStore
  readonly retryAfterMs?: number
}

/** A host with configurable responses, a clock, and a cache. */
function open({ store, retryAfterMs }: Setting = {}) {
  const host = {
    fetches: 0,
    value: 'one' as unknown,
    failure: undefined as FetchFailure | undefined,
    headers: {} as Record<string, string>,
    gate: undefined as Promise<void> | undefined,
  }
  const clock = { now: START }
  const openCache = () =>
    new DocumentCache<string>({
      maxBytes: 100,
      now: () => clock.now,
      store,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      fetch: async (): Promise<GuardedResponse> => {
        host.fetches += 1
        const { value, failure, headers } = host
        await host.gate
        return failure === undefined
          ? { ok: true, value, headers: new Headers(headers) }
          : { ok: false, failure }
      },
      validate: (value) =>
        typeof value === 'string'
          ? { ok: true, value: `valid ${value}` }
          : { ok: false, error: 'it must be a string' },
    })
  return { host, clock, openCache, cache: openCache() }
}

function openStore() {
  const documents = new Map<string, StoredDocument>()
  const store: DocumentStore = {
    get: async (url) => documents.get(url),
    put: async (url, document) => void documents.set(url, document),
    delete: async (url) => void documents.delete(url),
  }
  return { store, documents }
}

const ONE = { ok: true, value: 'valid one' }
const TWO = { ok: true, value: 'valid two' }

describe('DocumentCache', () => {
  const EXPIRES = 'Mon, 02 Nov 2026 02:00:00 GMT'
  const HALF_PAST = 'Mon, 02 Nov 2026 00:30:00 GMT'
  const rules = (text: string, more = {}) => ({ 'cache-control': text, ...more })

  it.each<[Record<string, string>, number]>([
    [{}, HOUR],
    [rules('max-age=7200'), 2 * HOUR],
    [rules('public, MAX-AGE="7200"'), 2 * HOUR],
    [rules('max-age=7200, s-maxage=1200'), 20 * MINUTE],
    [rules('max-age=7200', { age: '3600' }), HOUR],
    [rules('max-age=1'), 5 * MINUTE],
    [rules('max-age=0, must-revalidate'), 5 * MINUTE],
    [rules('no-store'), 5 * MINUTE],
    [rules('no-cache, max-age=7200'), 5 * MINUTE],
    [rules('max-age=31536000, immutable'), DAY],
    [rules('max-age=99999999999999999999'), DAY],
    [rules('max-age=-5'), 5 * MINUTE],
    [rules('max-age='), 5 * MINUTE],
    [rules(',,,=,'), HOUR],
    [{ expires: EXPIRES }, 2 * HOUR],
    [{ expires: EXPIRES, date: HALF_PAST }, 90 * MINUTE],
    [{ expires: EXPIRES, age: '3600' }, HOUR],
    [rules('max-age=1200', { expires: EXPIRES }), 20 * MINUTE],
    [{ expires: 'Thu, 01 Jan 1970 00:00:00 GMT' }, 5 * MINUTE],
    [{ expires: '0' }, 5 * MINUTE],
    [{ expires: '-1' }, 5 * MINUTE],
  ])('fetches a document with %j again after %i ms', async (headers, freshMs) => {
    const { host, clock, cache } = open()
    host.headers = headers
    expect(await cache.get(DOC)).toEqual(ONE)
    host.value = 'two'
    clock.now += freshMs - 1
    expect(await cache.get(DOC)).toEqual(ONE)
    expect(host.fetches).toBe(1)
    clock.now += 1
    expect(await cache.get(DOC)).toEqual(TWO)
    expect(host.fetches).toBe(2)
  })

  it('fetches a document again for a request that needs a younger one', async () => {
    const { host, clock, cache } = open()
    await cache.get(DOC)
    host.value = 'two'
    clock.now += MINUTE - 1
    expect(await cache.get(DOC, { maxAgeMs: MINUTE })).toEqual(ONE)
    clock.now += 1
    expect(await cache.get(DOC, { maxAgeMs: MINUTE })).toEqual(TWO)
    expect(await cache.get(DOC, { maxAgeMs: MINUTE })).toEqual(TWO)
    expect(host.fetches).toBe(2)
  })

  it('fetches a document once for fifty concurrent requests', async () => {
    const { host, cache } = open()
    const gate = Promise.withResolvers<void>()
    host.gate = gate.promise
    const wanted = Array.from({ length: 50 }, () => cache.get(DOC))
    gate.resolve()
    expect(new Set((await Promise.all(wanted)).map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify(ONE)]),
    )
    expect(host.fetches).toBe(1)
  })

  it('fetches a document again when the request that fetched it was terminated', async () => {
    const { host, clock, cache } = open()
    host.gate = new Promise(() => undefined)
    // A terminated request neither succeeds nor fails.
    cache.get(DOC).catch(() => undefined)
    await vi.waitFor(() => expect(host.fetches).toBe(1))
    host.gate = undefined
    clock.now += 7000
    expect(await cache.get(DOC)).toEqual(ONE)
    expect(host.fetches).toBe(2)
  })

  it('caches the 200 documents that were used last', async () => {
    const { host, cache } = open()
    const urls = Array.from({ length: 200 }, (_, index) => `${DOC}?${index}`)
    await cache.get(DOC)
    for (const url of urls.slice(0, 199)) await cache.get(url)
    await cache.get(DOC)
    await cache.get(`${DOC}?199`)
    expect(host.fetches).toBe(201)
    await cache.get(DOC)
    expect(host.fetches).toBe(201)
    await cache.get(`${DOC}?0`)
    expect(host.fetches).toBe(202)
  })
})

describe('DocumentCache while the host fails', () => {
  it.each(['unreachable', 'unusable', 'refused'] as const)(
    'with "%s" uses the stale document for seven days and fetches once a minute',
    async (failure) => {
      const { host, clock, cache } = open()
      await cache.get(DOC)
      host.failure = failure
      clock.now += HOUR
      expect(await cache.get(DOC)).toEqual(ONE)
      expect(await cache.get(DOC)).toEqual(ONE)
      expect(host.fetches).toBe(2)
      clock.now += MINUTE
      expect(await cache.get(DOC)).toEqual(ONE)
      expect(host.fetches).toBe(3)
      clock.now = START + 7 * DAY - 1
      expect(await cache.get(DOC)).toEqual(ONE)
      clock.now = START + 7 * DAY
      expect(await cache.get(DOC)).toEqual({ ok: false, failure })
      host.failure = undefined
      host.value = 'two'
      clock.now += MINUTE
      expect(await cache.get(DOC)).toEqual(TWO)
    },
  )

  it('forgets a document that is gone at once', async () => {
    const { host, clock, cache } = open()
    await cache.get(DOC)
    host.failure = 'gone'
    clock.now += HOUR
    expect(await cache.get(DOC)).toEqual({ ok: false, failure: 'gone' })
    host.failure = 'unreachable'
    clock.now += MINUTE
    expect(await cache.get(DOC)).toEqual({ ok: false, failure: 'unreachable' })
  })

  it('does not use the stale document when the new one is invalid', async () => {
    verifies('client-id-metadata-documents/invalid-documents-are-not-cached')
    const { host, clock, cache } = open()
    await cache.get(DOC)
    host.value = 5
    clock.now += HOUR
    const invalid = { ok: false, failure: 'invalid', error: 'it must be a string' }
    expect(await cache.get(DOC)).toEqual(invalid)
    expect(await cache.get(DOC)).toEqual(invalid)
    expect(host.fetches).toBe(3)
    host.value = 'two'
    expect(await cache.get(DOC)).toEqual(TWO)
  })

  it.each(['unreachable', 'unusable', 'refused', 'gone'] as const)(
    'fetches a document that it does not have again after "%s"',
    async (failure) => {
      verifies('client-id-metadata-documents/error-responses-are-not-cached')
      const { host, cache } = open()
      host.failure = failure
      expect(await cache.get(DOC)).toEqual({ ok: false, failure })
      host.failure = undefined
      expect(await cache.get(DOC)).toEqual(ONE)
    },
  )

  it('fetches a document that it used until it was too old again after a failure', async () => {
    const { host, clock, cache } = open()
    await cache.get(DOC)
    host.failure = 'unreachable'
    clock.now += 7 * DAY
    expect((await cache.get(DOC)).ok).toBe(false)
    host.failure = undefined
    expect(await cache.get(DOC)).toEqual(ONE)
  })

  it('fetches a document that it does not have at most five times a minute', async () => {
    const { host, clock, cache } = open()
    host.failure = 'gone'
    await cache.get(DOC)
    clock.now += 1
    const failures = []
    for (let at = 0; at < 19; at += 1) failures.push(await cache.get(DOC))
    expect(failures.slice(0, 4)).toEqual(Array(4).fill({ ok: false, failure: 'gone' }))
    expect(failures.slice(4)).toEqual(Array(15).fill({ ok: false, failure: 'unreachable' }))
    expect(host.fetches).toBe(5)
    host.failure = undefined
    clock.now += MINUTE - 2
    expect((await cache.get(DOC)).ok).toBe(false)
    expect(await cache.get(`${DOC}?other`)).toEqual(ONE)
    clock.now += 1
    expect(await cache.get(DOC)).toEqual(ONE)
  })

  it('fetches again at once when retryAfterMs is 0', async () => {
    const { host, cache } = open({ retryAfterMs: 0 })
    host.failure = 'unreachable'
    await cache.get(DOC)
    host.failure = undefined
    expect(await cache.get(DOC)).toEqual(ONE)
  })
})

describe('DocumentCache with a store', () => {
  it('uses a document that another isolate has stored: a fresh one, and a stale one while the host fails', async () => {
    const { host, clock, cache, openCache } = open(openStore())
    await cache.get(DOC)
    clock.now += HOUR - 1
    expect(await openCache().get(DOC)).toEqual(ONE)
    expect(host.fetches).toBe(1)
    host.failure = 'unreachable'
    clock.now += 6 * DAY
    const other = openCache()
    expect(await other.get(DOC)).toEqual(ONE)
    // Until the next fetch, the isolate uses the document that it has read.
    expect(await other.get(DOC)).toEqual(ONE)
    expect(host.fetches).toBe(2)
    host.failure = undefined
    host.value = 'two'
    expect(await openCache().get(DOC)).toEqual(TWO)
  })

  it('deletes a document that is gone', async () => {
    const { store, documents } = openStore()
    const { host, clock, cache } = open({ store })
    await cache.get(DOC)
    expect([...documents.keys()]).toEqual([DOC])
    host.failure = 'gone'
    clock.now += HOUR
    await cache.get(DOC)
    expect(documents.size).toBe(0)
  })

  it('ignores a stored document that is invalid', async () => {
    const { store, documents } = openStore()
    documents.set(DOC, { value: 5, fetchedAt: START, freshUntil: START + DAY })
    const { host, cache } = open({ store })
    expect(await cache.get(DOC)).toEqual(ONE)
    expect(host.fetches).toBe(1)
  })

  it.each([
    ['fails', () => Promise.reject(new Error('down'))],
    ['does not answer', () => new Promise<never>(() => undefined)],
  ])('fetches the document when the store %s', async (_, answer) => {
    const { cache } = open({ store: { get: answer, put: answer, delete: answer } })
    expect(await cache.get(DOC)).toEqual(ONE)
  })
})
