/** Tools that can be called as tasks only, and clients without tasks. */
// features: admin
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { externalJob } from '../../../src/features/tasks/index.ts'
import { McpServer } from '../../../src/index.ts'
import { openApp, type TestApp } from '../../support/test-app.ts'

function open(): TestApp {
  const server = new McpServer({ name: 'task-only', version: '1.0.0' })
  server.registerTool('report', { task: 'required' }, () => 'done')
  server.registerTool('order', { task: 'required' }, () => 'done')
  const job = externalJob({
    start: () => 'id',
    status: () => ({ state: 'completed', output: 'done' }),
    cancel: () => undefined,
  })
  server.registerJob('render', {}, job)
  return openApp(server, {}, env)
}

const NO_REPEAT = 'Do not call it again from this client: use another tool, or tell the person.'
const OPTIONAL =
  "With task: 'optional', any client can call the tool, and get_result waits for its result"

const call = (app: TestApp, name: string) => app.modern('tools/call', { name })

const warningsOf = ({ events }: TestApp) =>
  events.filter(({ type }) => type === 'definition-warning')

describe('a tool with task "required"', () => {
  it('says in its error what a client of 2026-07-28 lacks and what the model does next', async () => {
    const { status, body } = await call(open(), 'report')
    expect(status).toBe(400)
    expect(body.error).toEqual({
      code: -32021,
      message: `Tool report runs as a task only, and this client has not declared io.modelcontextprotocol/tasks. Clients that declare it: Claude Code and MCP Inspector. ${NO_REPEAT}`,
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    })
  })

  it.for([
    [
      '2025-11-25',
      'this client has not sent params.task, as those with the capability tasks do. Clients that declare it: VS Code and mcpc',
    ],
    [
      '2025-06-18',
      'revision 2025-06-18 has no io.modelcontextprotocol/tasks. Clients that declare it: Claude Code and MCP Inspector',
    ],
  ] as const)('says it to a client of %s too', async ([version, lacking]) => {
    const { body } = await open().session('tools/call', { name: 'report' }, version)
    expect(body.error).toEqual({
      code: -32601,
      message: `Tool report runs as a task only, and ${lacking}. ${NO_REPEAT}`,
    })
  })

  it('tells the author of a job that it can be a tool', async () => {
    const app = open()
    await call(app, 'render')
    expect(warningsOf(app)).toMatchObject([
      { message: expect.stringContaining("registerTool with task: 'optional' instead of a job") },
    ])
  })

  it('warns telemetry once for each tool that it shuts most clients out', async () => {
    const app = open()
    for (const name of ['report', 'report', 'order', 'report']) await call(app, name)
    await app.session('tools/call', { name: 'report' })
    const message = `task "required" has refused a client, and most clients have no tasks. ${OPTIONAL}`
    expect(warningsOf(app)).toEqual([
      { type: 'definition-warning', subject: 'Tool report', message },
      { type: 'definition-warning', subject: 'Tool order', message },
    ])
  })

  it('warns about at most a hundred tools of one server', async () => {
    const server = new McpServer({ name: 'task-only', version: '1.0.0' })
    for (let count = 0; count < 102; count++) {
      server.registerTool(`report_${count}`, { task: 'required' }, () => 'done')
    }
    const app = openApp(server, {}, env)
    for (let count = 0; count < 102; count++) await call(app, `report_${count}`)
    expect(warningsOf(app)).toHaveLength(100)
  })

  it('warns about nothing while its clients have tasks', async () => {
    const app = open()
    const meta = {
      'io.modelcontextprotocol/clientCapabilities': {
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
    }
    await app.modern('tools/call', { name: 'report' }, { meta })
    expect(warningsOf(app)).toEqual([])
  })
})
