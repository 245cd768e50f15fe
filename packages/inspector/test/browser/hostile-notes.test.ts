/** The two views of the notebook with hostile notes in a real browser: the texts are shown and do nothing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { note, search } from '../../../../examples/notebook/views.generated.ts'
import { type AppHost, type CallTool, startAppHost } from '../../../../test/browser/app-host.ts'
import { type Opened, useBrowser } from '../../../../test/browser/open-browser.ts'

const HACK = "parent.postMessage('hacked','*');document.title='hacked'"

const TEXTS: readonly [string, string][] = [
  ['the end of the script', `</script><script>${HACK}</script>`],
  ['the end of the title and the style', `</title></style><svg onload="${HACK}">`],
  ['the end of a string and a template', `\\'"\`;${HACK};//\${${HACK}}`],
  ['a comment and entities', `--><!--<script> &lt;/script&gt; &#60;img src=x onerror=${HACK}>`],
  ['line separators', `a\u2028${HACK}\u2029b\u0085c\r\nd`],
  ['direction overrides', '\u202e\u2067exe.gnp\u202d \u2066abc\u2069\u2069\u2069\u061c'],
  ['nothing but zero-width characters', '\u200b\u200c\u200d\u2060\ufeff\u00ad'],
  ['lone surrogates', '\udc00\ud800 a\udfff\ud83d'],
  ['control characters', '\0\x07\x1b[31m\x7f\u0080'],
  ['heaped marks', `e${'\u0301'.repeat(2000)}`],
  ['a long word', 'x'.repeat(100_000)],
  ['the name of an inherited member', '__proto__'],
]

const browser = useBrowser()
let noteHost: AppHost
let searchHost: AppHost

beforeAll(async () => {
  noteHost = await startAppHost(String(note.html))
  searchHost = await startAppHost(String(search.html))
})

afterAll(async () => {
  await noteHost?.stop()
  await searchHost?.stop()
})

async function openView(host: AppHost, callTool?: CallTool): Promise<Opened> {
  const opened = await browser.open({ device: 'phone' })
  await host.start(opened.page, {}, callTool)
  await opened.page.evaluate(
    `window.hacked = 0; addEventListener('message', ({ data }) => { if (data === 'hacked') hacked++ })`,
  )
  return opened
}

/** Evaluates an expression in the document of the view. */
const inView = <T>({ page }: Opened, expression: string): Promise<T> =>
  page.frameLocator('iframe').locator('body').evaluate(expression)

const send = ({ page }: Opened, member: string, params: unknown) =>
  page.evaluate(`bridge.${member}(${JSON.stringify(params)})`)

/** Compares in the page, because lone surrogates do not reach the test. */
const shows = (opened: Opened, selector: string, text: string) =>
  inView<boolean>(
    opened,
    `document.querySelector(${JSON.stringify(selector)}).textContent === ${JSON.stringify(text)}`,
  )

async function expectInert(opened: Opened, title: string): Promise<void> {
  const state = await inView(
    opened,
    `({
      title: document.title,
      scripts: document.scripts.length,
      others: document.querySelectorAll('img, svg, iframe, a, [onload], [onerror]').length,
      fits: document.documentElement.scrollWidth <= innerWidth,
    })`,
  )
  expect(state).toEqual({ title, scripts: 1, others: 0, fits: true })
  expect(await opened.page.evaluate('hacked')).toBe(0)
  expect(opened.violations).toEqual([])
}

const noteOf = (text: string) => ({
  content: [
    { type: 'text', text: 'summary' },
    { type: 'text', text },
  ],
  structuredContent: { id: text, title: text, tags: [text, text], snippet: text },
})

describe.each(TEXTS)('a note with %s', (_, text) => {
  it('is text in the view of a note', async () => {
    const opened = await openView(noteHost)
    await send(opened, 'sendToolInput', { arguments: { id: text } })
    await send(opened, 'sendToolResult', noteOf(text))
    await expect.poll(() => shows(opened, 'h1', text)).toBe(true)
    expect(await shows(opened, '#tags', `${text}, ${text}`)).toBe(true)
    expect(await shows(opened, '#text', text)).toBe(true)
    await expectInert(opened, 'Note')
  })

  it('is text in the view of a search, in a result and when it is opened', async () => {
    const opened = await openView(searchHost, () => noteOf(text))
    await send(opened, 'sendToolInput', { arguments: { query: text } })
    await expect.poll(() => shows(opened, '#status', `Searching for “${text}”…`)).toBe(true)
    const { structuredContent: hit } = noteOf(text)
    await send(opened, 'sendToolResult', {
      content: [],
      structuredContent: { total: 2, results: [{ id: 'a', title: 'Soup', tags: [] }, hit] },
    })
    await expect.poll(() => shows(opened, '#status', '2 notes')).toBe(true)
    expect(await shows(opened, 'li:nth-child(2) button', text)).toBe(true)
    // The text of one note does not change how another is shown.
    expect(await shows(opened, 'li:first-child button', 'Soup')).toBe(true)
    await expectInert(opened, 'Search results')

    await inView(opened, `document.querySelector('li:nth-child(2) button').click()`)
    await expect.poll(() => shows(opened, 'h1', text)).toBe(true)
    expect(await shows(opened, '#text', text)).toBe(true)
    await expectInert(opened, 'Search results')
  })
})

describe('the view of a note', () => {
  it.each([
    ['a text', 'tags'],
    ['an object', { join: 'tags' }],
    ['null', null],
  ])('shows the title and the text when the tags are %s', async (_, tags) => {
    const opened = await openView(noteHost)
    await send(opened, 'sendToolResult', noteOf('First'))
    await expect.poll(() => shows(opened, '#text', 'First')).toBe(true)
    await send(opened, 'sendToolResult', {
      content: [{ type: 'text', text: 'Second' }],
      structuredContent: { title: { toString: null }, tags },
    })
    await expect.poll(() => shows(opened, '#text', 'Second')).toBe(true)
    expect(await shows(opened, 'h1', '')).toBe(true)
    expect(await shows(opened, '#tags', '')).toBe(true)
  })
})
