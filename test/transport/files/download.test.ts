import { describe, expect, it } from 'vitest'
import { get, PLACES, pattern, storeFile } from '../../dispatch/files/storage.ts'

const SIZE = 3 * 1024 * 1024 + 10

describe.each(PLACES)('the URL of a file in the %s', (place) => {
  it('downloads the file and lets no browser run it', async () => {
    const file = await storeFile(place, 'a.html', '<script>alert(1)</script>', {
      mimeType: 'text/html',
    })
    const response = await get(await file.url())
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('<script>alert(1)</script>')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'content-type': 'text/html',
      'content-disposition': `attachment; filename="a.html"; filename*=UTF-8''a.html`,
      'content-length': '25',
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
      'referrer-policy': 'no-referrer',
    })
  })

  it('answers ranges with the bytes that they name', async () => {
    const file = await storeFile(place, 'a.bin', pattern(0, SIZE))
    const url = await file.url()
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 1],
      ['bytes=1048570-1048585', 1_048_570, 1_048_586],
      ['bytes=-10', SIZE - 10, SIZE],
      [`bytes=${SIZE - 5}-`, SIZE - 5, SIZE],
      ['bytes=1000-2200000', 1000, 2_200_001],
    ] as const) {
      const response = await get(url, { range })
      expect([range, response.status]).toEqual([range, 206])
      expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${SIZE}`)
      expect(response.headers.get('content-length')).toBe(String(end - start))
      const bytes = new Uint8Array(await response.arrayBuffer())
      expect(bytes.byteLength).toBe(end - start)
      expect(bytes.subarray(-20)).toEqual(pattern(0, SIZE).subarray(Math.max(start, end - 20), end))
    }
    const unsatisfiable = await get(url, { range: `bytes=${SIZE}-` })
    expect([unsatisfiable.status, unsatisfiable.headers.get('content-range')]).toEqual([
      416,
      `bytes */${SIZE}`,
    ])
  })

  it('answers an empty file', async () => {
    const file = await storeFile(place, 'empty', new Uint8Array())
    const response = await get(await file.url())
    expect([response.status, await response.text()]).toEqual([200, ''])
  })
})

describe('the URL of a file', () => {
  it('answers HEAD like GET without the body, and ignores its range', async () => {
    const file = await storeFile('bucket', 'a', 'abc')
    const response = await get(await file.url(), { range: 'bytes=0-0' }, 'HEAD')
    expect([
      response.status,
      response.headers.get('content-length'),
      await response.text(),
    ]).toEqual([200, '3', ''])
  })

  it('evaluates If-Match, If-None-Match and If-Range against its entity tag', async () => {
    const url = await (await storeFile('bucket', 'a', 'abc')).url()
    const tag = (await get(url)).headers.get('etag') ?? ''
    expect(tag).toMatch(/^"[\w-]{43}"$/)
    const statusOf = async (headers: Record<string, string>) => (await get(url, headers)).status
    expect(await statusOf({ 'if-none-match': tag })).toBe(304)
    expect(await statusOf({ 'if-none-match': `"x", W/${tag}` })).toBe(304)
    expect(await statusOf({ 'if-none-match': '"x"' })).toBe(200)
    expect(await statusOf({ 'if-match': tag })).toBe(200)
    expect(await statusOf({ 'if-match': '*' })).toBe(200)
    expect(await statusOf({ 'if-match': '"x"' })).toBe(412)
    expect(await statusOf({ range: 'bytes=0-0', 'if-range': tag })).toBe(206)
    expect(await statusOf({ range: 'bytes=0-0', 'if-range': '"x"' })).toBe(200)
  })

  it.each([
    ['a "b".txt', `attachment; filename="a _b_.txt"; filename*=UTF-8''a%20%22b%22.txt`],
    [
      "it's (1)*.txt",
      `attachment; filename="it_s (1)_.txt"; filename*=UTF-8''it%27s%20%281%29%2A.txt`,
    ],
    [
      'é😀%41.txt',
      `attachment; filename="___41.txt"; filename*=UTF-8''%C3%A9%F0%9F%98%80%2541.txt`,
    ],
    ['a;b=c.txt', `attachment; filename="a_b_c.txt"; filename*=UTF-8''a%3Bb%3Dc.txt`],
  ])('names %s in both forms of Content-Disposition', async (name, disposition) => {
    const file = await storeFile('bucket', name, 'a')
    const response = await get(await file.url())
    expect(response.headers.get('content-disposition')).toBe(disposition)
    await response.text()
  })

  it('expires', async () => {
    const file = await storeFile('bucket', 'a', 'a')
    const url = await file.url({ ttlMs: 1 })
    await expect.poll(async () => (await get(url)).status).toBe(410)
    expect((await get(await file.url())).status).toBe(200)
  })

  it.each([0, -1, Number.NaN, '5'])('is refused for a lifetime of %s', async (ttlMs) => {
    const file = await storeFile('bucket', 'a', 'a')
    await expect(file.url({ ttlMs: ttlMs as number })).rejects.toThrow(TypeError)
  })

  it('is not found when altered, or with the URI of its file', async () => {
    const file = await storeFile('bucket', 'a', 'a')
    const url = await file.url()
    const start = url.lastIndexOf('/') + 1
    const others = [...url.slice(start)]
      .map((_, index) => start + index)
      .filter((at) => at % 5 === 0 || at < start + 4 || at > url.length - 4)
      .map((at) => url.slice(0, at) + (url[at] === 'A' ? 'B' : 'A') + url.slice(at + 1))
      .filter((text) => text !== url)
    for (const other of [...others, url.slice(0, start) + file.uri.split(':')[1], `${url}x`]) {
      expect([other, (await get(other)).status]).toEqual([other, 404])
    }
  })

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('refuses %s', async (method) => {
    const file = await storeFile('bucket', 'a', 'a')
    const response = await get(await file.url(), {}, method)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})
