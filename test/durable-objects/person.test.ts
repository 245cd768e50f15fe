/** What is stored about one person: found through the indexes, and deleted, also by a deletion that was interrupted. */
// features: sessions, timeline, admin
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { PrincipalsObject } from '../../durable-objects/keyring/principals-object.ts'
import { shardOf } from '../../durable-objects/keyring/shards.ts'
import { TaskIndex } from '../../durable-objects/task/task-index.ts'
import { personDigest, principalDigest } from '../../src/protocol/principal.ts'
import { bucket } from '../dispatch/files/storage.ts'
import { initialize } from '../support/http-session.ts'
import { objectsOfKind } from '../support/objects.ts'
import { keepHandler } from '../support/session-server.ts'
import {
  AUTHORIZED_AUDIENCE,
  authorizedAdmin,
  authorizedControl,
  openAuthorizedTaskApp,
} from '../support/task-server.ts'
import { ENDPOINT } from '../support/test-app.ts'
import { as, run } from './state/run.ts'

const ISSUER = 'https://tasks.example.com'
const PLACES = [{ issuer: ISSUER, resource: `${ISSUER}/mcp` }]
const app = openAuthorizedTaskApp()

const principals = objectsOfKind<PrincipalsObject>('principals')

interface RpcStub {
  call(kind: string, method: string, parameters: readonly unknown[]): Promise<unknown>
}

const digestOf = (subject: string) =>
  principalDigest({ issuer: ISSUER, subject, resource: `${ISSUER}/mcp` })

const fetchAs =
  (subject: string) =>
  (request: Request): Promise<Response> => {
    const headers = new Headers(request.headers)
    headers.set('authorization', `Bearer ${subject}`)
    return app.fetch(new Request(request, { headers }))
  }

/** A session whose object stores rows, and is counted. */
async function openSession(subject: string): Promise<string> {
  const fetch = fetchAs(subject)
  const id = await initialize({ url: ENDPOINT, fetch }, {})
  const handler = keepHandler(async (ctx) => {
    await ctx.log?.('info', 'stored')
    return 'done'
  })
  const response = await call(fetch, id, 'plain', handler)
  await response.text()
  return id
}

function call(
  fetch: ReturnType<typeof fetchAs>,
  sessionId: string,
  name: string,
  handler: object,
): Promise<Response> {
  return fetch(
    new Request(ENDPOINT, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': sessionId,
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: crypto.randomUUID(),
        method: 'tools/call',
        params: { name, arguments: handler },
      }),
    }),
  )
}

const sessionsOf = (subject: string) => authorizedAdmin(env).sessions(subject, PLACES)

/** The number of files of a person in the bucket. */
async function filesOf(subject: string): Promise<number> {
  const { objects } = await bucket.list()
  const texts = objects.map(async ({ key }) => (await bucket.get(key))?.text())
  return (await Promise.all(texts)).filter((text) => text === `of ${subject}`).length
}

async function leaveData(subject: string) {
  const client = as(subject)
  const handle = await run((ctx) => ctx.state.create({ secret: subject }), client)
  await run((ctx) => ctx.state.principal.set('color', 'green'), client)
  await run(async (ctx) => (await ctx.file('letter.txt', `of ${subject}`)).uri, client)
  const finished = await client.start(async () => 'the result')
  await client.reaches(finished, 'completed')
  const waiting = await client.start(async (ctx) => JSON.stringify(await ctx.waitFor('never')))
  const session = await openSession(subject)
  return { client, handle, tasks: [finished, waiting], session }
}

async function expectNothing(subject: string, left: Awaited<ReturnType<typeof leaveData>>) {
  const { client, handle, tasks } = left
  expect((await authorizedControl.list(subject)).tasks).toEqual([])
  for (const task of tasks) expect(await authorizedControl.get(task)).toBeUndefined()
  expect(await run((ctx) => ctx.state.principal.get('color'), client)).toBeUndefined()
  await expect(run((ctx) => ctx.state.get(handle), client)).rejects.toThrow()
  expect(await sessionsOf(subject)).toEqual([])
}

describe('the deletion of a person', () => {
  it('deletes state, tasks and sessions, and leaves those of others', async () => {
    const [gone, stays] = ['delete-gone', 'delete-stays']
    const left = await leaveData(gone)
    const others = await leaveData(stays)
    expect(await sessionsOf(gone)).toHaveLength(1)
    expect(await filesOf(gone)).toBe(1)
    expect(await authorizedAdmin(env).deletePerson(gone, PLACES)).toEqual({
      grants: 0,
      personalTokens: 0,
      consents: 0,
      sessions: 1,
      subscriptions: 0,
      tasks: 2,
      states: 1,
      tasksLeft: 0,
    })
    const ended = await call(
      fetchAs(gone),
      left.session,
      'plain',
      keepHandler(() => 'x'),
    )
    expect(ended.status).toBe(404)
    await ended.text()
    await expectNothing(gone, left)
    expect([await filesOf(gone), await filesOf(stays)]).toEqual([0, 1])
    expect(await run((ctx) => ctx.state.principal.get('color'), others.client)).toBe('green')
    expect(await sessionsOf(stays)).toHaveLength(1)
    expect((await authorizedControl.list(stays)).tasks).toHaveLength(2)
  })

  it('finds nothing at the second time', async () => {
    const subject = 'delete-twice'
    await leaveData(subject)
    await authorizedAdmin(env).deletePerson(subject, PLACES)
    expect(await authorizedAdmin(env).deletePerson(subject, PLACES)).toEqual({
      grants: 0,
      personalTokens: 0,
      consents: 0,
      sessions: 0,
      subscriptions: 0,
      tasks: 0,
      states: 0,
      tasksLeft: 0,
    })
  })

  it.each(['session', 'task', 'state'])(
    'that was interrupted at a %s object is completed by another call',
    async (kind) => {
      const subject = `delete-interrupted-${kind}`
      const left = await leaveData(subject)
      const MCP_OBJECTS = {
        getByName: (name: string) => {
          if (name.startsWith(`${kind}:`)) throw new Error('The isolate was killed here')
          return env.MCP_OBJECTS.getByName(name)
        },
      }
      const interrupted = authorizedAdmin({ ...env, MCP_OBJECTS } as never)
      await expect(interrupted.deletePerson(subject, PLACES)).rejects.toThrow('killed here')
      await authorizedAdmin(env).deletePerson(subject, PLACES)
      await expectNothing(subject, left)
    },
  )

  it('deletes what calls that were running have written after their data was deleted', async () => {
    const subject = 'delete-running'
    const [principal] = [await digestOf(subject), await leaveData(subject)]
    const written: Awaited<ReturnType<typeof leaveData>>[] = []
    const MCP_OBJECTS = {
      getByName: (name: string) => ({
        call: async (kind: string, method: string, parameters: readonly unknown[]) => {
          const stub = env.MCP_OBJECTS.getByName(name) as unknown as RpcStub
          const returned = await stub.call(kind, method, parameters)
          const isErased = name === `state:${principal}` && method === 'erase'
          if (isErased && written.length === 0) written.push(await leaveData(subject))
          return returned
        },
      }),
    }
    const { deletePerson } = authorizedAdmin({ ...env, MCP_OBJECTS } as never)
    const deleted = await deletePerson(subject, PLACES)
    expect(deleted).toMatchObject({ sessions: 2, tasks: 4, states: 1, tasksLeft: 0 })
    const [late] = written
    if (late === undefined) throw new Error('The state was not deleted')
    await expectNothing(subject, late)
    expect(await filesOf(subject)).toBe(0)
  })

  it('removes a session from the list whose object has no rows any more', async () => {
    const person = await personDigest({ issuer: ISSUER, subject: 'delete-listed' })
    const shard = principals.named(shardOf(person))
    await shard.enterSession(
      person,
      'a-session-without-rows',
      Date.now() + 60_000,
      10,
      AUTHORIZED_AUDIENCE,
    )
    await authorizedAdmin(env).deletePerson('delete-listed', PLACES)
    expect(await shard.listSessions(person)).toEqual([])
  })
})

describe('the end of one session', () => {
  it('ends it for its client, and is no effect for the name of another person', async () => {
    const session = await openSession('session-owner')
    const [listed] = await sessionsOf('session-owner')
    const { endSession } = authorizedAdmin(env)
    expect(await endSession('another', listed?.name ?? '', PLACES)).toBe(false)
    expect(await endSession('session-owner', 'invented', PLACES)).toBe(false)
    expect(await endSession('session-owner', listed?.name ?? '', PLACES)).toBe(true)
    const response = await call(
      fetchAs('session-owner'),
      session,
      'plain',
      keepHandler(() => 'x'),
    )
    expect(response.status).toBe(404)
    await response.text()
  })
})

describe('the tasks of a person', () => {
  it('are listed, and one of them is cancelled by its id, also a second time', async () => {
    const client = as('task-owner')
    const taskId = await client.start(async (ctx) => JSON.stringify(await ctx.waitFor('never')))
    const { tasks, endTask } = authorizedAdmin(env)
    expect(await tasks('task-owner')).toEqual([
      { taskId, status: 'working', createdAt: expect.any(Number) },
    ])
    expect(await endTask(taskId)).toBe(true)
    expect((await client.get(taskId)).status).toBe('cancelled')
    expect(await endTask(taskId)).toBe(true)
    expect(await endTask('1aaaaaaaa.AAAA')).toBe(false)
  })

  it('are cancelled to the last one, however many the index lists', async () => {
    const subject = 'task-many'
    const client = as(subject)
    const oldest = await client.start(async (ctx) => JSON.stringify(await ctx.waitFor('never')))
    const index = new TaskIndex(principals, AUTHORIZED_AUDIENCE)
    const [{ issuer, resource } = { issuer: '', resource: '' }] = PLACES
    const auth = { issuer, subject, resource, clientId: 'any', scopes: [], props: {} }
    const owner = (await index.ownerOf({ auth, network: '' })) ?? ''
    const createdAt = Date.now() + 1
    for (let n = 0; n < 50; n++) {
      const task = { name: `without-rows-${n}`, createdAt, expiresAt: createdAt + 3_600_000 }
      await index.enter({ owner, auth, ...task }, 100)
    }
    const revoked = await authorizedAdmin(env).revokePerson(subject, PLACES)
    expect(revoked.tasks).toBe(51)
    expect((await client.get(oldest)).status).toBe('cancelled')
  })

  it('are cancelled when the access of the person is revoked', async () => {
    const client = as('task-revoked')
    const taskId = await client.start(async (ctx) => JSON.stringify(await ctx.waitFor('never')))
    expect(await authorizedAdmin(env).revokePerson('task-revoked', PLACES)).toMatchObject({
      tasks: 1,
    })
    expect((await client.get(taskId)).status).toBe('cancelled')
  })
})
