/** Tasks of another principal, of another resource, and of a grant that was revoked. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Subject } from '../../clients/auth/browser.ts'
import { type HeldClient, obtainTokens, register, revoke } from '../../support/node/oauth-client.ts'
import { serveProtected } from '../auth/protected-server.ts'
import { untilStatus } from '../auth/resource.ts'
import { TaskCaller } from './task-caller.ts'

const NOT_FOUND = -32602
const MODERN_METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel']
const SESSION_METHODS = ['tasks/get', 'tasks/result', 'tasks/cancel']

const server = serveProtected()
let client: HeldClient
let owner: TaskCaller
let guest: TaskCaller
let elsewhere: TaskCaller

beforeAll(async () => {
  client = await register(server.issuer)
  const callerOf = async (path: string, as?: Subject) => {
    const resource = `${server.issuer}${path}`
    const { access } = await obtainTokens(server.issuer, client, { as, resource })
    return new TaskCaller(resource, access)
  }
  owner = await callerOf('/mcp')
  guest = await callerOf('/mcp', 'guest')
  elsewhere = await callerOf('/other')
})
afterAll(() => {
  expect(server.log()).not.toContain('internal-error')
})

describe('a task of the owner', () => {
  it.each([
    ['another person', () => guest],
    ['the same person at another resource', () => elsewhere],
  ])('does not exist for %s, in either revision', async (_, callerOf) => {
    const taskId = await owner.create('webhook', { name: 'foreign' })
    const other = callerOf()
    const session = await other.openSession()
    for (const method of MODERN_METHODS) expect(await other.codeOf(method, taskId)).toBe(NOT_FOUND)
    for (const method of SESSION_METHODS) {
      const { error } = await session.request(method, { taskId })
      expect([method, error?.code]).toEqual([method, NOT_FOUND])
    }
    expect(await owner.statusOf(taskId)).toBe('working')
  })
})

describe('a grant that was revoked', () => {
  it('neither lists nor reads tasks any more, and ends those that resume; a new one does', async () => {
    const { access, refresh } = await obtainTokens(server.issuer, client, { as: 'guest' })
    const url = `${server.issuer}/mcp`
    const leaver = new TaskCaller(url, access)
    const session = await leaver.openSession()
    const taskId = await leaver.create('webhook', { name: 'leaver' })
    const webhook = await expect
      .poll(async () => String((await leaver.get(taskId)).statusMessage))
      .toMatch(/^http/)
      .then(async () => String((await leaver.get(taskId)).statusMessage))
    await revoke(server.issuer, client, refresh)
    expect(await untilStatus(server.issuer, access, 401)).toBe(401)

    expect((await session.send('tasks/list')).status).toBe(401)
    expect((await leaver.send('tasks/get', { taskId })).status).toBe(401)
    // The webhook is the author's, and the task finds at its resume that its caller has left.
    const headers = { 'content-type': 'application/json' }
    const delivered = await fetch(webhook, { method: 'POST', headers, body: '{"ok":true}' })
    expect(delivered.status).toBe(202)
    await expect.poll(() => guest.statusOf(taskId)).toBe('failed')
    expect((await guest.get(taskId)).error.message).toContain('access')
    const count = { name: 'read_count', arguments: { name: 'leaver-after' } }
    const { result } = await guest.send('tools/call', count)
    expect(result?.structuredContent).toEqual({ value: 0 })
  })
})
