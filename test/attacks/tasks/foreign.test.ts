/** Tasks and webhooks of another principal, of another resource, and of a grant that was revoked. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GUEST } from '../auth/browser.ts'
import { obtainTokens, type Registered, register } from '../auth/client.ts'
import { serveProtected } from '../auth/protected-server.ts'
import { untilStatus } from '../auth/resource.ts'
import { postForm } from '../auth/send.ts'
import { TaskCaller } from './task-caller.ts'

const NOT_FOUND = -32602
const MODERN_METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel']
const SESSION_METHODS = ['tasks/get', 'tasks/result', 'tasks/cancel']

const server = serveProtected()
let client: Registered
let owner: TaskCaller
let guest: TaskCaller
let elsewhere: TaskCaller

beforeAll(async () => {
  client = await register(server.issuer)
  const callerOf = async (path: string, changes: Record<string, string>) => {
    const resource = `${server.issuer}${path}`
    const { access } = await obtainTokens(server.issuer, client, { ...changes, resource })
    return new TaskCaller(resource, access)
  }
  owner = await callerOf('/mcp', {})
  guest = await callerOf('/mcp', { passphrase: GUEST })
  elsewhere = await callerOf('/other', {})
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

  it('is answered like a task that does not exist', async () => {
    const taskId = await owner.create('webhook', { name: 'oracle' })
    const foreign = await guest.get(taskId)
    expect(foreign).toEqual(await guest.get(`${taskId.slice(0, -4)}AAAA`))
  })

  it('does not exist without a token', async () => {
    const taskId = await owner.create('webhook', { name: 'anonymous' })
    const anonymous = new TaskCaller(`${server.issuer}/mcp`)
    for (const method of MODERN_METHODS) {
      expect((await anonymous.send(method, { taskId, inputResponses: {} })).status).toBe(401)
    }
  })

  it('belongs to the person and not to the client: another client of the same person reads it', async () => {
    const taskId = await owner.create('webhook', { name: 'program' })
    const { access } = await obtainTokens(server.issuer, await register(server.issuer))
    const program = new TaskCaller(`${server.issuer}/mcp`, access)
    expect(await program.statusOf(taskId)).toBe('working')
  })
})

describe('tasks/list of 2025-11-25', () => {
  const idsOf = async (caller: TaskCaller, params = {}): Promise<readonly string[]> => {
    const { result } = await (await caller.openSession()).request('tasks/list', params)
    return result.tasks.map(({ taskId }: { readonly taskId: string }) => taskId)
  }

  it('lists the tasks of the principal alone', async () => {
    const own = await owner.create('webhook', { name: 'listed' })
    const others = [
      await guest.create('webhook', { name: 'g' }),
      await elsewhere.create('webhook', { name: 'e' }),
    ]
    const listed = await idsOf(owner)
    expect(listed).toContain(own)
    for (const other of others) expect(listed).not.toContain(other)
  })

  it.each([
    ['a number', 7],
    ['an object', {}],
    ['an array', []],
    ['empty', ''],
    ['a word', 'next'],
    ['a cursor of no list', Buffer.from('{"source":"tools"}').toString('base64url')],
    ['of 60,000 characters', 'x'.repeat(60_000)],
  ])('refuses a cursor with -32602 that is %s', async (_, cursor) => {
    const session = await owner.openSession()
    expect((await session.request('tasks/list', { cursor })).error?.code).toBe(-32602)
  })

  it('shows nothing of another principal for its cursor', async () => {
    for (let n = 0; n < 21; n++) await guest.create('webhook', { name: `page-${n}` })
    const session = await guest.openSession()
    const { nextCursor } = (await session.request('tasks/list')).result
    expect(nextCursor).toBeTypeOf('string')
    const own = new Set(await idsOf(owner))
    for (const taskId of await idsOf(owner, { cursor: nextCursor })) expect(own).toContain(taskId)
  })
})

describe('a grant that was revoked', () => {
  it('neither lists nor reads tasks any more, and ends those that resume; a new one does', async () => {
    const { access, refresh } = await obtainTokens(server.issuer, client, { passphrase: GUEST })
    const url = `${server.issuer}/mcp`
    const leaver = new TaskCaller(url, access)
    const session = await leaver.openSession()
    const taskId = await leaver.create('webhook', { name: 'leaver' })
    const webhook = await expect
      .poll(async () => String((await leaver.get(taskId)).statusMessage))
      .toMatch(/^http/)
      .then(async () => String((await leaver.get(taskId)).statusMessage))
    await postForm(server.issuer, '/revoke', { token: refresh, client_id: client.id })
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

describe('the URL of a webhook', () => {
  it('is no task id, and a task id is no URL of a webhook', async () => {
    const taskId = await owner.create('webhook', { name: 'swapped' })
    await expect.poll(async () => (await owner.get(taskId)).statusMessage).toMatch(/^http/)
    const url = String((await owner.get(taskId)).statusMessage)
    const secret = url.slice(url.lastIndexOf('/') + 1)
    expect(await owner.codeOf('tasks/get', secret)).toBe(NOT_FOUND)
    const post = (target: string, init: RequestInit = {}) =>
      fetch(target, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"ok":true}',
        ...init,
      })
    const refused: readonly (readonly [string, RequestInit | undefined, number])[] = [
      [url.replace(secret, taskId), undefined, 404],
      [url.replace(secret, ''), undefined, 404],
      [url.replace(secret, 'x'.repeat(6000)), undefined, 404],
      [
        url.replace(secret, `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`),
        undefined,
        404,
      ],
      [url.replace(secret, secret.toLowerCase()), undefined, 404],
      [`${url}/x`, undefined, 404],
      [url, { method: 'PUT' }, 405],
      [url, { method: 'DELETE' }, 405],
      [url, { method: 'OPTIONS', body: null }, 405],
      [url, { headers: { 'content-type': 'text/plain' } }, 415],
      [url, { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } }, 415],
      [url, { body: '' }, 400],
      [url, { body: '{"ok":"yes"}' }, 422],
    ]
    for (const [target, init, status] of refused) {
      const response = await post(target, init)
      await response.body?.cancel()
      expect([target.replace(secret, 'SECRET'), init, response.status]).toEqual([
        target.replace(secret, 'SECRET'),
        init,
        status,
      ])
    }
    expect(await owner.statusOf(taskId)).toBe('working')
    expect((await post(url)).status).toBe(202)
    await expect.poll(() => owner.statusOf(taskId)).toBe('completed')
    expect((await post(url)).status).toBe(410)
  })
})
