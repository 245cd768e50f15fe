/** Kills the process while a task waits for a Workflow, which waits for an editor. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type LoggedServer, startLoggedServer } from '../../support/node/fixture-server.ts'
import { delay } from '../sessions/delay.ts'

const REVISION = '2026-07-28'
const EXTENSION = 'io.modelcontextprotocol/tasks'

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the wire form
async function send({ url }: LoggedServer, method: string, params: Record<string, any>) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientCapabilities': { extensions: { [EXTENSION]: {} } },
  }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': method,
      'mcp-name': params.name ?? params.taskId,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const { result, error } = (await response.json()) as Record<string, any>
  return result ?? error
}

const configPath = resolve(import.meta.dirname, '../../../examples/workflow/wrangler.toml')

describe('a killed server with a Workflow', () => {
  it('finishes the task with the result of its one instance, over three kills', async ({
    onTestFinished,
  }) => {
    const state = await mkdtemp(join(tmpdir(), 'edgeway-workflow-'))
    const start = () =>
      startLoggedServer({ configPath, port: 0, state, vars: { EDITOR_TOKEN: 'editor' } })
    let server: LoggedServer = await start()
    onTestFinished(async () => {
      await server.stop()
      await rm(state, { recursive: true, force: true })
    })
    const restart = async () => {
      process.kill(server.pid, 'SIGKILL')
      await server.stop()
      server = await start()
    }
    const approve = (taskId: string) =>
      fetch(new URL('/approvals', server.url), {
        method: 'POST',
        headers: { authorization: 'Bearer editor' },
        body: JSON.stringify({ taskId, by: 'Ada' }),
      })

    const draft = { slug: 'hello', text: 'Hello.' }
    const created = await send(server, 'tools/call', { name: 'publish_page', arguments: draft })
    const taskId = created.taskId
    // While the instance is created, then while it waits, then with its event on the way.
    await restart()
    expect((await send(server, 'tasks/get', { taskId })).status).toBe('working')
    await delay(1500)
    await restart()
    expect((await approve(taskId)).status).toBe(202)
    await restart()
    await expect
      .poll(async () => (await send(server, 'tasks/get', { taskId })).status, { timeout: 60_000 })
      .toBe('completed')
    const { result } = await send(server, 'tasks/get', { taskId })
    expect(result.structuredContent).toEqual({ path: '/pages/hello', approvedBy: 'Ada' })
    expect((await approve(taskId)).status).toBe(409)
  })
})
