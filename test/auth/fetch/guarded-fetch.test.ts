import { describe, expect, it } from 'vitest'
import { createGuardedFetch } from '../../../src/auth/fetch/guarded-fetch.ts'
import { verifies } from '../../support/verifies.ts'

const URL_OF = 'https://client.example/doc.json'
const JSON_TYPE = { 'content-type': 'application/json' }

type Init = RequestInit & { signal: AbortSignal }

function open(answer: (url: string, init: Init) => Promise<Response> | Response, timeoutMs = 1000) {
  const requests: Request[] = []
  const fetch = createGuardedFetch({
    timeoutMs,
    fetch: async (url, init) => {
      // The constructor rejects options that the platform does not support.
      requests.push(new Request(url, init))
      return answer(url, init as Init)
    },
  })
  return { fetch, requests }
}

const never = () => new Promise<never>(() => undefined)

const answering = (body: BodyInit | null, init: ResponseInit = { headers: JSON_TYPE }) =>
  open(() => new Response(body, init))

describe('createGuardedFetch', () => {
  it('returns JSON, and sends no cookies and follows no redirects', async () => {
    verifies('client-id-metadata-documents/no-redirects')
    const { fetch, requests } = answering('{"a":[1]}')
    const answer = await fetch(URL_OF, 5120)
    expect(answer).toMatchObject({ ok: true, value: { a: [1] } })
    expect(requests).toHaveLength(1)
    expect(requests[0]?.url).toBe(URL_OF)
    expect(requests[0]?.redirect).toBe('manual')
    expect(Object.fromEntries(requests[0]?.headers ?? [])).toEqual({
      accept: 'application/json',
      'user-agent': 'Edgeway',
    })
  })

  it('refuses the host of its own issuer, on every path', async () => {
    const urls: string[] = []
    const fetch = createGuardedFetch({
      ownOrigins: ['https://mcp.example.com'],
      fetch: async (url) => {
        urls.push(url)
        return Response.json({})
      },
    })
    for (const path of ['/.well-known/jwks.json', '/a?b']) {
      expect(await fetch(`https://mcp.example.com${path}`, 10)).toEqual({
        ok: false,
        failure: 'refused',
      })
    }
    expect((await fetch('https://other.example.com/', 10)).ok).toBe(true)
    expect(urls).toEqual(['https://other.example.com/'])
  })

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/jwk-set+json',
    'application/cimd+json;v=1',
  ])('accepts the type %s', async (type) => {
    const { fetch } = answering('1', { headers: { 'content-type': type } })
    expect(await fetch(URL_OF, 10)).toMatchObject({ ok: true, value: 1 })
  })

  it.each([
    'text/html',
    'text/json',
    'text/plain',
    'application/octet-stream',
    'application/jsonp',
    'application/x json',
    'application/+json',
    'text/html, application/json',
    '',
    undefined,
  ])('rejects the type %j', async (type) => {
    const body = type === undefined ? new TextEncoder().encode('1') : '1'
    const { fetch } = answering(body, {
      headers: { ...(type !== undefined && { 'content-type': type }) },
    })
    expect(await fetch(URL_OF, 10)).toEqual({ ok: false, failure: 'unusable' })
  })

  it.each([
    ...[301, 302, 303, 307, 308, 304, 201, 204, 206, 400, 401, 403].map(
      (status) => [status, 'unusable'] as const,
    ),
    ...[404, 410].map((status) => [status, 'gone'] as const),
    ...[408, 425, 429, 500, 503].map((status) => [status, 'unreachable'] as const),
  ])('reports the status %i as %s', async (status, failure) => {
    const headers = { ...JSON_TYPE, location: 'https://127.0.0.1/' }
    const body = status === 204 || status === 304 ? null : '{"a":1}'
    const { fetch, requests } = answering(body, { status, headers })
    expect(await fetch(URL_OF, 100)).toEqual({ ok: false, failure })
    expect(requests).toHaveLength(1)
  })

  it('accepts a body of the maximum size and rejects one byte more', async () => {
    const { fetch } = answering(`"${'x'.repeat(98)}"`)
    expect((await fetch(URL_OF, 100)).ok).toBe(true)
    expect(await fetch(URL_OF, 99)).toEqual({ ok: false, failure: 'unusable' })
  })

  it('stops reading a body without end', async () => {
    let chunks = 0
    let cancelled = false
    const { fetch } = open(
      () =>
        new Response(
          new ReadableStream({
            pull(controller) {
              chunks += 1
              controller.enqueue(new Uint8Array(1024))
            },
            cancel() {
              cancelled = true
            },
          }),
          { headers: JSON_TYPE },
        ),
    )
    expect(await fetch(URL_OF, 5120)).toEqual({ ok: false, failure: 'unusable' })
    expect(chunks).toBeLessThan(10)
    expect(cancelled).toBe(true)
  })

  it('ignores Content-Length', async () => {
    const { fetch } = open(
      () =>
        new Response(new Blob([new Uint8Array(6000)]).stream(), {
          headers: { ...JSON_TYPE, 'content-length': '10' },
        }),
    )
    expect(await fetch(URL_OF, 5120)).toEqual({ ok: false, failure: 'unusable' })
  })

  it.each<[string, BodyInit]>([
    ['an empty body', ''],
    ['half an object', '{"a":'],
    ['HTML', '<!doctype html>'],
    ['two values', '{}{}'],
    ['bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
  ])('rejects %s', async (_, body) => {
    expect(await answering(body).fetch(URL_OF, 100)).toEqual({ ok: false, failure: 'unusable' })
  })

  it('ignores a byte order mark', async () => {
    const { fetch } = answering('\ufeff{"a":1}')
    expect(await fetch(URL_OF, 100)).toMatchObject({ ok: true, value: { a: 1 } })
  })

  const streaming = (pull: UnderlyingSource['pull']) => () =>
    new Response(new ReadableStream({ pull }), { headers: JSON_TYPE })
  it.each<[string, () => Promise<Response> | Response]>([
    ['a host that does not respond', never],
    ['a connection that fails', () => Promise.reject(new TypeError('10.0.0.1: refused'))],
    ['a body that stalls', streaming(never)],
    ['a body that is cut off', streaming((controller) => controller.error(new Error('cut')))],
  ])('reports %s as unreachable, without details', async (_, answer) => {
    const { fetch } = open(answer, 50)
    expect(await fetch(URL_OF, 100)).toEqual({ ok: false, failure: 'unreachable' })
  })

  it('includes the body in the timeout and aborts the connection', async () => {
    let signal: AbortSignal | undefined
    const { fetch } = open((_, init) => {
      signal = init.signal
      const dripping = new ReadableStream({
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 20))
          controller.enqueue(new Uint8Array([0x20]))
        },
      })
      return new Response(dripping, { headers: JSON_TYPE })
    }, 100)
    expect(await fetch(URL_OF, 5120)).toEqual({ ok: false, failure: 'unreachable' })
    expect(signal?.aborted).toBe(true)
  })

  it.each(['http://client.example/', 'https://127.0.0.1/', 'https://localhost/', 'nonsense'])(
    'refuses %s without a request',
    async (url) => {
      verifies('authorization-security/client-document-security')
      const { fetch, requests } = answering('{}')
      expect(await fetch(url, 100)).toEqual({ ok: false, failure: 'refused' })
      expect(requests).toHaveLength(0)
    },
  )
})
