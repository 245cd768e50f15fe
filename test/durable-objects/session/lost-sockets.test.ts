// features: changes
import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { HubObject } from '../../../durable-objects/hub/hub-object.ts'
import { createFullEdgeway } from '../../support/full-app.ts'
import { intercepting, objectsOfKind } from '../../support/objects.ts'
import { openSession, openSessionApp, type SessionClient } from '../../support/session-client.ts'
import { sessionServer } from '../../support/session-server.ts'
import { kill } from './lifetime.ts'

const { notify } = createFullEdgeway(sessionServer, {})

const TOOLS_CHANGED = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }
const PROMPTS_CHANGED = { jsonrpc: '2.0', method: 'notifications/prompts/list_changed' }

/** Bindings whose stream sockets open only while the gate is open. */
function gatedSockets() {
  let opened = 0
  let gate = Promise.resolve()
  const bindings = intercepting({ ...env }, 'session', {
    async fetch(_, next) {
      await gate
      const response = await next()
      opened += 1
      return response
    },
  })
  return {
    bindings,
    opened: () => opened,
    /** Delays every socket until the returned function is called. */
    shut() {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return resolve
    },
  }
}

async function loseSockets(session: SessionClient) {
  await evictDurableObject(await session.stub(), { webSockets: 'close' })
}

describe.each([
  ['lost', loseSockets],
  ['lost with its object', kill],
])('a stream socket that is %s', (_, lose) => {
  it("is opened again, without any effect on the client's stream", async () => {
    const { bindings, opened } = gatedSockets()
    const session = await openSession({}, openSessionApp({}, bindings))
    const idle = await session.listen()
    expect(await idle.next()).toEqual({ comment: 'open' })
    expect(await idle.next()).toHaveProperty('retry')
    const call = await session.stream(async ({ listRoots }) => `${(await listRoots()).length}`)
    const question = await call.message()
    expect(opened()).toBe(2)
    await lose(session)
    await expect.poll(opened).toBe(4)
    await notify(env).toolsChanged()
    expect(await idle.message()).toEqual(TOOLS_CHANGED)
    expect(await session.answer(question, { roots: [] })).toBe(202)
    expect(await call.rest()).toMatchObject([{ result: { content: [{ text: '0' }] } }])
  })

  it('delivers an answer that came before it was open again', async () => {
    const { bindings, shut } = gatedSockets()
    const session = await openSession({}, openSessionApp({}, bindings))
    const call = await session.stream(async ({ listRoots }) => `${(await listRoots()).length}`)
    const question = await call.message()
    const open = shut()
    await lose(session)
    expect(await session.answer(question, { roots: [] })).toBe(202)
    open()
    expect(await call.rest()).toMatchObject([{ result: { content: [{ text: '0' }] } }])
  })

  it('delivers a change that came before it was open again', async () => {
    const { bindings, shut } = gatedSockets()
    const session = await openSession({}, openSessionApp({}, bindings))
    const idle = await session.listen()
    await notify(env).toolsChanged()
    expect(await idle.message()).toEqual(TOOLS_CHANGED)
    const open = shut()
    await lose(session)
    await notify(env).promptsChanged()
    open()
    expect(await idle.message()).toEqual(PROMPTS_CHANGED)
    await notify(env).toolsChanged()
    expect(await idle.message()).toEqual(TOOLS_CHANGED)
  })
})

describe('a lost hub', () => {
  it('leaves no stream without changes: the stream continues, or ends and can be resumed', async () => {
    const session = await openSession()
    const idle = await session.listen()
    await notify(env).toolsChanged()
    expect(await idle.message()).toEqual(TOOLS_CHANGED)
    await evictDurableObject(objectsOfKind<HubObject>('hub').named('0'), {
      webSockets: 'close',
    })
    await notify(env).promptsChanged()
    const next = (await idle.message()) ?? (await (await session.listen(idle.lastId)).message())
    expect(next).toEqual(PROMPTS_CHANGED)
  })
})
