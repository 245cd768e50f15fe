import { env } from 'cloudflare:workers'
import { it } from 'vitest'
import * as z from 'zod'
import { type Context, McpServer } from '../../src/index.ts'
import { openDoor } from '../support/door.ts'
const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms))
const q = (key: string) => ({ key, message: key, schema: z.object({}) })
async function run(label: string, handler: (ctx: Context) => Promise<unknown>, params: object = {}, config: object = {}) {
  const server = new McpServer({ name: 'asking', version: '1' })
  server.registerTool('t', { timeoutMs: 1500, ...config }, async (ctx: Context) => JSON.stringify(await handler(ctx) ?? null))
  const door = openDoor(server, {}, env as never)
  const caps = { meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } } }
  const t = Date.now()
  const a = await door.modern('tools/call', { name: 't', ...params }, caps)
  const text = typeof a.body === 'string' ? a.body.slice(-700) : JSON.stringify(a.body)
  console.log(label, Date.now() - t, a.status, text.replace(/"requestState":"[^"]+"/, '"requestState":…').slice(0, 700), JSON.stringify(door.events.map((e) => ({ ...e, error: String((e as any).error) }))))
  return a.body
}
it('x', async () => {
  await run('ask in step', async (ctx) => ctx.step('s', async () => { await ctx.elicit(q('a')); return 1 }))
  await run('race', async (ctx) => Promise.race([ctx.elicit(q('a')), sleep(300).then(() => 'timeout')]))
  await run('race pre', async (ctx) => Promise.race([sleep(0).then(() => 'zero'), ctx.elicit(q('a'))]))
  await run('ask+io ask', async (ctx) => Promise.all([ctx.elicit(q('a')), sleep(50).then(() => ctx.elicit(q('b')))]))
  await run('ask+step io ask', async (ctx) => Promise.all([ctx.elicit(q('a')), ctx.step('s', () => sleep(50)).then(() => ctx.elicit(q('b')))]))
  await run('bad schema caught', async (ctx) => { try { await ctx.elicit({ message: 'x', schema: z.object({ a: z.object({}) }) }) } catch (e) { return String(e) } })
  await run('same key', async (ctx) => { await Promise.all([ctx.elicit(q('a')), ctx.elicit(q('a'))]) })
  await run('33', async (ctx) => { await Promise.all(Array.from({ length: 33 }, (_, i) => ctx.elicit(q(`k${i}`)))) })
  await run('step throws beside ask', async (ctx) => { await Promise.all([ctx.elicit(q('a')), ctx.step('s', async () => { await sleep(20); throw new Error('boom') })]) })
  await run('plain throw beside ask', async (ctx) => { await Promise.all([ctx.elicit(q('a')), Promise.reject(new Error('boom'))]) })
  await run('unawaited ask', async (ctx) => { void ctx.elicit(q('a')); return 'returned' })
  await run('unawaited ask then io', async (ctx) => { void ctx.elicit(q('a')); await sleep(20); return 'returned' })
  await run('big step', async (ctx) => { await ctx.step('s', () => 'x'.repeat(100_000)); await ctx.elicit(q('a')) })
  await run('big answer', async (ctx) => { await ctx.elicit(q('a')); await ctx.elicit(q('b')) })
  await run('step returns Date', async (ctx) => ctx.step('s', () => ({ d: new Date(0), u: undefined, n: NaN })))
  await run('dup step key loop', async (ctx) => { for (let i = 0; i < 2; i++) await ctx.step('s', () => i) })
  await run('finally after abandoned', async (ctx) => { try { await ctx.elicit(q('a')) } finally { console.log('FINALLY RAN') } })
  await run('timeout error in finally', async (ctx) => { const timer = ctx.signal; timer.addEventListener('abort', () => console.log('ABORT')); await ctx.elicit(q('a')) })
  const f = await run('one', async (ctx) => ctx.elicit({ key: 'a', message: 'm', schema: z.object({ v: z.string().min(3).refine((v) => v !== 'bad') }) })) 
  const st = f.result.requestState
  await run('one bad', async (ctx) => ctx.elicit({ key: 'a', message: 'm', schema: z.object({ v: z.string().min(3).refine((v) => v !== 'bad') }) }), { requestState: st, inputResponses: { a: { action: 'accept', content: { v: 'bad' } } } })
  await run('extra', async (ctx) => ctx.elicit({ key: 'a', message: 'm', schema: z.object({ v: z.string().min(3).default('abc') }) }), { requestState: st, inputResponses: { a: { action: 'accept', content: { x: 1 } } } })
  await run('enum forms', async (ctx) => ctx.elicit({ key: 'e', message: 'm', schema: z.object({ v: z.union([z.literal('a').meta({ title: 'A' }), z.literal('b').meta({ title: 'B' })]).default('a'), t: z.string().max(20).optional(), o: z.enum(['x', 'y']) }) }))
})
