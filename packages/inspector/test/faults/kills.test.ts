/**
 * The admin API of the protected server: the process is killed while a person's data are being deleted, and
 * the access of everyone is revoked while a task waits.
 */
// Base64 of bytes, which Node lacks.
import '#runtime'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { bundleWorker } from '../../../../scripts/support/bundle.ts'
import { protectedServer } from '../../../../scripts/support/fixture-servers.ts'
import { findFreePort } from '../../../../scripts/support/free-port.ts'
import { REVOCATION_MARGIN_MS } from '../../../../src/ports/revocations.ts'
import { GUEST, OWNER } from '../../../../test/attacks/auth/browser.ts'
import { obtainTokens, register } from '../../../../test/attacks/auth/client.ts'
import { requestOf } from '../../../../test/attacks/modern.ts'
import { withToken } from '../../../../test/faults/definitions/era-client.ts'
import { HttpSession } from '../../../../test/support/http-session.ts'
import { startLoggedServer } from '../../../../test/support/node/fixture-server.ts'
import { readMessage } from '../../../../test/support/sse-reader.ts'
import { withClock } from '../../../../test/upgrade/clock.ts'
import { obtainToken } from '../../../testing/src/sign-in.ts'
import { HELD, type HeldCall, withHeldCall } from './held-call.ts'

const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

const TASK_COUNT = 2

/** Each kill finds the deletion further than the one before. */
const KILLS: readonly (HeldCall & { readonly done: string })[] = [
  { method: 'leaveSession', count: 1, done: 'the rows of the session' },
  { method: 'erase', count: 2, done: 'the first task' },
  { method: 'erase', count: 2, done: 'the second task' },
  { method: 'endAll', count: 1, done: 'the state of both resources' },
  { method: 'erase', count: 3, done: 'the account' },
]

interface Start {
  /** Of the clock of the server. */
  readonly aheadMs?: number
  readonly held?: HeldCall
}

async function start() {
  const state = await mkdtemp(join(tmpdir(), 'edgeway-admin-'))
  const port = await findFreePort()
  const open = async ({ aheadMs = 0, held }: Start = {}) => {
    const served = await protectedServer({ port, state })
    const clocked = withClock(await bundleWorker(served.configPath), aheadMs)
    const bundle = held === undefined ? clocked : withHeldCall(clocked, held)
    return startLoggedServer({ ...served, bundle })
  }
  let server = await open()
  onTestFinished(async () => {
    await server.stop()
    await rm(state, { recursive: true, force: true })
  })
  const issuer = new URL(server.url).origin
  const url = `${issuer}/mcp`
  const signIn = async (passphrase: string) => {
    const client = await register(issuer)
    const { access } = await obtainTokens(issuer, client, { passphrase, resource: url })
    return new Person(url, access)
  }
  const adminUrl = `${issuer}/admin`
  const operator = new Person(
    adminUrl,
    await obtainToken(async (request) => fetch(request), adminUrl, { passphrase: OWNER }),
  )
  return {
    signIn,
    async operate(operation: string, subject?: string) {
      const response = await operator.fetch(
        new Request(adminUrl, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ operation, subject }),
        }),
      )
      expect(response.status).toBe(200)
      // biome-ignore lint/suspicious/noExplicitAny: each operation has its own result
      return ((await response.json()) as { result: any }).result
    },
    async restart(options?: Start) {
      process.kill(server.pid, 'SIGKILL')
      await server.stop()
      server = await open(options)
    },
    isHeld: () => server.log().includes(HELD),
  }
}

class Person {
  readonly url: string
  readonly fetch: (request: Request) => Promise<Response>

  constructor(url: string, token: string) {
    this.url = url
    this.fetch = withToken(token)
  }

  async request(method: string, params: { readonly [member: string]: unknown }) {
    const name = String(params.name ?? params.taskId)
    return readMessage(
      await this.fetch(requestOf(this.url, method, params, name, undefined, TASKS)),
    )
  }

  call(name: string, args: object) {
    return this.request('tools/call', { name, arguments: args })
  }

  /** Starts a task that waits for an event, and returns its id once it waits. */
  async startWaiting(tool: 'wait_event' | 'webhook', name: string): Promise<string> {
    const { taskId } = (await this.call(tool, { name })).result
    await expect.poll(() => this.countOf(`${name}-before`), { timeout: 60_000 }).toBe(1)
    return taskId
  }

  async countOf(name: string): Promise<number> {
    return (await this.call('read_count', { name })).result.structuredContent.value
  }

  async reads(handle: string): Promise<boolean> {
    return (await this.call('state_get', { handle })).result.isError !== true
  }
}

it('a deletion of a person that is killed in the middle is completed by repeating it, and nothing is left', async () => {
  const { signIn, operate, restart, isHeld } = await start()
  const [guest, owner] = [await signIn(GUEST), await signIn(OWNER)]
  const create = async (person: Person) =>
    (await person.call('state_create', { value: 'kept' })).result.structuredContent.handle
  const [handle, ownHandle] = [await create(guest), await create(owner)]
  const taskIds: string[] = []
  for (let n = 0; n < TASK_COUNT; n++) {
    taskIds.push((await guest.call('wait_event', { name: `task-${n}` })).result.taskId)
  }
  const ownTask = (await owner.call('wait_event', { name: 'own' })).result.taskId
  const session = await HttpSession.open(guest, { capabilities: { elicitation: {} } })
  const asking = await session.streamTool('ask_count', { name: 'asked' })
  await asking.message()
  expect((await operate('sessions', 'guest')).sessions).toHaveLength(1)

  const deletions: Promise<string>[] = []
  for (const { done, ...held } of KILLS) {
    await restart({ held })
    const deletion = operate('delete-person', 'guest')
    deletions.push(
      deletion.then(
        () => 'completed',
        () => 'interrupted',
      ),
    )
    await expect.poll(isHeld, { message: `deleted: ${done}`, timeout: 20_000 }).toBe(true)
  }
  await restart()
  expect(await Promise.all(deletions)).toEqual(KILLS.map(() => 'interrupted'))

  const repeated = await operate('delete-person', 'guest')
  expect(repeated).toMatchObject({ tasksLeft: 0 })
  for (const operation of ['tasks', 'sessions', 'grants']) {
    expect(Object.values(await operate(operation, 'guest')).flat(), operation).toEqual([])
  }
  expect(await operate('delete-person', 'guest')).toEqual({
    grants: 0,
    personalTokens: 0,
    consents: 0,
    sessions: 0,
    subscriptions: 0,
    tasks: 0,
    states: 0,
    tasksLeft: 0,
  })
  const refused = await guest.fetch(requestOf(guest.url, 'tools/list', {}))
  expect(refused.status).toBe(401)
  await refused.text()
  const again = await signIn(GUEST)
  expect(await again.reads(handle)).toBe(false)
  for (const taskId of taskIds) {
    expect((await again.request('tasks/get', { taskId })).error.code).toBe(-32602)
  }
  const ended = await new HttpSession(again, session.id, '2025-11-25').send('ping')
  expect([ended.status, await ended.text()]).toEqual([404, expect.any(String)])

  expect(await owner.reads(ownHandle)).toBe(true)
  expect((await owner.request('tasks/get', { taskId: ownTask })).result.status).toBe('working')
})

it('a task that waits when the access of everyone is revoked ends at its event, also after a kill, and its next step does not run', async () => {
  const { signIn, operate, restart } = await start()
  const guest = await signIn(GUEST)
  const taskId = await guest.startWaiting('webhook', 'revoked')
  const { statusMessage } = (await guest.request('tasks/get', { taskId })).result
  const [hook = ''] = /https?:\S+/.exec(statusMessage) ?? []
  await operate('revoke-everyone')
  await restart({ aheadMs: 2 * REVOCATION_MARGIN_MS })
  const delivered = await fetch(hook, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"ok":true}',
  })
  expect(delivered.status).toBe(202)
  const refused = await guest.fetch(requestOf(guest.url, 'tools/list', {}))
  expect(refused.status).toBe(401)
  await refused.text()
  const again = await signIn(GUEST)
  const stateOf = async () => (await again.request('tasks/get', { taskId })).result
  await expect.poll(async () => (await stateOf()).status, { timeout: 60_000 }).not.toBe('working')
  const { status, error, result } = await stateOf()
  expect(status).toBe('failed')
  expect(JSON.stringify(error ?? result)).toContain('access of the caller has ended')
  expect(await again.countOf('revoked-after')).toBe(0)
})
