/** The host of `openView()`, with views that connect by `edgeway/view`, and by hand. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { apps, view as ui } from '../../../src/features/apps/index.ts'
import { createServer } from '../../../src/index.ts'
import { type AnyTools, connectView, type View } from '../../view/src/index.ts'
import { connect, openView, type ViewOptions } from '../src/index.ts'

const RESULT = { content: [], structuredContent: { title: 'Milk' } }

type Members = Readonly<Record<string, unknown>>

/** Opens a view without a document, whose state is read. */
async function open(options?: ViewOptions) {
  let view: View<AnyTools, string> | undefined
  const host = await openView(() => {
    view = connectView({ name: 'note' })
  }, options)
  return { host, view: view as View<AnyTools, string> }
}

const toolOf = ({ view }: { readonly view: View<AnyTools, string> }) => view.state.tool

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('a view that openView() shows', () => {
  it('has the arguments, the result and the context of the test', async () => {
    const opened = await open({
      tool: 'show',
      arguments: { title: 'Milk' },
      result: RESULT,
      context: { theme: 'dark', locale: 'de' },
    })
    await expect.poll(() => toolOf(opened)).toMatchObject({ status: 'done', result: RESULT })
    expect(opened.view.state.host).toMatchObject({ theme: 'dark', locale: 'de' })
    opened.host.changeContext({ theme: 'light' })
    await expect.poll(() => opened.view.state.host.theme).toBe('light')
  })

  it('has a tool that runs, writes, fails and is cancelled, as the test says', async () => {
    const opened = await open()
    await expect.poll(() => toolOf(opened).status).toBe('running')
    opened.host.sendResult({ content: [], isError: true })
    await expect.poll(() => toolOf(opened).status).toBe('failed')
    const next = await open()
    next.host.sendCancellation()
    await expect.poll(() => toolOf(next).status).toBe('cancelled')
    expect(toolOf(opened).status).toBe('failed')
  })

  it('is recorded with its calls, messages, contexts and links', async () => {
    const { host, view } = await open({ onCall: (name) => ({ content: [], called: name }) })
    expect(await view.callTool('add', { title: 'Bread' })).toEqual({ content: [], called: 'add' })
    await view.sendMessage('Hello')
    await view.updateModelContext({ structuredContent: { selected: 1 } })
    await view.openLink('https://example.com/')
    expect(host.calls).toEqual([{ name: 'add', arguments: { title: 'Bread' } }])
    expect(host.messages).toEqual([[{ type: 'text', text: 'Hello' }]])
    expect(host.contexts).toEqual([{ structuredContent: { selected: 1 } }])
    expect(host.links).toEqual(['https://example.com/'])
  })

  it('is refused a call that the test does not answer, with what to give', async () => {
    const { view } = await open()
    await expect(view.callTool('add', {})).rejects.toThrow('give openView() a client or onCall')
  })

  it('calls the tools of a server, and names those that it may not call', async () => {
    const server = createServer({ name: 'notes', version: '1.0.0' })
    const note = z.object({ title: z.string() })
    const tool = { description: 'A tool.', inputSchema: note, outputSchema: note }
    server.registerTool('show', tool, ({ title }) => ({ title }))
    server.registerTool('hidden', { ...tool, ui: ui({ visibility: ['model'] }) }, (args) => args)
    const client = await connect(server, { features: [apps()] })
    const opened = await open({ client, tool: 'show', arguments: { title: 'Milk' } })
    await expect
      .poll(() => toolOf(opened))
      .toMatchObject({ result: { structuredContent: { title: 'Milk' } } })
    const { host, view } = opened
    const { structuredContent } = await view.callTool('show', { title: 'Bread' })
    expect(structuredContent).toEqual({ title: 'Bread' })
    await expect(view.callTool('hidden', { title: 'Bread' })).rejects.toThrow('hidden from views')
    await expect(view.callTool('absent', {})).rejects.toThrow('lists no such tool')
    expect(host.findings).toEqual([
      expect.stringContaining('hidden'),
      expect.stringContaining('absent'),
    ])
  })

  it('ends its work when it is closed, and the window is as before', async () => {
    await (await open()).host.close()
    const { window } = globalThis as unknown as { readonly window: Members }
    const { parent, addEventListener } = window
    const onTeardown = vi.fn()
    const host = await openView(() => connectView({ name: 'note', onTeardown }))
    await host.close()
    expect(onTeardown).toHaveBeenCalledOnce()
    expect(window.parent).toBe(parent)
    expect(window.addEventListener).toBe(addEventListener)
    expect(host.findings).toEqual([])
  })
})

describe('openView() rejects', () => {
  it.each([
    ['a view that does not connect', () => {}, 'has not sent ui/initialize within 2000 ms'],
    ['a view that throws', () => Promise.reject(new Error('broken')), 'broken'],
  ])('%s', async (_, load, message) => {
    await expect(openView(load)).rejects.toThrow(message)
  })

  it('a test without a DOM, with what to install', async () => {
    vi.stubGlobal('window', undefined)
    await expect(openView(() => {})).rejects.toThrow('install happy-dom')
  })
})
