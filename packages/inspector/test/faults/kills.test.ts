/**
 * The admin API of the protected server: the process is killed while a person's data are being deleted, and
 * the access of everyone is revoked while a task waits.
 */
// Base64 of bytes, which Node lacks.
import '#runtime'
import { expect, it, onTestFinished } from 'vitest'
import type { WorkerBundle } from '../../../../scripts/support/bundle-cache.ts'
import { REVOCATION_MARGIN_MS } from '../../../../src/ports/revocations.ts'
import { requestOf } from '../../../../test/attacks/modern.ts'
import { TaskCaller } from '../../../../test/attacks/tasks/task-caller.ts'
import { PASSPHRASES, type Subject } from '../../../../test/clients/auth/browser.ts'
import { withToken } from '../../../../test/faults/definitions/era-client.ts'
import { PersistentServer } from '../../../../test/faults/sessions/persistent-server.ts'
import { HttpSession } from '../../../../test/support/http-session.ts'
import { obtainTokens, register } from '../../../../test/support/node/oauth-client.ts'
import { withClock } from '../../../../test/upgrade/clock.ts'
import { obtainToken } from '../../../testing/src/sign-in.ts'
import { HELD, type HeldCall, withHeldCall } from './held-call.ts'

const TASK_COUNT = 2

/** Each kill finds the deletion further than the one before. */
const KILLS: readonly (HeldCall & { readonly done: string })[] = [
  { method: 'leaveSession', count: 1, done: 'the rows of the session' },
  { method: 'erase', count: 2, done: 'the first task' },
  { method: 'erase', count: 2, done: 'the second task' },
  { method: 'endAll', count: 1, done: 'the state of both resources' },
  { method: 'erase', count: 3, done: 'the account' },
]

async function start() {
  const server = await PersistentServer.start(onTestFinished, { protected: true })
  const { origin: issuer } = new URL(server.url)
  const signIn = async (as: Subject) => {
    const tokens = await obtainTokens(issuer, await register(issuer), { as })
    return new Person(server.url, tokens.access)
  }
  const adminUrl = `${issuer}/admin`
  const asOperator = withToken(
    await obtainToken(async (request) => fetch(request), adminUrl, {
      passphrase: PASSPHRASES.owner,
    }),
  )
  return {
    server,
    signIn,
    async operate(operation: string, subject?: string) {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ operation, subject })
      const response = await asOperator(new Request(adminUrl, { method: 'POST', headers, body }))
      expect(response.status).toBe(200)
      // biome-ignore lint/suspicious/noExplicitAny: each operation has its own result
      return ((await response.json()) as { result: any }).result
    },
    async restart(patch?: (bundle: WorkerBundle) => WorkerBundle) {
      await server.kill()
      await server.startAgain({ samePort: true, patch })
    },
  }
}

class Person extends TaskCaller {
  readonly url: string
  readonly fetch: (request: Request) => Promise<Response>

  constructor(url: string, token: string) {
    super(url, token)
    this.url = url
    this.fetch = withToken(token)
  }

  async call(name: string, args: object) {
    // biome-ignore lint/suspicious/noExplicitAny: each tool has its own result
    return (await this.send('tools/call', { name, arguments: args })).result as any
  }

  /** Starts a task that waits for a webhook, and returns its id once it waits. */
  async startWaiting(name: string): Promise<string> {
    const taskId = await this.create('webhook', { name })
    await expect.poll(() => this.countOf(`${name}-before`), { timeout: 60_000 }).toBe(1)
    return taskId
  }

  async countOf(name: string): Promise<number> {
    return (await this.call('read_count', { name })).structuredContent.value
  }

  async reads(handle: string): Promise<boolean> {
    return (await this.call('state_get', { handle })).isError !== true
  }

  /** The status of a request with its token. */
  async status(): Promise<number> {
    const response = await this.fetch(requestOf(this.url, 'tools/list', {}))
    await response.text()
    return response.status
  }
}

it('a deletion of a person that is killed in the middle is completed by repeating it, and nothing is left', async () => {
  const { server, signIn, operate, restart } = await start()
  const [guest, owner] = [await signIn('guest'), await signIn('owner')]
  const create = async (person: Person) =>
    (await person.call('state_create', { value: 'kept' })).structuredContent.handle
  const [handle, ownHandle] = [await create(guest), await create(owner)]
  const taskIds: string[] = []
  for (let n = 0; n < TASK_COUNT; n++) {
    taskIds.push(await guest.create('wait_event', { name: `task-${n}` }))
  }
  const ownTask = await owner.create('wait_event', { name: 'own' })
  const session = await HttpSession.open(guest, { capabilities: { elicitation: {} } })
  const asking = await session.streamTool('ask_count', { name: 'asked' })
  await asking.message()
  expect((await operate('sessions', 'guest')).sessions).toHaveLength(1)

  const deletions: Promise<string>[] = []
  for (const { done, ...held } of KILLS) {
    await restart((bundle) => withHeldCall(bundle, held))
    const deletion = operate('delete-person', 'guest')
    deletions.push(
      deletion.then(
        () => 'completed',
        () => 'interrupted',
      ),
    )
    await expect
      .poll(() => server.log, { message: `deleted: ${done}`, timeout: 20_000 })
      .toContain(HELD)
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
  expect(await guest.status()).toBe(401)
  const again = await signIn('guest')
  expect(await again.reads(handle)).toBe(false)
  for (const taskId of taskIds) {
    expect(await again.codeOf('tasks/get', taskId)).toBe(-32602)
  }
  const ended = await new HttpSession(again, session.id, '2025-11-25').send('ping')
  expect([ended.status, await ended.text()]).toEqual([404, expect.any(String)])

  expect(await owner.reads(ownHandle)).toBe(true)
  expect(await owner.statusOf(ownTask)).toBe('working')
})

it('a task that waits when the access of everyone is revoked ends at its event, also after a kill, and its next step does not run', async () => {
  const { signIn, operate, restart } = await start()
  const guest = await signIn('guest')
  const taskId = await guest.startWaiting('revoked')
  const { statusMessage } = await guest.get(taskId)
  const [hook = ''] = /https?:\S+/.exec(statusMessage) ?? []
  await operate('revoke-everyone')
  await restart((bundle) => withClock(bundle, 2 * REVOCATION_MARGIN_MS))
  const delivered = await fetch(hook, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"ok":true}',
  })
  expect(delivered.status).toBe(202)
  expect(await guest.status()).toBe(401)
  const again = await signIn('guest')
  await expect.poll(() => again.statusOf(taskId), { timeout: 60_000 }).not.toBe('working')
  const { status, error, result } = await again.get(taskId)
  expect(status).toBe('failed')
  expect(JSON.stringify(error ?? result)).toContain('access of the caller has ended')
  expect(await again.countOf('revoked-after')).toBe(0)
})
