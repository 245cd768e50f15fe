import { describe, expect, it } from 'vitest'
import { jsonSchema } from '../../src/index.ts'
import { TaskClient } from '../durable-objects/task/task-client.ts'

const client = new TaskClient()

/** Starts a task that waits for the webhook, and returns the URL. */
async function webhook(): Promise<{ readonly taskId: string; readonly url: string }> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const taskId = await client.start(async (ctx) => {
    resolve(await ctx.webhook('paid'))
    return JSON.stringify(await ctx.waitFor('paid', { schema: jsonSchema({ type: 'object' }) }))
  })
  return { taskId, url: await promise }
}

function deliver(url: string, body: BodyInit | null, init: RequestInit = {}) {
  const headers = { 'content-type': 'application/json' }
  return client.app.fetch(new Request(url, { method: 'POST', headers, body, ...init }))
}

describe('the URL of a webhook', () => {
  it('delivers a JSON body to the task, once', async () => {
    const { taskId, url } = await webhook()
    const [first, second] = await Promise.all([deliver(url, '{"a":1}'), deliver(url, '{"a":2}')])
    // The second one finds its value delivered, or the task over.
    const [one, other] = [first.status, second.status].toSorted()
    expect(one).toBe(202)
    expect([409, 410]).toContain(other)
    const { result } = await client.reaches(taskId, 'completed')
    expect(['{"a":1}', '{"a":2}']).toContain(result.content[0].text)
    expect((await deliver(url, '{"a":3}')).status).toBe(410)
  })

  it('is the same each time that the handler runs', async () => {
    const urls: string[] = []
    const taskId = await client.start(async (ctx) => {
      urls.push(await ctx.webhook('later'))
      await ctx.sleep('nap', 20)
      return 'done'
    })
    await client.reaches(taskId, 'completed')
    expect(urls).toHaveLength(2)
    expect(new Set(urls).size).toBe(1)
  })

  it('is not found with the id of its task as the secret, nor its secret as an id', async () => {
    const { taskId, url } = await webhook()
    const [secret = ''] = url.split('/').slice(-1)
    expect((await deliver(url.replace(secret, taskId), '{}')).status).toBe(404)
    expect((await client.get(secret)).code).toBe(-32602)
    expect((await deliver(url, '{}')).status).toBe(202)
  })

  it.for([
    ['a forged secret', (url: string) => `${url.slice(0, -6)}AAAAAA`, '{}', {}, 404],
    ['a longer path', (url: string) => `${url}/x`, '{}', {}, 404],
    ['no secret', (url: string) => url.replace(/[^/]*$/, ''), '{}', {}, 404],
    ['a long secret', (url: string) => url.replace(/[^/]*$/, 'x'.repeat(6000)), '{}', {}, 404],
    ['a GET', (url: string) => url, null, { method: 'GET' }, 405],
    ['a PUT', (url: string) => url, '{}', { method: 'PUT' }, 405],
    ['an empty body', (url: string) => url, '', {}, 400],
    ['no JSON', (url: string) => url, 'paid', {}, 400],
    [
      'an encoded body',
      (url: string) => url,
      '{}',
      { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
      415,
    ],
    ['no object', (url: string) => url, '[]', {}, 422],
    ['two values of one key', (url: string) => url, '{"a":1,"a":2}', {}, 400],
    ['a body that nests too deeply', (url: string) => url, '['.repeat(200), {}, 400],
    ['a form', (url: string) => url, 'a=1', { headers: { 'content-type': 'text/plain' } }, 415],
    ['a large body', (url: string) => url, `{"a":"${'x'.repeat(1_100_000)}"}`, {}, 413],
    [
      'a value larger than a task keeps',
      (url: string) => url,
      `{"a":"${'x'.repeat(300_000)}"}`,
      {},
      413,
    ],
  ] as const)('refuses %s, and still delivers afterwards', async ([, of, body, init, status]) => {
    const { taskId, url } = await webhook()
    const response = await deliver(of(url), body, init)
    expect(response.status).toBe(status)
    expect(((await response.json()) as { error: string }).error).toBeTypeOf('string')
    expect((await deliver(url, '{}')).status).toBe(202)
    await client.reaches(taskId, 'completed')
  })

  it('delivers before the task waits for it, and the value is kept', async () => {
    const go = Promise.withResolvers<void>()
    const { promise, resolve } = Promise.withResolvers<string>()
    const taskId = await client.start(async (ctx) => {
      resolve(await ctx.webhook('early'))
      await go.promise
      return JSON.stringify(await ctx.waitFor('early'))
    })
    const url = await promise
    expect((await deliver(url, '{"a":1}')).status).toBe(202)
    expect((await deliver(url, '{"a":2}')).status).toBe(409)
    go.resolve()
    const { result } = await client.reaches(taskId, 'completed')
    expect(result.content[0].text).toBe('{"a":1}')
  })

  it('answers 410 after the time of its wait, and when the task is over', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const taskId = await client.start(async (ctx) => {
      const url = await ctx.webhook('late')
      await ctx.waitFor('late', { timeoutMs: 20 }).catch(() => resolve(url))
      return JSON.stringify(await ctx.waitFor('other'))
    })
    const url = await promise
    const late = await deliver(url, '{}')
    expect([late.status, await late.text()]).toEqual([
      410,
      expect.stringContaining('was not delivered in time'),
    ])
    await client.send('tasks/cancel', { taskId })
    const over = await deliver(url, '{}')
    expect([over.status, await over.text()]).toEqual([410, expect.stringContaining('has ended')])
  })

  it('answers 404 after the lifetime of the task', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    await client.start(async (ctx) => {
      resolve(await ctx.webhook('gone'))
      return JSON.stringify(await ctx.waitFor('other'))
    }, 'brief')
    const url = await promise
    await expect.poll(async () => (await deliver(url, '{}')).status).toBe(404)
  })
})
