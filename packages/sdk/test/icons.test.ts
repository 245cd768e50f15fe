/** Icons that no client can load, in servers of the SDK. */
import { describe, expect, it } from 'vitest'
import { openApp } from '../../../test/support/test-app.ts'
import { ResourceTemplate } from '../src/index.ts'
import { McpServer } from '../src/mcp-server.ts'

const relative = { src: '/assets/icon-4f2a.svg', mimeType: 'image/svg+xml' }
const loadable = { src: 'https://x.example/icon.png' }
const say = async () => ({ content: [] })

describe('a server of the SDK whose icons are relative', () => {
  it('is served without these icons, with a warning for each', async () => {
    const info = { name: 'icons', version: '1', websiteUrl: 'https://x.example' }
    const server = new McpServer({ ...info, icons: [relative] })
    server.registerTool('tool', { icons: [relative, loadable, { src: 'javascript:1' }] }, say)
    server.registerPrompt('prompt', { icons: [relative] }, async () => ({ messages: [] }))
    const read = async () => ({ contents: [] })
    server.registerResource('resource', 'note://1', { icons: [relative] }, read)
    const template = new ResourceTemplate('note://{id}/x', {
      list: async () => ({ resources: [{ name: 'listed', uri: 'note://2/x' }] }),
    })
    server.registerResource('template', template, { icons: [relative] }, read)
    const app = openApp(server)

    const { result } = (await app.modern('server/discover')).body
    expect(result._meta['io.modelcontextprotocol/serverInfo']).toEqual(info)
    const list = async (method: string, member: string) =>
      (await app.modern(method)).body.result[member].map(({ icons }: { icons?: unknown }) => icons)
    expect(await list('tools/list', 'tools')).toEqual([[loadable]])
    expect(await list('prompts/list', 'prompts')).toEqual([undefined])
    expect(await list('resources/list', 'resources')).toEqual([undefined, undefined])
    expect(await list('resources/templates/list', 'resourceTemplates')).toEqual([undefined])
    const warnings = app.events.flatMap((event) =>
      event.type === 'definition-warning' ? [`${event.subject}: ${event.message}`] : [],
    )
    const dropped = (subject: string, src = relative.src) =>
      `${subject}: its icon "${src}" is dropped: a client loads https:, http: and data: URIs alone`
    expect(warnings).toEqual([
      dropped('Server "icons"'),
      dropped('Tool "tool"'),
      dropped('Tool "tool"', 'javascript:1'),
      dropped('Prompt "prompt"'),
      dropped('Resource "resource"'),
      dropped('Resource template "template"'),
    ])
  })

  it('still throws at start for icons that are no list of icons', () => {
    const server = new McpServer({ name: 'icons', version: '1', icons: [{}] as never })
    expect(() => openApp(server)).toThrow('every icon needs a src')
  })
})
