import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { textOf, ViewError } from '../src/index.ts'
import { CAPABILITIES, openView } from './frames.ts'

interface Tools {
  show_note: { arguments: { title: string; tags?: string[] }; result: { title: string } }
  list_notes: { arguments: { limit?: number }; result: undefined }
}

const open = (...[context, options]: Parameters<typeof openView>) =>
  openView<Tools, 'show_note'>(context, options)

const NOTE = {
  content: [{ type: 'text' as const, text: 'Milk' }],
  structuredContent: { title: 'Milk' },
}

beforeEach(() => {
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockReturnValue()
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

describe('a view in the official host', () => {
  it('follows the call of its tool from partial arguments to the result', async () => {
    const { bridge, view } = await open()
    const seen: unknown[] = []
    const end = view.watch(({ tool }) => seen.push(tool))
    await bridge.sendToolInputPartial({ arguments: { title: 'Mi' } })
    await bridge.sendToolInput({ arguments: { title: 'Milk' } })
    await bridge.sendToolResult(NOTE)
    end()
    await bridge.sendToolInput({ arguments: { title: 'Bread' } })
    expect(seen).toEqual([
      { status: 'waiting' },
      { status: 'writing', partial: { title: 'Mi' } },
      { status: 'running', arguments: { title: 'Milk' } },
      { status: 'done', arguments: { title: 'Milk' }, result: NOTE },
    ])
    expect(view.state.tool).toEqual({ status: 'running', arguments: { title: 'Bread' } })
    expect(console.warn).not.toHaveBeenCalled()
  })

  it('tells an error and a cancellation from a result', async () => {
    const { bridge, view } = await open()
    const failed = { content: [{ type: 'text' as const, text: 'No note' }], isError: true }
    await bridge.sendToolInput({ arguments: {} })
    await bridge.sendToolResult(failed)
    expect(view.state.tool).toEqual({ status: 'failed', arguments: {}, result: failed })
    await bridge.sendToolInput({ arguments: {} })
    await bridge.sendToolCancelled({ reason: 'by the person' })
    expect(view.state.tool).toEqual({ status: 'cancelled', arguments: {}, reason: 'by the person' })
  })

  it('reads the context of the host and its changes, and sets theme and variables', async () => {
    const { bridge, frames, view } = await open({
      theme: 'dark',
      locale: 'de-CH',
      displayMode: 'inline',
      containerDimensions: { width: 320, maxHeight: 600 },
      safeAreaInsets: { top: 1, right: 2, bottom: 3, left: 4 },
      styles: { variables: { '--color-text-primary': '#123456' } },
    })
    expect(view.state.capabilities).toEqual(CAPABILITIES)
    expect(view.state.host).toMatchObject({ locale: 'de-CH', containerDimensions: { width: 320 } })
    expect(frames.style).toMatchObject({ colorScheme: 'dark', '--color-text-primary': '#123456' })
    await bridge.sendHostContextChange({ theme: 'light' })
    expect(view.state.host).toMatchObject({ theme: 'light', locale: 'de-CH' })
    expect(frames.style).toMatchObject({ colorScheme: 'light', 'data-theme': 'light' })
  })

  it('calls tools of the server, also one without arguments', async () => {
    const { bridge, view } = await open()
    const calls: unknown[] = []
    bridge.oncalltool = async (params) => {
      calls.push(params)
      return params.name === 'show_note' ? NOTE : { content: [], isError: true }
    }
    const note = await view.callTool('show_note', { title: 'Milk' })
    expect([note.structuredContent, textOf(note)]).toEqual([{ title: 'Milk' }, 'Milk'])
    expect(await view.callTool('list_notes')).toMatchObject({ isError: true })
    expect(calls).toEqual([
      { name: 'show_note', arguments: { title: 'Milk' } },
      { name: 'list_notes', arguments: {} },
    ])
  })

  it('cancels a call at the host when its signal aborts', async () => {
    const { bridge, view } = await open()
    const cancelled = new Promise((resolve) => {
      bridge.oncalltool = (_, { mcpReq: { signal } }: { mcpReq: { signal: AbortSignal } }) =>
        new Promise(() => signal.addEventListener('abort', resolve))
    })
    const controller = new AbortController()
    const call = view.callTool('list_notes', {}, { signal: controller.signal })
    setTimeout(() => controller.abort(new Error('enough')), 5)
    await expect(call).rejects.toThrow('enough')
    await cancelled
    await expect(
      view.callTool('list_notes', {}, { signal: AbortSignal.abort(new Error('before')) }),
    ).rejects.toThrow('before')
  })

  it('opens links, sends messages and sets the context of the model', async () => {
    const { bridge, view } = await open()
    const asked: unknown[] = []
    bridge.onopenlink = async (params) => {
      asked.push(params)
      return {}
    }
    bridge.onmessage = async (params) => {
      asked.push(params)
      return {}
    }
    bridge.onupdatemodelcontext = async (params) => {
      asked.push(params)
      return {}
    }
    await view.openLink(new URL('https://example.com/a'))
    await view.sendMessage('Hello')
    await view.updateModelContext({ structuredContent: { selected: 2 } })
    expect(asked).toEqual([
      { url: 'https://example.com/a' },
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      { structuredContent: { selected: 2 } },
    ])
  })

  it('rejects what the host refuses, with its code', async () => {
    const { bridge, view } = await open()
    bridge.onopenlink = async () => ({ isError: true })
    await expect(view.openLink('https://example.com')).rejects.toMatchObject({ reason: 'refused' })
    const error = await view.sendMessage('Hello').catch((error: unknown) => error)
    expect(error).toBeInstanceOf(ViewError)
    expect(error).toMatchObject({ reason: 'refused', code: -32601 })
  })

  it('requests a display mode, and returns the one that the host has chosen', async () => {
    const { bridge, view } = await open(
      { availableDisplayModes: ['inline', 'fullscreen'], displayMode: 'inline' },
      { displayModes: ['inline', 'fullscreen', 'pip'] },
    )
    const asked = vi.fn(async () => ({ mode: 'fullscreen' as const }))
    bridge.onrequestdisplaymode = asked
    expect(bridge.getAppCapabilities()).toEqual({
      availableDisplayModes: ['inline', 'fullscreen', 'pip'],
    })
    expect(await view.requestDisplayMode('fullscreen')).toBe('fullscreen')
    expect(await view.requestDisplayMode('pip')).toBe('inline')
    expect(asked).toHaveBeenCalledOnce()
    expect(console.warn).toHaveBeenCalledWith(
      'edgeway/view: The host does not have the display mode "pip"',
      ['inline', 'fullscreen'],
    )
  })

  it('refuses to request a display mode that it has not declared', async () => {
    const { view } = await open({ availableDisplayModes: ['fullscreen'] })
    await expect(view.requestDisplayMode('fullscreen')).rejects.toThrow(TypeError)
  })

  it('reports the size of its document once per change', async () => {
    const { frames } = await open()
    const sizes = () =>
      frames.sent.flatMap(({ method, params }) =>
        method === 'ui/notifications/size-changed' ? [params] : [],
      )
    await vi.waitFor(() => expect(sizes()).toEqual([{ width: 400, height: 10 }]))
    frames.resize(10)
    await Promise.resolve()
    frames.resize(20.4)
    await vi.waitFor(() => expect(sizes().at(-1)).toEqual({ width: 400, height: 21 }))
    expect(sizes().length).toBe(2)
    expect(frames.style.height).toBeUndefined()
  })

  it('reports only the sizes of sendSize with autoResize: false', async () => {
    const { bridge, frames, view } = await open(
      { theme: 'dark' },
      { autoResize: false, hostStyles: false },
    )
    const sizes: unknown[] = []
    bridge.onsizechange = (size) => void sizes.push(size)
    frames.resize(20)
    view.sendSize({ height: 7 })
    await vi.waitFor(() => expect(sizes).toEqual([{ height: 7 }]))
    expect(frames.style.colorScheme).toBeUndefined()
  })

  it('answers the teardown when its work is done', async () => {
    const steps: string[] = []
    const onTeardown = async () => {
      await Promise.resolve()
      steps.push('saved')
    }
    const { bridge } = await open({}, { onTeardown })
    await bridge.teardownResource({})
    steps.push('removed')
    expect(steps).toEqual(['saved', 'removed'])
  })

  it('answers a teardown whose work fails with an error without details', async () => {
    const { bridge } = await open({}, { onTeardown: () => Promise.reject(new Error('secret')) })
    await expect(bridge.teardownResource({})).rejects.toThrow('Internal error')
    expect(console.error).toHaveBeenCalled()
  })
})
