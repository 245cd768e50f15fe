/** The view of a search of the notebook in a real browser: it calls a tool through the official bridge. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { search } from '../../examples/notebook/views.generated.ts'
import { type AppHost, type CallTool, startAppHost } from './app-host.ts'
import { type BrowserOptions, type Opened, screenshot, useBrowser } from './open-browser.ts'

const HOSTILE = `</button></script><img src=x onerror="parent.postMessage('hacked','*')"><script>parent.postMessage('hacked','*')</script>`

const RESULT = {
  content: [{ type: 'text', text: '2 notes match.' }],
  structuredContent: {
    total: 3,
    matched: 'all',
    results: [
      { id: 'lisbon', title: 'Lisbon', tags: ['travel'], snippet: 'A hotel with late checkout' },
      { id: 'porto', title: 'Porto', tags: [], snippet: 'Two days are enough' },
    ],
  },
}

const NOTE = {
  content: [
    { type: 'text', text: '"Lisbon" (id: lisbon)' },
    { type: 'text', text: 'Hotel Aurora\nLate checkout until two' },
  ],
  structuredContent: { id: 'lisbon', title: 'Lisbon', tags: ['travel', 'summer'] },
}

const browser = useBrowser()
let host: AppHost

beforeAll(async () => {
  host = await startAppHost(String(search.html))
})

afterAll(() => host?.stop())

const frameOf = ({ page }: Opened) => page.frameLocator('iframe')
const statusOf = (opened: Opened) => frameOf(opened).getByRole('status').textContent()
const focused = (opened: Opened) => frameOf(opened).locator(':focus').textContent()
const send = ({ page }: Opened, member: string, params: unknown) =>
  page.evaluate(`bridge.${member}(${JSON.stringify(params)})`)

async function openView(callTool?: CallTool, options?: BrowserOptions, hostContext = {}) {
  const opened = await browser.open(options)
  await host.start(opened.page, hostContext, callTool)
  await opened.page.evaluate(
    `window.hacked = 0; addEventListener('message', ({ data }) => { if (data === 'hacked') hacked++ })`,
  )
  return opened
}

describe('the view of a search in the official host bridge', () => {
  it('shows the query while the arguments arrive, and then the results', async () => {
    const opened = await openView()
    await send(opened, 'sendToolInputPartial', { arguments: { query: 'lis' } })
    await expect.poll(() => statusOf(opened)).toBe('Searching for “lis”…')
    await send(opened, 'sendToolInput', { arguments: { query: 'lisbon' } })
    await expect.poll(() => statusOf(opened)).toBe('Searching for “lisbon”…')
    await send(opened, 'sendToolResult', RESULT)
    await expect.poll(() => statusOf(opened)).toBe('2 of 3 notes')
    expect(await frameOf(opened).getByRole('listitem').allTextContents()).toEqual([
      'LisbontravelA hotel with late checkout',
      'PortoTwo days are enough',
    ])
    expect(opened.violations).toEqual([])
  })

  it('opens a note with a call of read_note, and goes back, with the keyboard alone', async () => {
    const calls: unknown[] = []
    const opened = await openView((params) => {
      calls.push(params)
      return NOTE
    })
    const { keyboard } = opened.page
    await send(opened, 'sendToolResult', RESULT)
    await expect.poll(() => statusOf(opened)).toBe('2 of 3 notes')
    await keyboard.press('Tab')
    expect(await focused(opened)).toBe('Lisbon')
    await keyboard.press('Enter')
    await expect.poll(() => frameOf(opened).getByRole('heading').count()).toBe(1)
    expect(calls).toEqual([{ name: 'read_note', arguments: { id: 'lisbon' } }])
    expect(await focused(opened)).toBe('Lisbon')
    expect(await frameOf(opened).locator('#text').textContent()).toBe(
      'Hotel Aurora\nLate checkout until two',
    )
    await keyboard.press('Shift+Tab')
    expect(await focused(opened)).toBe('Back to the results')
    await keyboard.press('Space')
    await expect.poll(() => frameOf(opened).getByRole('listitem').count()).toBe(2)
    expect(await statusOf(opened)).toBe('2 of 3 notes')
    expect(await focused(opened)).toBe('Lisbon')
  })

  it.each<[string, CallTool, string]>([
    [
      'is an error',
      () => ({ isError: true, content: [{ type: 'text', text: 'No note has this id.' }] }),
      'No note has this id.',
    ],
    [
      'is refused',
      () => {
        throw new Error('Not allowed')
      },
      'The note cannot be opened',
    ],
  ])('says so when the call of read_note %s', async (_, callTool, message) => {
    const opened = await openView(callTool)
    await send(opened, 'sendToolResult', RESULT)
    await frameOf(opened).getByRole('button', { name: 'Porto' }).click()
    await expect.poll(() => statusOf(opened)).toContain(message)
    expect(await frameOf(opened).getByRole('listitem').count()).toBe(2)
  })

  it('ignores a note that arrives after the next search', async () => {
    let deliver = (_: unknown) => {}
    const opened = await openView(() => new Promise((resolve) => (deliver = resolve)))
    await send(opened, 'sendToolResult', RESULT)
    await frameOf(opened).getByRole('button', { name: 'Lisbon' }).click()
    await expect.poll(() => statusOf(opened)).toBe('Opening…')
    await send(opened, 'sendToolResult', { ...RESULT, structuredContent: { total: 0 } })
    await expect.poll(() => statusOf(opened)).toBe('No note matches.')
    deliver(NOTE)
    await opened.page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))')
    expect(await frameOf(opened).getByRole('heading').count()).toBe(0)
    expect(await statusOf(opened)).toBe('No note matches.')
  })

  it('shows that the call was cancelled or has failed', async () => {
    const opened = await openView()
    await send(opened, 'sendToolInput', { arguments: { query: 'lisbon' } })
    await send(opened, 'sendToolCancelled', { reason: 'by the person' })
    await expect.poll(() => statusOf(opened)).toBe('Cancelled')
    await opened.page.evaluate('reload()')
    expect(await statusOf(opened)).toBe('…')
    await send(opened, 'sendToolResult', {
      isError: true,
      content: [{ type: 'text', text: 'The query has no words.' }],
    })
    await expect.poll(() => statusOf(opened)).toBe('The query has no words.')
  })

  it('shows hostile titles, tags, texts and errors as text', async () => {
    const note = { id: '1', title: HOSTILE, tags: [HOSTILE], snippet: HOSTILE }
    const opened = await openView(() => ({
      content: [{ type: 'text', text: HOSTILE }],
      structuredContent: note,
    }))
    await send(opened, 'sendToolInput', { arguments: { query: HOSTILE } })
    await expect.poll(() => statusOf(opened)).toBe(`Searching for “${HOSTILE}”…`)
    await send(opened, 'sendToolResult', { ...RESULT, structuredContent: { results: [note, 7] } })
    await frameOf(opened).getByRole('button').first().click()
    await expect.poll(() => frameOf(opened).locator('#text').textContent()).toBe(HOSTILE)
    expect(await frameOf(opened).locator('img').count()).toBe(0)
    expect(await frameOf(opened).locator('script').count()).toBe(1)
    expect(await opened.page.evaluate('hacked')).toBe(0)
    expect(opened.violations).toEqual([])
  })

  it.each(['light', 'dark'] as const)('fits a phone and a desktop in %s', async (theme) => {
    for (const device of ['desktop', 'phone'] as const) {
      const opened = await openView(() => NOTE, { device }, { theme })
      const long = { id: '3', title: 'x'.repeat(200), tags: ['y'.repeat(64)], snippet: 'z' }
      const results = [...RESULT.structuredContent.results, long]
      await send(opened, 'sendToolResult', { ...RESULT, structuredContent: { total: 3, results } })
      await expect.poll(() => statusOf(opened)).toBe('3 notes')
      const fits = 'document.documentElement.scrollWidth <= innerWidth'
      expect(await frameOf(opened).locator('body').evaluate(fits)).toBe(true)
      for (const button of await frameOf(opened).locator('li button').all()) {
        expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44)
      }
      await screenshot(opened.page, `app-search-${device}-${theme}`)
      await frameOf(opened).getByRole('button').first().click()
      await expect.poll(() => frameOf(opened).getByRole('heading').count()).toBe(1)
      await screenshot(opened.page, `app-search-note-${device}-${theme}`)
    }
  })
})
