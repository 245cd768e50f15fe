import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { getContext } from '../../src/context/index.ts'
import { completable, ResourceTemplate } from '../../src/index.ts'
import { FullServer } from '../support/full-server.ts'
import { openSession, textOf } from '../support/session-client.ts'
import { openApp, openFactoryApp, type TestApp } from '../support/test-app.ts'

const create = () => new FullServer({ name: 's', version: '1' })

/** The request id of the running handler, read by a function that receives no context. */
async function ownId(): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 20))
  return String(getContext().request.id)
}

const call = async (app: TestApp, name: string, id: string) =>
  (await app.modern('tools/call', { name }, { id })).body.result.content[0].text

describe('getContext', () => {
  it('returns the context of each of many concurrent calls', async () => {
    const app = openApp(
      create().registerTool('id', {}, async (ctx) => {
        expect(getContext()).toBe(ctx)
        return `${await ownId()} ${getContext() === ctx}`
      }),
    )
    const ids = Array.from({ length: 50 }, (_, index) => `call-${index}`)
    const texts = await Promise.all(ids.map((id) => call(app, 'id', id)))
    expect(texts).toEqual(ids.map((id) => `${id} true`))
  })

  it('returns the context in every kind of handler and in middleware', async () => {
    const seen: string[] = []
    const note = () => {
      seen.push(getContext().request.method)
      return 'x'
    }
    const app = openApp(
      create()
        .use((call, next) => {
          expect(getContext()).toBe(call.ctx)
          seen.push('middleware')
          return next()
        })
        .registerPrompt('p', { argsSchema: { a: completable(z.string(), () => [note()]) } }, note)
        .registerResource('r', 'note://a', {}, note)
        .registerResource(
          't',
          new ResourceTemplate('item://{id}', {
            list: () => {
              note()
              return { resources: [] }
            },
          }),
          {},
          note,
        ),
    )
    await app.modern('prompts/get', { name: 'p', arguments: { a: 'b' } })
    await app.modern('completion/complete', {
      ref: { type: 'ref/prompt', name: 'p' },
      argument: { name: 'a', value: '' },
    })
    await app.modern('resources/read', { uri: 'note://a' })
    await app.modern('resources/read', { uri: 'item://1' })
    await app.modern('resources/list')
    expect(seen).toEqual([
      'middleware',
      'prompts/get',
      'completion/complete',
      'middleware',
      'resources/read',
      'middleware',
      'resources/read',
      'resources/list',
    ])
  })

  it('returns the context of the resumed run in a session', async () => {
    const client = await openSession()
    const stream = await client.stream(
      async (ctx) => {
        const { action } = await ctx.elicit({ message: 'Go on?', schema: { ok: z.boolean() } })
        await ownId()
        return `${action} ${getContext() === ctx} ${getContext().session?.id === client.id}`
      },
      { id: 'asks' },
    )
    const question = await stream.message()
    await client.answer(question, { action: 'decline' })
    expect(textOf(await stream.message())).toBe('decline true true')
  })

  it('returns the context of the caller in a server that a factory built', async () => {
    const app = openFactoryApp(
      ({ params }) => create().registerTool('id', {}, async () => `${params.org} ${await ownId()}`),
      { info: { name: 's', version: '1' }, path: '/mcp/{org}' },
      env,
    )
    const texts = await Promise.all(
      ['a', 'b', 'a', 'c'].map((org, index) => call(app.at(`/mcp/${org}`), 'id', `${index}`)),
    )
    expect(texts).toEqual(['a 0', 'b 1', 'a 2', 'c 3'])
  })

  it('throws outside of a handler: at module scope, in a factory, and in visible', async () => {
    const message = /^getContext\(\) found no running handler: call it in the handler of/
    expect(() => getContext()).toThrow(message)
    const failures: unknown[] = []
    const attempt = () => {
      try {
        return getContext() !== undefined
      } catch (error) {
        failures.push(String(error))
        return true
      }
    }
    const app = openFactoryApp(
      () => {
        attempt()
        return create().registerTool('id', { visible: attempt }, () => 'x')
      },
      { info: { name: 's', version: '1' } },
    )
    expect(await call(app, 'id', '1')).toBe('x')
    expect(failures.length).toBeGreaterThan(1)
  })
})
