import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Message, openFrames, openView } from './frames.ts'

const warned = () => vi.mocked(console.warn).mock.calls.map(([text]) => text)

beforeEach(() => {
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockReturnValue()
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const notification = (method: string, params?: unknown) => ({
  jsonrpc: '2.0',
  method: `ui/notifications/${method}`,
  params,
})
const input = notification('tool-input', { arguments: { title: 'Milk' } })
const text = { content: [{ type: 'text', text: 'Milk' }] }
const result = notification('tool-result', text)
const cancelled = notification('tool-cancelled', {})
const known = { arguments: { title: 'Milk' } }

describe('a message of another window', () => {
  it.each([
    ['a frame beside the view', {}],
    ['the view itself', 'own'],
    ['no window', null],
  ])('is ignored without a word: %s', async (_, source) => {
    const { frames, view } = await openView()
    const own = source === 'own' ? (globalThis as unknown as { window: object }).window : source
    frames.deliver(input, own as object)
    frames.deliver('text', own as object)
    expect(view.state.tool).toEqual({ status: 'waiting' })
    expect(warned()).toEqual([])
  })
})

describe('a malformed message of the host', () => {
  it.each<[string, unknown, string]>([
    ['a text', 'ping', 'A message is no JSON-RPC 2.0'],
    ['null', null, 'A message is no JSON-RPC 2.0'],
    ['a list', [input], 'A message is no JSON-RPC 2.0'],
    ['another version', { ...input, jsonrpc: '1.0' }, 'A message is no JSON-RPC 2.0'],
    ['a method that is no text', { jsonrpc: '2.0', method: 1 }, 'A request is malformed'],
    ['params in a list', { ...input, params: [1] }, 'A request is malformed'],
    ['an id that is null', { ...input, id: null }, 'A request is malformed'],
    ['an unknown answer', { jsonrpc: '2.0', id: 99, result: {} }, 'A message answers no request'],
    ['neither request nor answer', { jsonrpc: '2.0' }, 'A message answers no request'],
    [
      'arguments that are a text',
      notification('tool-input', { arguments: 'x' }),
      'The arguments are no object',
    ],
    [
      'partial arguments in a list',
      notification('tool-input-partial', { arguments: [] }),
      'Partial arguments are no object',
    ],
    [
      'content that is a text',
      notification('tool-result', { content: 'x' }),
      'The result of the tool is malformed',
    ],
    [
      'a block without a type',
      notification('tool-result', { content: [{}] }),
      'The result of the tool is malformed',
    ],
    [
      'a text that is a number',
      notification('tool-result', { content: [{ type: 'text', text: 1 }] }),
      'The result of the tool is malformed',
    ],
    [
      'isError that is a text',
      notification('tool-result', { isError: 'no' }),
      'The result of the tool is malformed',
    ],
    [
      'an unknown request',
      { jsonrpc: '2.0', id: 5, method: 'tools/list' },
      'The host sent a request that views do not have: tools/list',
    ],
  ])('is named in the console and changes nothing: %s', async (_, message, sentence) => {
    const { frames, view } = await openView()
    const { state } = view
    frames.deliver(message)
    await vi.waitFor(() => expect(warned()).toEqual([`edgeway/view: ${sentence}`]))
    expect(view.state).toBe(state)
  })

  it('is answered with -32601 where it asks for an unknown method', async () => {
    const { frames } = await openView()
    frames.deliver({ jsonrpc: '2.0', id: 5, method: 'tools/list' })
    await vi.waitFor(() =>
      expect(frames.sent.at(-1)).toMatchObject({ id: 5, error: { code: -32601 } }),
    )
    frames.deliver(notification('unknown', {}))
    expect(warned().length).toBe(1)
  })

  it.each([
    ['theme', 'blue'],
    ['displayMode', 'window'],
    ['availableDisplayModes', ['inline', 'window']],
    ['locale', 7],
    ['timeZone', {}],
    ['userAgent', 1],
    ['platform', 'tv'],
    ['styles', { variables: [] }],
    ['toolInfo', { tool: 'note' }],
    ['deviceCapabilities', 'touch'],
    ['containerDimensions', { width: '100%' }],
    ['safeAreaInsets', { top: 0 }],
  ])('loses the member of the host context that is malformed: %s', async (name, value) => {
    const { frames, view } = await openView({ theme: 'dark', locale: 'de' })
    const { host } = view.state
    frames.deliver(notification('host-context-changed', { [name]: value, custom: 1 }))
    expect(view.state.host).toEqual({ ...host, custom: 1 })
    expect(warned()).toEqual([`edgeway/view: ${name} of the host context is malformed`])
  })
})

describe('notifications of the tool in an unexpected order', () => {
  it.each<[string, readonly Message[], object, number]>([
    ['a result before the arguments', [result], { status: 'done', result: text }, 0],
    ['arguments after the result', [result, input], { status: 'done', ...known, result: text }, 0],
    [
      'the same call twice',
      [input, result, input, result],
      { status: 'done', ...known, result: text },
      0,
    ],
    ['a result twice', [input, result, result], { status: 'done', ...known, result: text }, 0],
    [
      'a result after a cancellation',
      [input, cancelled, result],
      { status: 'cancelled', ...known },
      1,
    ],
    [
      'a cancellation after a result',
      [input, result, cancelled],
      { status: 'done', ...known, result: text },
      1,
    ],
    [
      'a new call after a cancellation',
      [input, cancelled, input, result],
      { status: 'done', ...known, result: text },
      0,
    ],
    ['a cancellation before the arguments', [cancelled], { status: 'cancelled' }, 0],
    [
      'partial arguments after the complete ones',
      [input, notification('tool-input-partial', {})],
      { status: 'running', ...known },
      1,
    ],
    [
      'a result without content',
      [notification('tool-result', {})],
      { status: 'done', result: { content: [] } },
      0,
    ],
  ])('give a defined state: %s', async (_, messages, state, warnings) => {
    const { frames, view } = await openView()
    for (const message of messages) frames.deliver(message)
    expect(view.state.tool).toEqual(state)
    expect(warned().length).toBe(warnings)
  })
})

describe('a host that does not answer', () => {
  it('is named in the state and in the console, and requests reject', async () => {
    const view = openFrames().connect({ timeoutMs: 10 })
    await expect(view.sendMessage('Hello')).rejects.toMatchObject({ reason: 'no-answer' })
    expect(view.state.error).toMatchObject({ reason: 'no-answer' })
    expect(console.error).toHaveBeenCalledWith(
      'edgeway/view: The host did not answer ui/initialize within 10 ms',
    )
  })

  it('connects the view when it answers late', async () => {
    const frames = openFrames()
    const view = frames.connect({ timeoutMs: 5, autoResize: false })
    await vi.waitFor(() => expect(view.state.error).toBeDefined())
    frames.deliver({ jsonrpc: '2.0', id: 1, result: { hostContext: { theme: 'dark' } } })
    await vi.waitFor(() => expect(view.state.error).toBeUndefined())
    const sent = view.sendMessage('Hello')
    await vi.waitFor(() => expect(frames.sent.at(-1)).toMatchObject({ method: 'ui/message' }))
    frames.deliver({ jsonrpc: '2.0', id: 2, result: {} })
    await sent
  })

  it('is not waited for where the page is in no frame', async () => {
    const frames = openFrames()
    const { window } = globalThis as unknown as { window: { parent: unknown } }
    window.parent = window
    const view = frames.connect()
    await vi.waitFor(() => expect(view.state.error).toMatchObject({ reason: 'no-host' }))
    expect(frames.sent).toEqual([])
  })

  it('leaves other listeners alone where one of them throws', async () => {
    const { frames, view } = await openView()
    view.watch(() => {
      throw new Error('broken')
    })
    const seen = vi.fn()
    view.watch(seen)
    frames.deliver(input)
    await sleep(0)
    expect(seen).toHaveBeenCalledTimes(2)
    expect(console.error).toHaveBeenCalledTimes(2)
  })
})

describe('a malformed answer of the host', () => {
  it.each<[string, object]>([
    ['without result and error', {}],
    ['with both', { result: {}, error: { code: 1 } }],
    ['with a result in a list', { result: [] }],
    ['with an error without a code', { error: { message: 'x' } }],
    ['with a malformed result of a tool', { result: { content: 1 } }],
  ])('rejects the request and is named in the console: %s', async (_, answer) => {
    const frames = openFrames()
    const view = frames.connect()
    frames.deliver({ jsonrpc: '2.0', id: 1, result: {} })
    const call = view.callTool('note')
    await vi.waitFor(() => expect(frames.sent.at(-1)).toMatchObject({ method: 'tools/call' }))
    frames.deliver({ jsonrpc: '2.0', id: 2, ...answer })
    await expect(call).rejects.toMatchObject({ reason: 'malformed' })
    expect(warned().length).toBe(1)
  })
})
