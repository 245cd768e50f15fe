/** What the page of an upload says: who asks, what for, and the bounds in the words of people. */
// features: asks, files
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { file } from '../../../src/features/files/index.ts'
import { sizeWords, typeWords } from '../../../src/features/files/operations/file-words.ts'
import { McpServer } from '../../../src/index.ts'
import { openApp, type TestApp } from '../../support/test-app.ts'
import { FORM, formWith, send } from './uploading.ts'

const HOSTILE = `"><script>alert(1)</script>\u202e`

function createServer(title: string, description: string): McpServer {
  const server = new McpServer({ name: 'people', version: '1' })
  const list = file({ description, types: ['text/csv'], maxBytes: 1_500_000 })
  server.registerTool('import_people', { title, files: { list } }, () => 'done')
  return server
}

/** Calls the tool without its file, as a client that calls itself so, and returns the page that it names. */
async function pageOf(app: TestApp, client: string): Promise<string> {
  const meta = {
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: client, version: '1' },
  }
  const { body } = await app.modern(
    'tools/call',
    { name: 'import_people', arguments: {} },
    { meta },
  )
  return body.result._meta['dev.edgeway/uploads'][0].page
}

const textOf = async (response: Response) =>
  (await response.text())
    .replace(/<style>.*?<\/style>|<[^>]*>/gs, ' ')
    .replace(/\s+/g, ' ')
    .trim()

describe('the page of an upload', () => {
  it('says which app and which tool asks, what for, and what file', async () => {
    const app = openApp(createServer('Import people', 'The list of people to import.'), {}, env)
    const url = await pageOf(app, 'Editor')
    const page = await textOf(await send(url, { method: 'GET' }, app))
    for (const said of [
      'Upload a file The list of people to import.',
      'Asked by Editor (the app chose this name itself)',
      'For Import people',
      'CSV, at most 1.5 MB',
    ]) {
      expect(page).toContain(said)
    }
    const wrong = FORM.replace('text/csv', 'image/png').replace('list.csv', 'photo.png')
    const refused = await textOf(await send(url, formWith(wrong), app))
    expect(refused).toContain('“photo.png” cannot be used here. Choose a file of the type CSV.')
    expect(refused).toContain('Asked by Editor')
    const large = await send(url, formWith(FORM.replace('a,b', 'x'.repeat(1_500_001))), app)
    expect(await textOf(large)).toContain('This file is too large. Choose one of at most 1.5 MB.')
    const received = await textOf(await send(url, formWith(FORM), app))
    expect(received).toContain('“list.csv” was received. Close this page and go back to Editor.')
  })

  it('shows hostile names, titles and descriptions as bounded text', async () => {
    const app = openApp(createServer(HOSTILE.repeat(40), HOSTILE.repeat(400)), {}, env)
    const url = await pageOf(app, HOSTILE.repeat(400))
    // Clients and models repeat the address.
    expect(url.length).toBeLessThan(1500)
    const html = await (await send(url, { method: 'GET' }, app)).text()
    expect(html).not.toMatch(/<script|\u202e/)
  })
})

describe('a size', () => {
  it.each([
    [1, '1 bytes'],
    [999, '999 bytes'],
    [1000, '1 KB'],
    [1_499_999, '1.4 MB'],
    [5_000_000, '5 MB'],
    [2 ** 28, '268.4 MB'],
    [3e12, '3000 GB'],
  ])('of %d bytes is said as %s', (bytes, words) => {
    expect(sizeWords(bytes)).toBe(words)
  })
})

describe('the types of a file', () => {
  it.each([
    [['image/png', 'image/jpeg'], 'PNG or JPEG'],
    [['Text/CSV'], 'CSV'],
    [
      ['application/msword', 'text/plain', 'application/x-own'],
      'Word, plain text or application/x-own',
    ],
    [
      [
        'application/vnd.ms-excel',
        'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      ],
      'Excel',
    ],
    [['__proto__/x', 'constructor/y'], '__proto__/x or constructor/y'],
  ])('%j are said as %s', (types, words) => {
    expect(typeWords(types)).toBe(words)
  })
})
