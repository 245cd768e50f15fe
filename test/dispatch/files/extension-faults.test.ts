/** What is refused of `io.modelcontextprotocol/files`. A refusal loses nothing: the file can be sent, and the call made again. */
// features: auth, files, tasks
import { describe, expect, it, vi } from 'vitest'
import { file } from '../../../src/features/files/index.ts'
import { MAX_TAKEN_BYTES } from '../../support/features/files.ts'
import { FullServer } from '../../support/full-server.ts'
import { authorized, begin, extended, openExtended, SENDS, SENT, send, sent } from './sending.ts'
import { app, call, taken } from './taking.ts'

const text = (value: string) => new TextEncoder().encode(value)

const broken = () =>
  new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(SENT.subarray(0, 4)),
    pull: (controller) => controller.error(new Error('The connection broke')),
  })

describe('the target of a file', () => {
  const differ = 'These are not the bytes of the file'
  it.each<[string, () => BodyInit, number, string]>([
    ['other bytes of the same number', () => text('a,b\n9,9\n'), 400, differ],
    ['fewer bytes', () => SENT.subarray(0, 7), 400, differ],
    ['no bytes', () => new Uint8Array(), 400, differ],
    ['more bytes', () => text('a,b\n1,2\n\n'), 413, 'The file must have at most 8 bytes'],
    ['a body that breaks off', broken, 400, 'The file did not arrive as a whole'],
  ])('refuses %s, and accepts the file afterwards', async (_, bytes, status, fault) => {
    const { url, again } = await begin()
    const [answered, error] = await send(url, bytes())
    expect([answered, error]).toEqual([status, expect.stringContaining(fault)])
    expect(error).toContain('Send the bytes that the call describes to this address again.')
    expect((await again()).content[0].text).toContain('has not arrived')
    expect((await send(url))[0]).toBe(201)
    expect((await again()).content[0].text).toBe(await taken())
  })

  it('refuses bytes of another number than the call says', async () => {
    for (const size of [7, 9]) {
      const { url } = await begin({}, { data: await sent(SENT, { size }) })
      expect((await send(url))[0]).toBe(size === 7 ? 413 : 400)
    }
  })

  it('accepts one file', async () => {
    const { url, again } = await begin()
    const outcomes = await Promise.all([send(url), send(url)])
    expect(outcomes.map(([status]) => status).sort()).toEqual([201, 410])
    const [status, error] = await send(url)
    expect([status, error]).toEqual([410, expect.stringContaining('with its requestState')])
    expect((await again()).content[0].text).toBe(await taken())
  })

  it('refuses the file after its time, as the state does', async () => {
    const { url, again } = await begin()
    const now = Date.now() + 600_001
    vi.useFakeTimers({ now, toFake: ['Date'] })
    try {
      const late = expect.stringContaining('Make the call again without requestState')
      expect(await send(url)).toEqual([410, late])
      expect((await again()).message).toContain('has expired: call again without it')
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('the state of a call with files', () => {
  it.each<[string, Parameters<Awaited<ReturnType<typeof begin>>['again']>[0]]>([
    ['another person', { subject: 'ben' }],
    ['other arguments', { args: { note: 'm' } }],
    ['another file', { args: { data: { id: 'file-2' } } }],
  ])('is refused for %s, and served to its own', async (_, other) => {
    const { url, again } = await begin({ to: authorized, subject: 'ann' })
    expect((await send(url, SENT, authorized))[0]).toBe(201)
    const refused = await again(other)
    expect(refused.message).toBe('params.requestState is not valid for this request')
    expect((await again()).content[0].text).toBe(await taken())
  })
})

describe('a file to send', () => {
  it.each<[string, object, string]>([
    ['without a digest', { digest: undefined }, 'needs id, name, mimeType, size and the digest'],
    ['with another digest', { digest: { algorithm: 'md5', value: 'a' } }, 'needs id, name'],
    ['with half a size', { size: 0.5 }, 'needs id, name'],
    ['without an id', { id: '' }, 'needs id, name'],
    ['without a type', { mimeType: 'csv' }, 'needs id, name'],
    ['above the bound', { size: MAX_TAKEN_BYTES + 1 }, `more than ${MAX_TAKEN_BYTES} bytes`],
  ])('%s is refused before it is sent', async (_, more, fault) => {
    const args = { note: 'n', data: await sent(SENT, more) }
    const { isError, content } = await call('take', args, { capabilities: SENDS, to: extended })
    expect([isError, content[0].text]).toEqual([true, expect.stringContaining(fault)])
  })

  it('of a type that the tool does not take, and in a call whose other arguments are refused', async () => {
    const by = { capabilities: SENDS, to: extended }
    const html = await sent(text('a'), { mimeType: 'text/html', name: 'a.html' })
    expect((await call('take_image', { image: html }, by)).content[0].text).toContain(
      'its type must be image/* or text/csv',
    )
    expect((await call('take', { data: await sent() }, by)).content[0].text).toContain(
      'Invalid arguments for take',
    )
  })

  it('with the id of another file of the call is refused', async () => {
    const server = new FullServer({ name: 'tasks', version: '1' })
    server.registerTool('two', { files: { one: file(), two: file() } }, () => 'ran')
    const [one, two] = [await sent(), await sent()]
    const by = { to: openExtended(server), capabilities: SENDS }
    expect((await call('two', { one, two }, by)).content[0].text).toContain('Give each its own')
  })

  it('is refused where nothing asks for it', async () => {
    const args = { note: 'n', data: await sent() }
    const fault = expect.stringContaining('Pass it in another form')
    for (const by of [{ to: extended }, { to: app, capabilities: SENDS }]) {
      expect((await call('take', args, by)).content[0].text).toEqual(fault)
    }
    const { body } = await extended.session('tools/call', { name: 'take', arguments: args })
    expect(body.result.content[0].text).toEqual(fault)
  })
})
