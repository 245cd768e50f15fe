/** How many calls without a task wait for events, of one principal or network. */
// features: sessions
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { FullContext } from '../../support/full-server.ts'
import { keepHandler } from '../../support/session-server.ts'
import { parseMessages } from '../../support/sse-parser.ts'
import { SseReader } from '../../support/sse-reader.ts'
import { taskServer } from '../../support/task-server.ts'
import { modernRequest, openApp } from '../../support/test-app.ts'
import { trusting } from '../../support/trusting.ts'

/** `tasks({ perPrincipal })` of the server. */
const LIMIT = 3

const TOO_MANY =
  'You have too many calls that wait for an event: at most 3 at the same time (tasks({ perPrincipal })). Wait until one has ended.'

const URL_OF_WEBHOOK = /^http:.*\/webhooks\//

const SURE = z.object({ ok: z.boolean() })

const META = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } }

const app = openApp(
  taskServer,
  {
    auth: trusting('https://inboxes.example.com'),
    limits: { streamAfterMs: 5 },
    featureLimits: { tasks: { perPrincipal: LIMIT } },
  },
  env,
)

type Run = (ctx: FullContext, show: (text: string) => Promise<void>) => Promise<string>

/** A client of a subject, or an anonymous one with an address. */
function clientOf(subject: string | undefined, address?: string, served = app) {
  const own = {
    ...(subject !== undefined && { authorization: `Bearer ${subject}` }),
    ...(address !== undefined && { 'cf-connecting-ip': address }),
  }
  const post = (params: Record<string, unknown>) => {
    const meta = { ...META, progressToken: 'token' }
    const { body, headers } = modernRequest('tools/call', { name: 'plain', ...params }, { meta })
    return served.post(body, { ...headers, ...own })
  }
  const scriptOf = (run: Run) =>
    keepHandler((ctx) => run(ctx, (text) => ctx.progress(1, undefined, text)))
  return {
    /** The result of a call that is not open any more. */
    async call(run: Run, params: Record<string, unknown> = {}) {
      const text = await (await post({ arguments: scriptOf(run), ...params })).text()
      const message = text.startsWith('{') ? JSON.parse(text) : parseMessages(text).at(-1)
      return message.result
    },
    /** The stream of a call that waits, after the URL of its webhook. */
    async wait() {
      const reader = new SseReader(
        await post({
          arguments: scriptOf(async (ctx, show) => {
            await show(await ctx.webhook('paid'))
            return JSON.stringify(await ctx.waitFor('paid'))
          }),
        }),
      )
      return { reader, url: (await reader.message()).params.message as string }
    },
  }
}

async function deliver(url: string): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  return (await app.fetch(new Request(url, { method: 'POST', headers, body: '7' }))).status
}

const WAIT: Run = async (ctx) => JSON.stringify(await ctx.waitFor('paid', { timeoutMs: 30 }))
const WEBHOOK: Run = (ctx) => ctx.webhook('paid')

const textOf = (result: { readonly content: readonly { readonly text: string }[] }) =>
  result.content[0]?.text

describe('calls without a task that wait for an event', () => {
  it('are refused beyond the limit of their principal, by the wait and by the webhook', async () => {
    const client = clientOf('hoarder')
    const first = await client.wait()
    const others = [await client.wait(), await client.wait()]
    for (const run of [WAIT, WEBHOOK]) {
      const refused = await client.call(run)
      expect([refused.isError, textOf(refused)]).toEqual([true, TOO_MANY])
    }
    expect(textOf(await client.call(async (ctx) => `${await ctx.sleep('nap', 5)}`))).toBe(
      'undefined',
    )
    expect(textOf(await clientOf('neighbour').call(WEBHOOK))).toMatch(URL_OF_WEBHOOK)
    // The end of one call makes room for another.
    expect(await deliver(first.url)).toBe(202)
    expect(textOf((await first.reader.message()).result)).toBe('7')
    await expect.poll(async () => textOf(await client.call(WEBHOOK))).toMatch(URL_OF_WEBHOOK)
    for (const { reader } of others) await reader.leave()
  })

  it('are refused while ten times the limit have been opened, although each has ended', async () => {
    const client = clientOf('looper')
    const texts: (string | undefined)[] = []
    for (let count = 0; count <= LIMIT * 10; count++) texts.push(textOf(await client.call(WEBHOOK)))
    expect(texts.slice(0, -1).filter((text) => !URL_OF_WEBHOOK.test(text ?? ''))).toEqual([])
    expect(texts.at(-1)).toBe(TOO_MANY)
  })

  it('keep their place in the rounds of a call, also at the limit', async () => {
    const client = clientOf('asker')
    const run: Run = async (ctx) => {
      await ctx.webhook('paid')
      const { action } = await ctx.elicit({ key: 'sure', message: 'Sure?', schema: SURE })
      await ctx.webhook('paid')
      return action
    }
    const script = keepHandler((ctx) => run(ctx, async () => undefined))
    const asked = await client.call(run, { arguments: script })
    expect(asked.resultType).toBe('input_required')
    const waiting = [await client.wait(), await client.wait()]
    expect(textOf(await client.call(WEBHOOK))).toBe(TOO_MANY)
    const { requestState } = asked
    const inputResponses = { sure: { action: 'decline' } }
    const ended = await client.call(run, { arguments: script, requestState, inputResponses })
    expect(textOf(ended)).toBe('decline')
    for (const { reader } of waiting) await reader.leave()
  })

  it('are counted by network for anonymous callers, and not on the computer of the server', async () => {
    const anonymous = openApp(
      taskServer,
      { limits: { streamAfterMs: 5 }, featureLimits: { tasks: { perPrincipal: 1 } } },
      env,
    )
    const from = (address?: string) => clientOf(undefined, address, anonymous)
    const { reader } = await from('192.0.2.1').wait()
    expect(textOf(await from('192.0.2.2').call(WEBHOOK))).toContain('at most 1 at the same time')
    expect(textOf(await from('198.51.100.1').call(WEBHOOK))).toMatch(URL_OF_WEBHOOK)
    for (let count = 0; count < 2; count++) {
      expect(textOf(await from().call(WEBHOOK))).toMatch(URL_OF_WEBHOOK)
    }
    await reader.leave()
  })
})
