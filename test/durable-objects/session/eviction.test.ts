// features: changes
import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createFullEdgeway } from '../../support/full-app.ts'
import { openSession, type SessionClient, textOf } from '../../support/session-client.ts'
import { keepHandler, sessionServer } from '../../support/session-server.ts'
import { SseReader } from '../../support/sse-reader.ts'

const { notify } = createFullEdgeway(sessionServer, {})

const CONFIRM = { key: 'confirm', message: 'Sure?', schema: z.object({ ok: z.boolean() }) }

const TOOLS_CHANGED = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }

async function evict(session: SessionClient) {
  await evictDurableObject(await session.stub())
}

/** An object that is not in memory cannot be evicted. */
async function expectEvicted(session: SessionClient) {
  await expect(evict(session)).rejects.toThrow(/not running|not currently running/)
}

describe('a session object with an open standalone stream and an open ask', () => {
  it('delivers changes and completes the call after every eviction', async () => {
    const session = await openSession()
    const idle = await session.listen()
    expect(await idle.next()).toEqual({ comment: 'open' })
    const ran: string[] = []
    const call = await session.stream(
      async (ctx) => {
        ran.push('handler')
        await ctx.progress(1, 2)
        await ctx.log('info', 'asking')
        const build = await ctx.step('build', () => ran.push('step'))
        const { action } = await ctx.elicit(CONFIRM)
        await ctx.progress(2, 2)
        return `${action} ${build}`
      },
      { progressToken: 'p' },
    )
    expect((await call.message()).params).toEqual({ progressToken: 'p', progress: 1, total: 2 })
    expect((await call.message()).method).toBe('notifications/message')
    const question = await call.message()
    expect(question.method).toBe('elicitation/create')

    await evict(session)
    await expectEvicted(session)
    await notify(env).toolsChanged()
    expect(await idle.message()).toEqual(TOOLS_CHANGED)
    await evict(session)
    await notify(env).promptsChanged()
    expect((await idle.message()).method).toBe('notifications/prompts/list_changed')

    await evict(session)
    await expectEvicted(session)
    expect(await session.answer(question, { action: 'accept', content: { ok: true } })).toBe(202)
    expect((await call.message()).params).toEqual({ progressToken: 'p', progress: 2, total: 2 })
    expect(textOf(await call.message())).toBe('accept 2')
    expect(await call.message()).toBeUndefined()
    expect(ran).toEqual(['handler', 'step', 'handler'])

    await notify(env).toolsChanged()
    expect(await idle.message()).toEqual(TOOLS_CHANGED)
  })

  it('stays evicted while heartbeats and keep-alive comments are sent', async () => {
    const session = await openSession()
    const idle = await session.listen()
    const call = await session.stream(async ({ listRoots }) => `${(await listRoots()).length}`)
    await call.message()
    await evict(session)
    // A young stream sends a comment every second.
    expect(await idle.next()).toEqual({ comment: 'open' })
    while ((await idle.next())?.comment !== 'keepalive');
    while ((await call.next())?.comment !== 'keepalive');
    await expectEvicted(session)
  })
})

describe('a call that asks', () => {
  it('completes while its client is disconnected, which receives the result when it reconnects', async () => {
    const session = await openSession()
    const call = await session.stream(async ({ listRoots }) => `${(await listRoots()).length}`)
    const question = await call.message()
    await call.leave()
    await evict(session)
    expect(await session.answer(question, { roots: [] })).toBe(202)
    const back = await session.listen(call.lastId)
    expect(await back.rest()).toMatchObject([{ id: 1, result: { content: [{ text: '0' }] } }])
  })

  it.each(['resource', 'prompt'])('can be a request for a %s', async (kind) => {
    const session = await openSession()
    const { script } = keepHandler(async ({ listRoots }) => `${(await listRoots()).length} folders`)
    const response =
      kind === 'resource'
        ? await session.send('resources/read', { uri: `script://${script}` })
        : await session.send('prompts/get', { name: 'run', arguments: { script } })
    const call = new SseReader(response)
    const question = await call.message()
    await evict(session)
    await session.answer(question, { roots: [] })
    expect(JSON.stringify(await call.message())).toContain('0 folders')
  })
})

describe('the settings of a client', () => {
  it('keep the log level across an eviction', async () => {
    const session = await openSession()
    await session.request('logging/setLevel', { level: 'error' })
    await evict(session)
    const call = await session.stream(async ({ log }) => {
      await log('warning', 'not this')
      await log('error', 'but this')
      return 'done'
    })
    expect((await call.rest()).map(({ params }) => params?.data)).toEqual(['but this', undefined])
  })

  it('keep the subscriptions across an eviction', async () => {
    const session = await openSession()
    await session.request('resources/subscribe', { uri: 'note://a' })
    const idle = await session.listen()
    await evict(session)
    await notify(env).resourceUpdated('item://other')
    await notify(env).resourceUpdated('note://a')
    expect(await idle.message()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri: 'note://a' },
    })
  })

  it('deliver a change that happened before the client opened its stream', async () => {
    const session = await openSession()
    await session.request('resources/subscribe', { uri: 'note://a' })
    await evict(session)
    await notify(env).resourceUpdated('note://a')
    const idle = await session.listen()
    expect((await idle.message()).params).toEqual({ uri: 'note://a' })
  })
})
