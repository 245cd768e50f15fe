/** The page at which a person uploads a file, in a real browser. */
import { expect, it } from 'vitest'
import { useFixtureServer } from './fixture-server.ts'
import { expectToFit, screenshot, useBrowser } from './open-browser.ts'
import { expectAccessible, expectLight } from './page-checks.ts'

const browser = useBrowser()
const server = useFixtureServer()

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'example-editor', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Calls a tool without its file, and returns the page that the result names. */
async function pageOfUpload(): Promise<string> {
  const name = 'take_file'
  const response = await fetch(server.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: { note: '' }, _meta: META },
    }),
  })
  const { result } = (await response.json()) as {
    result: { _meta: Record<string, readonly { page: string }[]> }
  }
  return result._meta['dev.edgeway/uploads']?.[0]?.page ?? ''
}

it.each([
  ['phone', 'light'],
  ['small', 'dark'],
  ['desktop', 'light'],
  ['desktop', 'dark'],
] as const)(
  'the page of an upload is complete and receives a file on a %s in %s',
  async (device, colorScheme) => {
    const { page, violations } = await browser.open({ device, colorScheme, scripts: true })
    await expectLight(page, await pageOfUpload())
    for (const said of ['example-editor', 'take_file', 'The file to take.', 'at most 50 MB']) {
      expect(await page.getByText(said).count()).toBe(1)
    }
    await expectToFit(page)
    await expectAccessible(page)
    await screenshot(page, `upload-${device}-${colorScheme}`)
    const buffer = Buffer.from('a,b\n')
    await page
      .getByLabel('Choose a file')
      .setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer })
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('status').filter({ hasText: '“list.csv” was received.' }).waitFor()
    await expectAccessible(page)
    await screenshot(page, `upload-received-${device}-${colorScheme}`)
    expect(violations).toEqual([])
  },
)
