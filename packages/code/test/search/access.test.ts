/** A call by `call_tool` has the scopes, limits, middleware and telemetry of its tool. A search finds what its caller sees. */
// features: search, rateLimits
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { rateLimits } from '../../../../src/features/rate-limits/index.ts'
import { createEdgeway, McpServer } from '../../../../src/index.ts'
import type { TelemetryEvent } from '../../../../src/telemetry/index.ts'
import { connectApp } from '../../../../test/support/test-app.ts'
import { trusting } from '../../../../test/support/trusting.ts'
import { search } from '../../src/search/index.ts'

const called: string[] = []
const events: TelemetryEvent[] = []

const server = new McpServer({ name: 'scoped', version: '1.0.0' })
server.use((call, next) => {
  called.push(call.name)
  return next()
})
const READS = { readOnlyHint: true }
server.registerTool('read_notes', { annotations: READS }, (ctx) => `notes of ${ctx.auth?.subject}`)
server.registerTool('write_notes', { scopes: ['write'] }, () => 'written')
server.registerTool('count_notes', { limitClass: 'rare' }, () => 'counted')
server.registerTool(
  'erase_notes',
  { visible: (auth) => auth?.subject === 'admin', tags: ['administration'] },
  () => 'erased',
)

const app = createEdgeway(server, {
  auth: trusting('https://search.example.com'),
  features: [search(), rateLimits({ classes: { rare: { limit: 2, periodSeconds: 60 } } })],
  telemetry: { spans: true, record: (event) => void events.push(event) },
})

async function send(token: string, name: string, args: object) {
  return connectApp(app, env).modern(
    'tools/call',
    { name, arguments: args },
    { headers: { authorization: `Bearer ${token}` } },
  )
}

const call = (token: string, name: string) => send(token, 'call_tool', { name })
const find = async (token: string, query: string) => {
  const { body } = await send(token, 'search_tools', { query })
  const { tools, note } = body.result.structuredContent
  return { names: tools.map(({ name }: { name: string }) => name), note }
}

beforeEach(() => {
  called.length = 0
  events.length = 0
})

describe('a call by call_tool', () => {
  it('is answered with 403 and the scopes of its tool where the token lacks them', async () => {
    const { status, body } = await call('ada read', 'write_notes')
    expect(status).toBe(403)
    expect(body.error).toEqual((await send('ada read', 'write_notes', {})).body.error)
    expect(body.error.message).toContain('write')
    expect(called).toEqual([])
    expect((await call('ada write', 'write_notes')).body.result.content[0].text).toBe('written')
  })

  it('runs the middleware of its tool, and is recorded under its name', async () => {
    const { body } = await call('ada', 'read_notes')
    expect(body.result.content[0].text).toBe('notes of ada')
    expect(called).toEqual(['read_notes'])
    const [event] = events.filter(({ type }) => type === 'request')
    expect(event).toMatchObject({ method: 'tools/call', name: 'read_notes' })
  })

  it('is counted by the limit class of its tool, whichever name was sent', async () => {
    const isOver = ({ body }: Awaited<ReturnType<typeof call>>) => {
      const [{ text }] = body.result.content
      return text.startsWith('Too many calls of the tool count_notes')
    }
    expect(isOver(await call('lim', 'count_notes'))).toBe(false)
    expect(isOver(await call('lim', 'Count-Notes'))).toBe(false)
    expect(isOver(await call('lim', 'mcp__x__count_notes'))).toBe(true)
    expect(isOver(await send('lim', 'count_notes', {}))).toBe(true)
  })

  it('reaches a tool that only some callers see for them alone', async () => {
    expect((await call('admin', 'erase_notes')).body.result.content[0].text).toBe('erased')
    const { body } = await call('ada', 'erase_notes')
    expect(body.result.content[0].text).toContain('There is no tool "erase_notes"')
    const { body: absent } = await call('ada', 'erase_no')
    expect(absent.result.content[0].text).not.toContain('erase_notes')
  })
})

describe('a search', () => {
  it('finds a tool that only some callers see for them alone', async () => {
    expect((await find('admin', 'erase administration')).names[0]).toBe('erase_notes')
    const { names, note } = await find('ada', 'administration')
    expect(names).toEqual([])
    expect(note).toContain('No tool has these words')
    expect((await find('ada', '')).note).toContain('3 of 3 tools')
    expect((await find('admin', '')).note).toContain('4 of 4 tools')
  })

  it('names no area of a tool that only some callers see', async () => {
    const { body } = await connectApp(app, env).modern(
      'tools/list',
      {},
      { headers: { authorization: 'Bearer ada' } },
    )
    expect(JSON.stringify(body)).not.toContain('administration')
  })
})
