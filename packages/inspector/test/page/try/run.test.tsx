/** A call of a tool: what the page says while it runs, and how it ends. */
import { fireEvent, screen, waitFor } from '@testing-library/preact'
import { describe, expect, it, vi } from 'vitest'
import { press, textOf, type } from '../support/controls.ts'
import { json, type McpRequest, never, refusal } from '../support/played-server.ts'
import { callsOf, callTool, openTool, status } from './open-try.tsx'

const textBlock = (text: string) => ({ type: 'text', text })
const result = () => document.querySelector('.result')

/** A stream that sends messages, and the response when it ends. */
function stream() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const write = (...messages: readonly object[]) => {
    const events = messages.map((message) => `data: ${JSON.stringify(message)}\n\n`)
    return writer.write(new TextEncoder().encode(events.join('')))
  }
  return {
    notify: (method: string, ...all: readonly object[]) =>
      void write(...all.map((params) => ({ jsonrpc: '2.0', method, params }))),
    finish: (id: number, value: object) => void write({ jsonrpc: '2.0', id, result: value }),
    end: () => void writer.close(),
    response: new Response(readable, { headers: { 'content-type': 'text/event-stream' } }),
  }
}

/** A call whose response is a stream. */
async function callStream() {
  const played = stream()
  let id = 0
  await callTool((request: McpRequest) => {
    id = request.id
    return played.response
  })
  await waitFor(() => expect(id).toBeGreaterThan(0))
  return { ...played, finish: (value: object) => played.finish(id, value) }
}

describe('a call', () => {
  it('says that it runs, and for how long it has run', async () => {
    const { promise, resolve } = Promise.withResolvers<object>()
    await callTool(() => promise)
    await screen.findByText('Running…')
    const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Call the tool' })
    expect(button.disabled).toBe(true)
    resolve({ content: [textBlock('made')] })
    await screen.findByText(/^Done in \d+ ms$/)
    expect(button.disabled).toBe(false)
    expect(screen.queryByRole('button', { name: /Cancel/ })).toBeNull()
    expect(textOf(result()?.querySelector('.text-block'))).toBe('madeCopy the text')
  })

  it('says nothing before it begins', async () => {
    await openTool({})
    expect(textOf(status())).toBe('')
    expect(screen.queryByRole('button', { name: /Cancel/ })).toBeNull()
  })

  it('shows an error of the tool', async () => {
    await callTool({ isError: true, content: [textBlock('broken')] })
    await screen.findByText(/^The tool reported an error after \d+ ms$/)
    expect(screen.getByText('isError: the tool reported an error')).toBeTruthy()
  })

  it.each([{ isError: false }, { isError: 'true' }, {}])('shows no error for %j', async (value) => {
    await callTool(value)
    await screen.findByText(/^Done/)
    expect(screen.queryByText(/reported an error/)).toBeNull()
    expect(screen.queryByText('Structured content')).toBeNull()
  })

  it('shows its structured content and its whole result', async () => {
    await callTool({ content: [], structuredContent: { sum: 3 } })
    await screen.findByRole('heading', { name: 'Structured content' })
    const trees = [...document.querySelectorAll('.result .json > ul')].map(textOf)
    expect(trees).toEqual(['{1}sum3', '{2}content[]structuredContent{1}sum3'])
  })

  it.each<[string, unknown, string]>([
    ['messages', [{ role: 'user', content: textBlock('hi') }], 'userhiCopy the text'],
    ['messages', [{ content: null }, 7], 'undefinedCopy the content{}undefinedCopy the content{}'],
    ['contents', [{ uri: 'a://b', text: 'T' }], 'a://b TCopy the text'],
    ['content', [null], 'Copy the content{}'],
    ['content', 'text', ''],
  ])('shows %s %j', async (member, value, text) => {
    await callTool({ [member]: value })
    await screen.findByText(/^Done/)
    result()?.querySelector('details')?.remove()
    expect(textOf(result())).toBe(text)
  })

  it.each<[string, unknown, string]>([
    ['an error', () => refusal('Unknown tool'), 'Unknown tool (-32602)'],
    ['a status', () => new Response('busy', { status: 503 }), 'HTTP 503 busy'],
    ['a status without a text', () => new Response(null, { status: 403 }), 'HTTP 403'],
    [
      'no answer',
      () => Promise.reject(new TypeError('fetch failed')),
      'The server does not answer. Check that it is running.',
    ],
    ['a fault', () => Promise.reject(new Error('fault')), 'fault'],
    ['no error', () => Promise.reject('odd'), 'odd'],
    ['no result', () => json({ jsonrpc: '2.0', id: 1 }), /^HTTP 200/ as never],
  ])('that fails with %s says why', async (_, answer, text) => {
    await callTool(answer)
    await screen.findByText('The request failed')
    expect(textOf(status())).toBe('Failed')
    expect(screen.getByText(text)).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Copy the data of the error' })).toBeNull()
  })

  it('that fails shows the data of the error', async () => {
    await callTool(() => refusal('Not valid', { path: '/a' }))
    await screen.findByRole('button', { name: 'Copy the data of the error' })
    expect(textOf(document.querySelector('.notice .json > ul'))).toBe('{1}path"/a"')
  })

  it('is cancelled by its button', async () => {
    const { calls } = await callTool(never)
    fireEvent.click(await screen.findByRole('button', { name: 'Cancel the call' }))
    await screen.findByText('Cancelled')
    expect(callsOf({ calls }, 'tools/call')[0]?.signal.aborted).toBe(true)
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Call the tool' }).disabled).toBe(
      false,
    )
  })

  it('that another one has replaced says nothing more', async () => {
    const recorded = await callTool(never)
    await screen.findByText('Running…')
    const button = screen.getByRole('button', { name: 'Call the tool' })
    fireEvent.submit(button.closest('form') as HTMLFormElement)
    await waitFor(() => expect(callsOf(recorded, 'tools/call')).toHaveLength(2))
    const [first, second] = callsOf(recorded, 'tools/call')
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([first?.signal.aborted, second?.signal.aborted]).toEqual([true, false])
    expect(textOf(status())).toBe('Running…')
  })

  it('ends when the page shows something else', async () => {
    const { calls } = await callTool(never)
    await screen.findByText('Running…')
    press('Close')
    await waitFor(() => expect(callsOf({ calls }, 'tools/call')[0]?.signal.aborted).toBe(true))
    expect(location.hash).toBe('#/try')
  })
})

describe('the progress of a call', () => {
  it.each<[object, string, string | null, string | null]>([
    [{ progress: 3, total: 10 }, '3 of 10', '3', '10'],
    [{ progress: 3, total: 10, message: 'half' }, '3 of 10 – half', '3', '10'],
    [{ progress: 0, total: 1 }, '0 of 1', '0', '1'],
    [{ progress: 3 }, '3', null, null],
    [{ progress: 3, total: 0 }, '3', null, null],
    [{ progress: 3, total: -1 }, '3', null, null],
    [{ progress: 3, total: '10' }, '3', null, null],
    [{ progress: 3, message: 7 }, '3', null, null],
    [{ progress: 3, message: 'x'.repeat(301) }, `3 – ${'x'.repeat(299)}…`, null, null],
  ])('%j is shown as %s', async (params, text, value, max) => {
    const { notify } = await callStream()
    notify('notifications/progress', params)
    const bar = await screen.findByRole('progressbar', { name: 'Progress' })
    expect(textOf(document.querySelector('.progress span'))).toBe(text)
    expect([bar.getAttribute('value'), bar.getAttribute('max')]).toEqual([value, max])
    expect(screen.queryByRole('list', { name: 'Log messages' })).toBeNull()
  })

  it('is the last one, and stays beside the result', async () => {
    const { notify, finish } = await callStream()
    notify('notifications/progress', { progress: 1, total: 2 })
    await screen.findByText('1 of 2')
    notify('notifications/progress', { progress: 2, total: 2 })
    await screen.findByText('2 of 2')
    expect(screen.queryByText('1 of 2')).toBeNull()
    finish({ content: [] })
    await screen.findByText(/^Done/)
    expect(screen.getByText('2 of 2')).toBeTruthy()
  })

  it('is none after a stream that ended without a response', async () => {
    const { end } = await callStream()
    end()
    await screen.findByText('The stream ended without a response')
    expect(screen.queryByRole('progressbar')).toBeNull()
  })
})

describe('a log message of a call', () => {
  it.each([
    ['debug', 'plain'],
    ['notice', 'plain'],
    ['warning', 'warn'],
    ['error', 'bad'],
    ['critical', 'bad'],
    ['alert', 'bad'],
    ['emergency', 'bad'],
  ])('of the level %s has the colour %s', async (level, colour) => {
    const { notify } = await callStream()
    notify('notifications/message', { level, data: 'text' })
    const list = await screen.findByRole('list', { name: 'Log messages' })
    expect(textOf(list)).toBe(`${level} text`)
    expect(list.querySelector('.badge')?.className).toBe(`badge ${colour}`)
    expect(screen.queryByRole('progressbar')).toBeNull()
  })

  it.each([
    [{ level: 'info', logger: 'db', data: { a: 1 } }, 'info db {"a":1}'],
    [{ level: 'info', logger: 7, data: 'x\u202E' }, 'info x\\u{202E}'],
  ])('%j is shown with its logger and its data', async (params, text) => {
    const { notify } = await callStream()
    notify('notifications/message', params)
    expect(textOf(await screen.findByRole('list', { name: 'Log messages' }))).toBe(text)
  })

  it('is one of the last 200, and none of the call before', async () => {
    const { notify, finish } = await callStream()
    const messages = Array.from({ length: 201 }, (_, index) => ({
      level: 'info',
      data: `message ${index + 1}`,
    }))
    notify('notifications/message', ...messages)
    const items = () => [...document.querySelectorAll('.log > li')].map(textOf)
    await vi.waitFor(() => expect(items().at(-1)).toBe('info message 201'))
    expect([items().length, items()[0]]).toEqual([200, 'info message 2'])
    finish({})
    await screen.findByText(/^Done/)
    press('Call the tool')
    await vi.waitFor(() => expect(items()).toEqual([]))
  })
})

describe('the arguments of a call', () => {
  it('are sent as they were entered, with the headers that the schema asks for', async () => {
    const inputSchema = {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
    }
    const recorded = await openTool({}, { inputSchema })
    type('region', 'eu')
    press('Call the tool')
    await screen.findByText(/^Done/)
    const [call] = callsOf(recorded, 'tools/call')
    expect(call?.params).toMatchObject({ name: 'make', arguments: { region: 'eu' } })
    expect(call?.headers.get('mcp-param-region')).toBe('eu')
  })
})
