/** Tests the export of notes as a file, and the import of a file that the user uploads. */
import { afterEach, describe, expect, it } from 'vitest'
import { ask, call, clear, fetch, refusal } from './endpoint.ts'

afterEach(clear)

const CAN_OPEN_URLS = {
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {}, url: {} } },
}

/** Sends one round of a call of `import_notes` as a client that opens URLs. */
const round = (args: object, answers: object = {}) =>
  ask('tools/call', { name: 'import_notes', arguments: args, ...answers }, { meta: CAN_OPEN_URLS })

async function download(url: string): Promise<string> {
  const response = await fetch(new Request(url))
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/markdown'])
  return response.text()
}

describe('export_notes', () => {
  it('makes a document of all notes in the order of creation, which is downloaded without a sign-in', async () => {
    const titles = Array.from({ length: 45 }, (_, number) => `Note ${number}`)
    const markdown = titles.map((title) => `# ${title}\n\nThe text of ${title}: é語😀\n`).join('')
    await call('import_notes', { markdown, tags: [] })
    await call('append_to_note', { id: 'note-3', text: 'Changed later.' })
    const { name, size, url, expiresAt } = await call('export_notes')
    expect(name).toMatch(/^notebook-20\d\d-\d\d-\d\d\.md$/)
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now())
    const changed = 'The text of Note 3: é語😀'
    const document = markdown.replace(changed, `${changed}\n\nChanged later.`)
    expect(await download(url)).toBe(document)
    expect(size).toBe(new TextEncoder().encode(document).byteLength)
  })

  it('returns a link that resources/read accepts, and exports the notes with the tags alone', async () => {
    await call('write_note', { title: 'Soup', body: 'salt', tags: ['recipes'] })
    await call('write_note', { title: 'Trip', body: 'Lisbon' })
    const { content } = await ask('tools/call', {
      name: 'export_notes',
      arguments: { tags: ['recipes'] },
    })
    const { type, uri, mimeType } = content[1]
    expect([type, mimeType]).toEqual(['resource_link', 'text/markdown'])
    const { contents } = await ask('resources/read', { uri })
    expect(contents[0].text).toBe('# Soup\n\nsalt\n')
  })

  it('says which tag is malformed', async () => {
    expect(await refusal('export_notes', { tags: ['a,b'] })).toMatch(/^"a,b" cannot be a tag/)
  })

  it('makes an empty document of no notes', async () => {
    const { size, url } = await call('export_notes')
    expect([size, await download(url)]).toEqual([0, ''])
  })
})

describe('import_notes without notes', () => {
  it('asks the user to upload a document, and then for the choices', async () => {
    await call('write_note', { title: 'Soup', body: 'mine' })
    const asked = await round({})
    expect(Object.keys(asked.inputRequests)).toEqual(['document'])
    const { mode, url } = asked.inputRequests.document.params
    expect(mode).toBe('url')
    const body = '# Soup\n\nsalt\n# Bread\n\nflour\n'
    const headers = { 'content-type': 'text/markdown' }
    const uploaded = await fetch(new Request(url, { method: 'PUT', headers, body }))
    expect(uploaded.status).toBe(201)
    const { requestState, inputRequests } = await round(
      {},
      { requestState: asked.requestState, inputResponses: { document: { action: 'accept' } } },
    )
    expect(Object.keys(inputRequests).toSorted()).toEqual(['duplicates', 'tags'])
    const inputResponses = {
      duplicates: { action: 'accept', content: { duplicates: 'skip' } },
      tags: { action: 'accept', content: { tags: 'food' } },
    }
    const { structuredContent } = await round({}, { requestState, inputResponses })
    expect(structuredContent).toMatchObject({ created: ['bread'], skipped: ['soup'] })
  })

  it('imports nothing when the user declines', async () => {
    const { requestState } = await round({})
    const inputResponses = { document: { action: 'decline' } }
    const { content, isError } = await round({}, { requestState, inputResponses })
    expect([isError, content[0].text]).toEqual([
      undefined,
      'Nothing was imported: the user uploaded no document.',
    ])
    expect(await call('list_notes')).toMatchObject({ total: 0 })
  })

  it.each(['image/png', 'application/zip'])('refuses an upload of type %s', async (type) => {
    const { url } = (await round({})).inputRequests.document.params
    const headers = { 'content-type': type }
    const { status } = await fetch(new Request(url, { method: 'PUT', headers, body: 'x' }))
    expect(status).toBe(415)
  })
})
