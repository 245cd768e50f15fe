import { App } from '@modelcontextprotocol/ext-apps'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Finding } from '../src/host/finding.ts'
import type { HostedTool } from '../src/host/hosted-tool.ts'
import { type CallOrder, partsOf, playCall } from '../src/host/play-call.ts'
import { ViewHost, type ViewHostOptions } from '../src/host/view-host.ts'
import { type Message, openFrames } from './frames.ts'

const CAPABILITIES = {
  serverTools: {},
  serverResources: {},
  openLinks: {},
  message: {},
  updateModelContext: {},
  logging: {},
}
const SCHEMA = { type: 'object', properties: { title: { type: 'string' } } }
const TOOLS: readonly HostedTool[] = [
  { name: 'show_note', outputSchema: SCHEMA },
  { name: 'model_only', _meta: { ui: { visibility: ['model'] } } },
]
const NOTE = { content: [{ type: 'text', text: 'Milk' }], structuredContent: { title: 'Milk' } }
const CALL = { arguments: { title: 'Milk' }, result: NOTE }

/** A host whose view is the test. */
function openHost(options: Partial<ViewHostOptions> = {}) {
  const posted: Message[] = []
  const findings: Finding[] = []
  const host = new ViewHost({
    post: (message) => posted.push(message as Message),
    onFinding: (finding) => findings.push(finding),
    capabilities: CAPABILITIES,
    tools: TOOLS,
    ...options,
  })
  const say = (message: object) => host.receive({ jsonrpc: '2.0', ...message })
  const initialize = (appCapabilities: object = {}) => {
    const appInfo = { name: 'note', version: '1' }
    const params = { protocolVersion: '2026-01-26', appInfo, appCapabilities }
    say({ id: 'init', method: 'ui/initialize', params })
    return vi.waitFor(() => expect(posted.at(-1)).toMatchObject({ id: 'init' }))
  }
  const open = async (appCapabilities?: object) => {
    await initialize(appCapabilities)
    say({ method: 'ui/notifications/initialized' })
    posted.length = 0
  }
  return { host, posted, findings, say, initialize, open, codes: () => findings.map((f) => f.code) }
}

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('a message that a view posts', () => {
  it.each<[string, unknown, string, string]>([
    ['a text', 'ready', 'malformed', 'posted a message that is no JSON-RPC 2.0: "ready"'],
    ['without a version', { method: 'ping' }, 'malformed', 'no JSON-RPC 2.0'],
    ['an id that is null', { jsonrpc: '2.0', id: null, method: 'ping' }, 'malformed', 'an id is'],
    ['a method that is a number', { jsonrpc: '2.0', id: 1, method: 2 }, 'malformed', 'is a text'],
    ['params in a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, 'malformed', 'obj'],
    ['an answer to no request', { jsonrpc: '2.0', id: 9, result: {} }, 'malformed', 'no request'],
    [
      'a size that is a text',
      { jsonrpc: '2.0', method: 'ui/notifications/size-changed', params: { height: '10px' } },
      'malformed',
      'width and height in pixels',
    ],
    [
      'a notification of another revision',
      { jsonrpc: '2.0', method: 'ui/notifications/request-teardown' },
      'unknown-method',
      'hosts of 2026-01-26 ignore',
    ],
    [
      'initialized twice',
      { jsonrpc: '2.0', method: 'ui/notifications/initialized' },
      'order',
      'send it once',
    ],
  ])('is named where it is malformed: %s', async (_, message, code, sentence) => {
    const { host, open, findings, posted } = openHost()
    await open()
    host.receive(message)
    expect(findings).toEqual([{ code, message: expect.stringContaining(sentence) }])
    expect(posted).toEqual([])
  })

  it.each<[string, string, object, number, string, string]>([
    ['an unknown method', 'tools/list', {}, -32601, 'unknown-method', 'do not have'],
    ['a call without a name', 'tools/call', {}, -32602, 'malformed', 'they have name'],
    ['arguments in a list', 'tools/call', { name: 'a', arguments: [] }, -32602, 'malformed', 'obj'],
    ['an unknown tool', 'tools/call', { name: 'a' }, -32602, 'unknown-tool', 'lists no such tool'],
    ['a hidden tool', 'tools/call', { name: 'model_only' }, -32602, 'hidden-tool', 'add "app"'],
    ['a read without uri', 'resources/read', {}, -32602, 'malformed', 'they have uri'],
    ['a script as link', 'ui/open-link', { url: 'javascript:1' }, -32602, 'malformed', 'http'],
    ['a message of the model', 'ui/message', { role: 'assistant' }, -32602, 'malformed', 'role'],
    [
      'a context in a text',
      'ui/update-model-context',
      { content: '' },
      -32602,
      'malformed',
      'list',
    ],
    ['an unknown mode', 'ui/request-display-mode', { mode: 'big' }, -32602, 'malformed', 'pip'],
    ['initialize without info', 'ui/initialize', {}, -32602, 'malformed', 'appInfo'],
  ])('is refused and named: %s', async (_, method, params, code, finding, sentence) => {
    const { open, say, findings, posted } = openHost()
    await open()
    say({ id: 1, method, params })
    await vi.waitFor(() => expect(posted).toMatchObject([{ id: 1, error: { code } }]))
    expect(findings).toEqual([{ code: finding, message: expect.stringContaining(sentence) }])
  })

  it.each([
    ['tools/call', { name: 'show_note' }, 'serverTools'],
    ['resources/read', { uri: 'note://1' }, 'serverResources'],
    ['ui/open-link', { url: 'https://example.com' }, 'openLinks'],
    ['ui/message', { role: 'user', content: [] }, 'message'],
    ['ui/update-model-context', {}, 'updateModelContext'],
  ])('is refused where the host lacks the capability: %s', async (method, params, capability) => {
    const { open, say, findings, posted } = openHost({ capabilities: {} })
    await open()
    say({ id: 1, method, params })
    await vi.waitFor(() => expect(posted).toMatchObject([{ id: 1, error: { code: -32601 } }]))
    expect(findings).toMatchObject([{ code: 'missing-capability' }])
    expect(findings[0]?.message).toContain(`this host has no ${capability}`)
  })

  it('is named once, however often it comes', async () => {
    const { host, codes } = openHost()
    for (let time = 0; time < 3; time++) host.receive('ready')
    expect(codes()).toEqual(['malformed'])
  })
})

describe('a view that does not connect in order', () => {
  it.each([
    ['never sends ui/initialize', false, 'has not sent ui/initialize within 5 ms'],
    ['never sends initialized', true, 'has not sent ui/notifications/initialized within 5 ms'],
  ])('is named after a time: one that %s', async (_, initializes, sentence) => {
    const { findings, initialize } = openHost({ silenceMs: 5 })
    if (initializes) await initialize()
    await vi.waitFor(() => expect(findings[0]?.message).toContain(sentence))
    expect(findings[0]?.code).toBe('silent')
  })

  it('has its requests before ui/initialize refused, and its notifications ignored', async () => {
    const onSize = vi.fn()
    const { say, posted, codes } = openHost({ onSize })
    say({ method: 'ui/notifications/size-changed', params: { height: 1 } })
    say({ id: 1, method: 'tools/call', params: { name: 'show_note' } })
    await vi.waitFor(() => expect(posted).toMatchObject([{ error: { code: -32600 } }]))
    expect(codes()).toEqual(['order', 'order'])
    expect(onSize).not.toHaveBeenCalled()
  })

  it('receives nothing before initialized, and then all of it in order', async () => {
    const { host, say, posted, initialize } = openHost({ context: { theme: 'dark' } })
    host.sendArguments({ title: 'Milk' })
    await initialize()
    host.changeContext({ theme: 'light' })
    host.sendResult(NOTE)
    expect(posted).toMatchObject([{ result: { hostContext: { theme: 'dark' } } }])
    say({ method: 'ui/notifications/initialized' })
    expect(posted.slice(1).map(({ method }) => method)).toEqual([
      'ui/notifications/tool-input',
      'ui/notifications/host-context-changed',
      'ui/notifications/tool-result',
    ])
  })

  it('is answered and named where it calls a tool before initialized, or initializes twice', async () => {
    const { initialize, say, posted, codes } = openHost({ answers: { callTool: async () => NOTE } })
    await initialize()
    say({ id: 1, method: 'tools/call', params: { name: 'show_note' } })
    await vi.waitFor(() => expect(posted.at(-1)).toMatchObject({ id: 1, result: NOTE }))
    await initialize()
    expect(codes()).toEqual(['order', 'order'])
  })
})

describe('a display mode that a view requests', () => {
  it.each([
    ['the host lacks', ['inline', 'pip'], 'pip', 'inline', ['display-mode']],
    ['the view has not declared', ['inline'], 'fullscreen', 'inline', ['display-mode']],
    ['both have', ['fullscreen'], 'fullscreen', 'fullscreen', []],
  ])('is answered with the mode that is shown: one that %s', async (_, own, mode, shown, codes) => {
    const context = { availableDisplayModes: ['inline', 'fullscreen'] as const }
    const opened = openHost({ context })
    await opened.open({ availableDisplayModes: own })
    opened.say({ id: 1, method: 'ui/request-display-mode', params: { mode } })
    await vi.waitFor(() => expect(opened.posted.at(-1)).toMatchObject({ result: { mode: shown } }))
    expect(opened.codes()).toEqual(codes)
    expect(opened.host.context.displayMode ?? 'inline').toBe(shown)
  })
})

describe('the result of a tool', () => {
  const faultOf = (_: object, { title }: { title?: unknown } = {}) =>
    typeof title === 'string' ? undefined : 'title must be a text'
  it.each<[string, HostedTool, object, readonly string[]]>([
    ['that fits', TOOLS[0] as HostedTool, NOTE, []],
    ['without a schema', { name: 'show_note' }, NOTE, ['no-output-schema']],
    ['with its text alone', TOOLS[0] as HostedTool, { content: NOTE.content }, ['text-alone']],
    [
      'that its schema refuses',
      TOOLS[0] as HostedTool,
      { structuredContent: {} },
      ['refused-result'],
    ],
    ['that is an error', TOOLS[0] as HostedTool, { content: [], isError: true }, []],
  ])('is named where a view cannot read it: one %s', async (_, tool, result, expected) => {
    const { host, codes, open, posted } = openHost({ tool, faultOf: faultOf as never })
    await open()
    host.sendResult(result as Message)
    expect(codes()).toEqual(expected)
    expect(posted).toMatchObject([{ method: 'ui/notifications/tool-result', params: result }])
  })
})

describe('a host that ends', () => {
  it.each([
    ['answers', { result: {} }, []],
    ['answers with an error', { error: { code: 1, message: 'x' } }, ['teardown']],
    ['does not answer', undefined, ['teardown']],
  ])(
    'waits for the view, and names one that fails: a view that %s',
    async (_, answer, expected) => {
      const { host, open, say, posted, codes } = openHost()
      await open()
      const ended = host.teardown('replaced', 20)
      const [{ id, method } = {}] = posted
      expect(method).toBe('ui/resource-teardown')
      if (answer !== undefined) say({ id, ...answer })
      await ended
      host.receive('late')
      expect(codes()).toEqual(expected)
    },
  )

  it('aborts the calls of the view, and so does the view', async () => {
    const aborted: string[] = []
    const callTool = (name: string, args: object, signal: AbortSignal) =>
      new Promise<object>(() =>
        signal.addEventListener('abort', () => aborted.push(`${name} ${JSON.stringify(args)}`)),
      )
    const { host, open, say, posted } = openHost({ answers: { callTool } })
    await open()
    for (const id of [1, 2]) {
      const params = { name: 'show_note', arguments: { id } }
      say({ id, method: 'tools/call', params })
    }
    say({ method: 'notifications/cancelled', params: { requestId: 1 } })
    await host.teardown('end', 0)
    expect(aborted).toEqual(['show_note {"id":1}', 'show_note {"id":2}'])
    expect(posted.length).toBe(1)
  })
})

/** The official view in a host of ours. */
async function openOfficial(options: Partial<ViewHostOptions> = {}) {
  const app = new App({ name: 'official', version: '1.0.0' }, {}, { autoResize: false })
  const transport: NonNullable<Parameters<App['connect']>[0]> = {
    start: async () => {},
    close: async () => {},
    send: async (message) => opened.host.receive(structuredClone(message)),
  }
  const opened = openHost({
    post: (message) =>
      queueMicrotask(() => transport.onmessage?.(structuredClone(message) as never)),
    ...options,
  })
  const seen: unknown[] = []
  app.ontoolinputpartial = (params) => seen.push(['partial', params.arguments])
  app.ontoolinput = (params) => seen.push(['arguments', params.arguments])
  app.ontoolresult = (params) => seen.push(['result', params])
  app.ontoolcancelled = () => seen.push(['cancelled'])
  await app.connect(transport)
  return { app, seen, ...opened }
}

describe('the official view in this host', () => {
  it('follows a call whose arguments are written', async () => {
    const { host, seen, findings } = await openOfficial()
    await playCall(host, CALL, { isWritten: true })
    await vi.waitFor(() => expect(seen.length).toBe(5))
    expect(seen).toEqual([
      ['partial', {}],
      ['partial', { title: 'Mi' }],
      ['partial', { title: 'Milk' }],
      ['arguments', { title: 'Milk' }],
      ['result', NOTE],
    ])
    expect(findings).toEqual([])
  })

  it('has its requests answered', async () => {
    const asked: unknown[] = []
    const { app, findings, host } = await openOfficial({
      context: { availableDisplayModes: ['inline', 'fullscreen'], locale: 'de-CH' },
      answers: {
        callTool: async (name, args) => {
          asked.push([name, args])
          return NOTE
        },
        readResource: async (uri) => ({ contents: [{ uri, text: 'Milk' }] }),
        openLink: (url) => void asked.push(url),
        sendMessage: (content) => void asked.push(content),
        updateModelContext: (context) => void asked.push(context),
      },
      onLog: (entry) => asked.push(entry),
    })
    expect(app.getHostContext()).toMatchObject({ locale: 'de-CH' })
    expect(await app.callServerTool({ name: 'show_note', arguments: { id: 1 } })).toEqual(NOTE)
    expect(await app.readServerResource({ uri: 'note://1' })).toMatchObject({
      contents: [{ text: 'Milk' }],
    })
    await app.openLink({ url: 'https://example.com/' })
    await app.sendMessage({ role: 'user', content: [{ type: 'text', text: 'Hello' }] })
    await app.updateModelContext({ structuredContent: { selected: 2 } })
    await app.sendLog({ level: 'info', data: 'x' })
    expect(await app.requestDisplayMode({ mode: 'fullscreen' })).toEqual({ mode: 'fullscreen' })
    expect(asked).toMatchObject([
      ['show_note', { id: 1 }],
      'https://example.com/',
      [{ type: 'text', text: 'Hello' }],
      { structuredContent: { selected: 2 } },
      { level: 'info' },
    ])
    host.changeContext({ theme: 'dark' })
    await vi.waitFor(() =>
      expect(app.getHostContext()).toMatchObject({ theme: 'dark', displayMode: 'fullscreen' }),
    )
    expect(findings).toEqual([])
  })

  it('is torn down', async () => {
    const { app, host, findings } = await openOfficial()
    app.onteardown = async () => ({})
    await host.teardown('replaced')
    expect(findings).toEqual([])
  })
})

describe('a view of edgeway/view in a host with', () => {
  it.each<[CallOrder, object]>([
    ['usual', { status: 'done', arguments: CALL.arguments, result: NOTE }],
    ['late', { status: 'done', arguments: CALL.arguments, result: NOTE }],
    ['twice', { status: 'done', arguments: CALL.arguments, result: NOTE }],
    ['cancelled', { status: 'cancelled', arguments: CALL.arguments }],
    ['text', { status: 'done', result: { content: NOTE.content } }],
    ['result-alone', { status: 'done', result: NOTE }],
  ])('the order "%s" has a defined state', async (order, state) => {
    vi.spyOn(console, 'warn').mockReturnValue()
    const frames = openFrames()
    const { host, findings } = openHost({ post: (message) => frames.deliver(message) })
    frames.transport.onmessage = (message) => host.receive(message)
    const view = frames.connect({ autoResize: false })
    await playCall(host, CALL, { order, stepMs: order === 'late' ? 1 : 0 })
    await vi.waitFor(() => expect(view.state.tool).toMatchObject(state))
    expect(findings).toEqual([])
  })
})

it('partsOf() writes one member after the other', () => {
  expect(partsOf({ text: 'abcd', many: [1, 2], deep: { a: 'xy' }, count: 1 })).toEqual([
    {},
    { text: 'ab' },
    { text: 'abcd' },
    { text: 'abcd', many: [1] },
    { text: 'abcd', many: [1, 2] },
    { text: 'abcd', many: [1, 2], deep: {} },
    { text: 'abcd', many: [1, 2], deep: { a: 'x' } },
    { text: 'abcd', many: [1, 2], deep: { a: 'xy' } },
    { text: 'abcd', many: [1, 2], deep: { a: 'xy' }, count: 1 },
  ])
})
