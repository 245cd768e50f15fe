/** Keys that are names of members of `Object.prototype` are keys like any other, in tasks and in sessions. */
import { evictDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { openSession, openSessionApp, textOf } from '../../support/session-client.ts'
import type { SseReader } from '../../support/sse-reader.ts'
import { control } from '../../support/task-server.ts'
import { TaskClient, until } from './task-client.ts'

const client = new TaskClient()

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']

const ACCEPT = { action: 'accept', content: { ok: true } }
const form = (key: string) => ({ key, message: 'Sure?', schema: z.object({ ok: z.boolean() }) })

async function textOfTask(taskId: string): Promise<string> {
  return (await client.reaches(taskId, 'completed')).result.content[0].text
}

/** Reads a stream up to the result of its call. */
async function answerOn(stream: SseReader): Promise<string> {
  for (;;) {
    const message = await stream.message()
    if (message.result !== undefined) return textOf(message)
  }
}

describe.each(NAMES)('the key %s in a task', (name) => {
  it('names a webhook, which delivers once', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const taskId = await client.start(async (ctx) => {
      resolve(await ctx.webhook(name))
      const value = await ctx.waitFor(name)
      await ctx.waitFor('go')
      return JSON.stringify(value)
    })
    const url = await promise
    const post = () =>
      client.app.fetch(
        new Request(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"paid":true}',
        }),
      )
    expect((await post()).status).toBe(202)
    expect((await post()).status).toBe(409)
    await control.deliver(taskId, 'go', true)
    expect(await textOfTask(taskId)).toBe('{"paid":true}')
  })
})

describe.each(NAMES)('the key %s in a session', (name) => {
  it('names a step, a sleep and an ask of calls', async () => {
    const session = await openSession()
    const stepped = await session.stream(async (ctx) => {
      await ctx.log('info', 'a stream')
      const first = await ctx.step(name, () => ({ of: name }))
      await ctx.sleep('nap', 20)
      return first.of
    })
    expect(await answerOn(stepped)).toBe(name)
    const slept = await session.stream(async (ctx) => {
      await ctx.log('info', 'a stream')
      await ctx.sleep(name, 20)
      return 'awake'
    })
    expect(await answerOn(slept)).toBe('awake')
    const asking = await session.stream(async (ctx) => (await ctx.elicit(form(name))).action)
    const question = await asking.message()
    expect(question.method).toBe('elicitation/create')
    await evictDurableObject(await session.stub())
    expect(await session.answer(question, ACCEPT)).toBe(202)
    expect(await answerOn(asking)).toBe('accept')
  })

  it('names a webhook, which delivers before its wait', async () => {
    const app = openSessionApp()
    const session = await openSession()
    const go = Promise.withResolvers<void>()
    let url = ''
    const stream = await session.stream(async (ctx) => {
      url = await ctx.webhook(name)
      await ctx.log('info', 'ready')
      await go.promise
      return JSON.stringify(await ctx.waitFor(name))
    })
    await until(() => url !== '')
    const headers = { 'content-type': 'application/json' }
    const body = '{"paid":true}'
    expect((await app.fetch(new Request(url, { method: 'POST', headers, body }))).status).toBe(202)
    go.resolve()
    expect(await answerOn(stream)).toBe(body)
  })
})
