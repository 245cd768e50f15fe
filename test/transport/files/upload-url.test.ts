import { describe, expect, it } from 'vitest'
import { UPLOAD_STYLE, UPLOAD_STYLE_SOURCE } from '../../../src/features/files/upload-page.ts'
import { sha256 } from '../../../src/platform/digest.ts'
import { streamOf } from '../../dispatch/files/storage.ts'
import { askForFile, FORM, formWith, send } from './uploading.ts'

describe('the URL of an upload', () => {
  it('stores one file: the second one is refused, before and after the handler has it', async () => {
    const { url, answer } = await askForFile()
    const both = await Promise.all(['first', 'other'].map((body) => send(url, { body })))
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 410])
    expect((await send(url, { body: 'third' })).status).toBe(410)
    const page = await send(url, { method: 'GET' })
    expect([page.status, await page.text()]).toEqual([410, expect.not.stringContaining('<form')])
    expect((await answer()).body.result.content[0].text).toMatch(/^\["file"/)
    expect((await send(url, { body: 'fourth' })).status).toBe(410)
  })

  it('accepts as many bytes as its bound, and refuses one more in every form', async () => {
    for (const size of [100, 101]) {
      const status = size === 100 ? 201 : 413
      const declared = await askForFile({ maxBytes: 100 })
      expect((await send(declared.url, { body: 'x'.repeat(size) })).status).toBe(status)
      const streamed = await askForFile({ maxBytes: 100 })
      expect((await send(streamed.url, { body: streamOf(size, 40) })).status).toBe(status)
      const form = await askForFile({ maxBytes: 100 })
      const sent = await send(form.url, formWith(FORM.replace('a,b\nc,d', 'x'.repeat(size))))
      expect(sent.status).toBe(status)
      // Another attempt is possible.
      const again = await send(form.url, { body: 'small' })
      expect(again.status).toBe(size === 100 ? 410 : 201)
    }
  })

  it.each([
    ['text/csv', 201],
    ['TEXT/CSV; charset=utf-8', 201],
    ['image/png', 201],
    ['image', 415],
    ['imagex/png', 415],
    ['text/html', 415],
    ['text/csv2', 415],
    ['', 415],
  ])('with types accepts %j with status %d', async (type, status) => {
    const { url } = await askForFile({ mimeTypes: ['text/csv', 'image/*'] })
    const response = await send(url, { body: 'a', headers: { 'content-type': type } })
    expect(response.status).toBe(status)
    if (status === 415) {
      const { error } = (await response.json()) as { error: string }
      expect(error).toBe('The type of the file must be text/csv or image/*')
    }
  })

  it.each([
    ['photo.png', undefined, 201],
    ['photo.png', 'application/octet-stream', 201],
    ['photo.png', 'application/x-www-form-urlencoded', 201],
    ['photo.png', 'image/png; malformed', 201],
    ['photo.svg', 'image/png; malformed', 415],
    ['photo', undefined, 415],
    ['photo.png', 'text/html', 415],
  ])(
    'has the type of the name %s where the type is %j, with status %d',
    async (name, type, status) => {
      const { url, answer } = await askForFile({ mimeTypes: ['image/png'] })
      const headers: HeadersInit = type === undefined ? {} : { 'content-type': type }
      const sent = await send(`${url}?name=${name}`, { body: new Uint8Array([97]), headers })
      expect(sent.status).toBe(status)
      if (status !== 201) return
      expect((await answer()).body.result.content[0].text).toMatch(/^\["photo.png","image\/png",1/)
    },
  )

  it.each([
    ['../../a.txt', 'a.txt'],
    ['C:\\fakepath\\b.txt', 'b.txt'],
    ['a%22b.txt', 'a\\"b.txt'],
    ['gpj\u202eexe.txt', 'gpjexe.txt'],
    ['x'.repeat(400), 'x'.repeat(255)],
    ['..', 'file'],
  ])('makes the name %s safe', async (name, safe) => {
    const { url, answer } = await askForFile()
    await send(url, formWith(FORM.replace('list.csv', name)))
    expect((await answer()).body.result.content[0].text.split('","text/csv')[0]).toBe(`["${safe}`)
  })

  it.each([
    [
      'a form without a file',
      '--bound\nContent-Disposition: form-data; name="a"\n\nb\n--bound--\n',
      400,
    ],
    [
      'a form whose file was not chosen',
      '--bound\nContent-Disposition: form-data; name="file"; filename=""\n\n\n--bound--\n',
      400,
    ],
    ['a form that ends within its file', FORM.slice(0, -20), 400],
    ['a form that ends within its headers', FORM.slice(0, 60), 400],
    ['a form without its delimiter', FORM.replaceAll('bound', 'other'), 400],
    ['headers without an end', `--bound\n${'a: b\n'.repeat(10_000)}`, 400],
    ['a long preamble', `${'x\n'.repeat(20_000)}${FORM}`, 400],
    ['nothing', '', 400],
  ])('refuses %s, and can still be used', async (_, parts, status) => {
    const { url } = await askForFile()
    const refused = await send(url, formWith(parts))
    expect([refused.status, await refused.text()]).toEqual([
      status,
      expect.stringContaining('<form'),
    ])
    expect((await send(url, { body: 'a' })).status).toBe(201)
  })

  it.each(['multipart/form-data', 'Multipart/Form-Data; charset=utf-8'])(
    'refuses a form of type %s without a boundary, and can still be used',
    async (type) => {
      const { url } = await askForFile()
      const headers = { 'content-type': type }
      expect((await send(url, { method: 'POST', headers, body: FORM })).status).toBe(400)
      expect((await send(url, { body: 'a' })).status).toBe(201)
    },
  )

  it('receives the file of a form whose name has no quotes', async () => {
    const { url, answer } = await askForFile()
    await send(url, formWith(FORM.replace('"list.csv"', 'list.csv')))
    expect((await answer()).body.result.content[0].text).toMatch(/^\["list\.csv","text\/csv",8/)
  })

  it('finds the file of a form in every division of its bytes', async () => {
    const bytes = new TextEncoder().encode(
      `x\n--bound\nContent-Disposition: form-data; name="a"\n\nb\n${FORM.replace('a,b', '--boun\r\r\n--boundless')}`.replaceAll(
        '\n',
        '\r\n',
      ),
    )
    for (const size of [1, 2, 3, 7, 64, bytes.byteLength]) {
      const { url, answer } = await askForFile({}, async (ctx) => {
        const { file } = await ctx.upload({ message: 'a' })
        return (await file?.text()) ?? 'none'
      })
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (let at = 0; at < bytes.byteLength; at += size)
            controller.enqueue(bytes.slice(at, at + size))
          controller.close()
        },
      })
      const headers = { 'content-type': 'multipart/form-data; boundary="bound"' }
      const sent = await send(url, { method: 'POST', body, headers })
      // `--boundless` after a line break is a delimiter of RFC 2046: the file ends there.
      expect([size, sent.status]).toEqual([size, 201])
      expect((await answer()).body.result.content[0].text).toBe('--boun\r\r')
    }
  })

  it.each([
    ['DELETE', {}, 405],
    ['OPTIONS', {}, 405],
    ['PATCH', { body: 'a' }, 405],
    ['PUT', { body: 'a', headers: { 'content-encoding': 'gzip' } }, 415],
    ['PUT', { body: 'a', headers: { 'content-range': 'bytes 0-0/9' } }, 400],
    ['POST', { body: 'a', headers: { 'content-range': 'bytes */9' } }, 400],
  ])('refuses %s with %j', async (method, init, status) => {
    const { url } = await askForFile()
    expect((await send(url, { method, ...init })).status).toBe(status)
    expect((await send(url, { body: 'a' })).status).toBe(201)
  })

  it('is not found when altered, and expires', async () => {
    const { url } = await askForFile({ timeoutMs: 30 })
    const middle = url.length - 30
    const altered = url.slice(0, middle) + (url[middle] === 'A' ? 'B' : 'A') + url.slice(middle + 1)
    expect((await send(altered, { body: 'a' })).status).toBe(404)
    await expect.poll(async () => (await send(url, { method: 'GET' })).status).toBe(410)
    expect((await send(url, { body: 'a' })).status).toBe(410)
  })

  it.each(['text', 'text/html; a', 'a/b c'])(
    'stores a file of the malformed type %j as application/octet-stream',
    async (type) => {
      const { url, answer } = await askForFile()
      const stored = await send(url, { body: 'a', headers: { 'content-type': type } })
      expect(stored.status).toBe(201)
      expect((await answer()).body.result.content[0].text).toMatch(
        /^\["[^"]+","application\/octet-stream",1,97,true\]$/,
      )
    },
  )

  it.each<[number, Record<string, string>]>([
    [403, { origin: 'https://evil.example' }],
    [403, { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    [403, { 'sec-fetch-site': 'same-site' }],
    [201, { origin: 'null', 'sec-fetch-site': 'same-origin' }],
    [201, { origin: 'http://localhost:8787' }],
  ])('answers %d to the form of a page with %j', async (status, headers) => {
    const { url } = await askForFile()
    const link = await send(url, { method: 'GET', headers: { 'sec-fetch-site': 'cross-site' } })
    expect(link.status).toBe(200)
    const form = formWith(FORM)
    const sent = await send(url, { ...form, headers: { ...form.headers, ...headers } })
    expect(sent.status).toBe(status)
    const again = await send(url, formWith(FORM))
    expect(again.status).toBe(status === 201 ? 410 : 201)
  })

  it('refuses a POST without a body, and receives an empty file from a PUT', async () => {
    for (const headers of [{}, { 'content-length': '0' }] as HeadersInit[]) {
      const { url, answer } = await askForFile({}, async (ctx) => {
        const { file } = await ctx.upload({ message: 'a' })
        return `${file?.name} ${file?.size}`
      })
      const refused = await send(url, { method: 'POST', headers })
      expect([refused.status, await refused.json()]).toEqual([400, { error: 'Choose a file' }])
      expect((await send(`${url}?name=empty.csv`, { headers })).status).toBe(201)
      expect((await answer()).body.result.content[0].text).toBe('empty.csv 0')
    }
  })

  it('can be used again after an upload that broke off', async () => {
    const { url, answer } = await askForFile()
    const broken = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(100)),
      pull: (controller) => controller.error(new Error('The connection broke')),
    })
    expect((await send(url, { body: broken })).status).toBe(400)
    expect((await send(url, { body: 'whole' })).status).toBe(201)
    expect((await answer()).body.result.content[0].text).toMatch(/,5,101,true\]$/)
  })

  it.each(['decline', 'cancel'])('is refused after the person chose to %s', async (action) => {
    const { url, answer } = await askForFile()
    await answer({ action })
    const sent = await send(url, { body: 'late' })
    expect([sent.status, await sent.json()]).toEqual([
      410,
      { error: 'The call that asked for this file does not wait for it any more' },
    ])
    const page = await send(url, { method: 'GET' })
    expect([page.status, await page.text()]).toEqual([410, expect.not.stringContaining('<form')])
  })

  it('refuses the eleventh attempt after ten that broke off, and leaves other URLs their places', async () => {
    const { url } = await askForFile()
    const broken = () =>
      new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new Uint8Array(100)),
        pull: (controller) => controller.error(new Error('The connection broke')),
      })
    const statuses: number[] = []
    for (let attempt = 0; attempt < 12; attempt++) {
      statuses.push((await send(url, { body: broken() })).status)
    }
    expect(statuses).toEqual([...Array(10).fill(400), 507, 507])
    const page = await (await send(url, formWith(FORM))).text()
    expect(page).toContain('Try again in a minute')
    expect(page).toContain('<form')
    const { url: other } = await askForFile()
    expect((await send(other, { body: 'whole' })).status).toBe(201)
  })

  it('has a style that its policy allows', async () => {
    const digest = (await sha256(UPLOAD_STYLE)).toBase64()
    expect(UPLOAD_STYLE_SOURCE).toBe(`'sha256-${digest}'`)
  })
})
