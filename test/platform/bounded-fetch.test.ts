import { describe, expect, it } from 'vitest'
import { fetchJson, type JsonRequest } from '../../src/platform/bounded-fetch.ts'

const URL_OF = 'https://issuer.example/keys?secret'

/** Fetches a document from a host with one response, and records the request. */
async function fetchFrom(respond: () => Response, options: Partial<JsonRequest> = {}) {
  const requests: Request[] = []
  const response = await fetchJson(
    async (url, init) => {
      requests.push(new Request(url, init))
      return respond()
    },
    URL_OF,
    { maxBytes: 100, signal: new AbortController().signal, ...options },
  )
  return { response, request: requests[0] }
}

describe('fetchJson', () => {
  it('sends a GET that accepts JSON, names the client and follows no redirect', async () => {
    const { response, request } = await fetchFrom(() => Response.json({ a: 1 }))
    expect(response).toMatchObject({ ok: true, status: 200, value: { a: 1 } })
    expect([request?.method, request?.url, request?.redirect]).toEqual(['GET', URL_OF, 'manual'])
    expect(Object.fromEntries(request?.headers ?? [])).toEqual({
      accept: 'application/json',
      'user-agent': 'Edgeway',
    })
  })

  it('sends the method, headers and body that are given', async () => {
    const { request } = await fetchFrom(() => Response.json(null), {
      method: 'POST',
      headers: { accept: 'application/jwk-set+json' },
      body: 'a=b',
    })
    expect(request?.method).toBe('POST')
    expect(request?.headers.get('accept')).toBe('application/jwk-set+json')
    expect(await request?.text()).toBe('a=b')
  })

  it('returns null as a value', async () => {
    const { response } = await fetchFrom(() => Response.json(null))
    expect(response).toMatchObject({ ok: true, value: null })
  })

  it.each([201, 301, 302, 304, 400, 404, 500])('fails for the status %i', async (status) => {
    const body = status === 304 ? null : '{}'
    const { response } = await fetchFrom(() => new Response(body, { status }))
    expect(response).toEqual({
      ok: false,
      status,
      message: `https://issuer.example/keys responded with status ${status}`,
    })
  })

  it('reads the body of another status that is accepted', async () => {
    const { response } = await fetchFrom(() => Response.json({ error: 'no' }, { status: 400 }), {
      statuses: [200, 400],
    })
    expect(response).toMatchObject({ ok: true, status: 400, value: { error: 'no' } })
  })

  it('ignores Content-Type unless a JSON type is required', async () => {
    const html = () => new Response('{}', { headers: { 'content-type': 'text/html' } })
    expect((await fetchFrom(html)).response.ok).toBe(true)
    expect((await fetchFrom(html, { requireJsonType: true })).response).toEqual({
      ok: false,
      status: 200,
      message: 'https://issuer.example/keys is not of a JSON type',
    })
  })

  it('fails for a body with one byte more than the limit', async () => {
    const { response } = await fetchFrom(() => new Response(`"${'x'.repeat(99)}"`))
    expect(response).toEqual({
      ok: false,
      status: 200,
      message: 'https://issuer.example/keys is larger than 100 bytes',
    })
  })

  it.each(['', '{', '{}{}', new Uint8Array([0x22, 0xff, 0x22])])(
    'fails for a body that is not JSON: %j',
    async (body) => {
      const { response } = await fetchFrom(() => new Response(body))
      expect(response).toEqual({
        ok: false,
        status: 200,
        message: 'https://issuer.example/keys is not JSON',
      })
    },
  )

  it.each([
    ['nests more than 32 levels', '['.repeat(33) + ']'.repeat(33)],
    ['has more than 10000 values', `[${'1,'.repeat(10_000)}1]`],
    ['repeats a key of an object', '{"keys":[],"keys":[]}'],
  ])('fails for a body that %s', async (defect, body) => {
    const { response } = await fetchFrom(() => new Response(body), { maxBytes: 100_000 })
    const message = `https://issuer.example/keys ${defect}`
    expect(response).toEqual({ ok: false, status: 200, message })
  })

  it('fails with the cause when there is no connection', async () => {
    const cause = new TypeError('connection refused')
    const { response } = await fetchFrom(() => {
      throw cause
    })
    expect(response).toEqual({
      ok: false,
      status: undefined,
      message: 'https://issuer.example/keys cannot be reached',
      cause,
    })
  })

  it('fails with the cause when the connection ends before the body', async () => {
    const cause = new Error('cut off')
    const { response } = await fetchFrom(
      () => new Response(new ReadableStream({ pull: (controller) => controller.error(cause) })),
    )
    expect(response).toMatchObject({ ok: false, status: undefined })
  })
})
