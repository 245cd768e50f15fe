/** The codec of the SDK 2.x for the state of a handler, and handlers that use it. */

import { env } from 'cloudflare:workers'
import { createRequestStateCodec as createSdkCodec } from '@modelcontextprotocol/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { openApp } from '../../../test/support/test-app.ts'
import {
  acceptedContent,
  createRequestStateCodec,
  inputRequired,
  McpServer,
  type RequestStateCodec,
  type ServerContext,
} from '../src/index.ts'

const KEY = 'a key of at least thirty-two bytes'
const contextOf = (method: string) => ({ mcpReq: { method } }) as ServerContext
const CALL = contextOf('tools/call')

afterEach(() => {
  vi.useRealTimers()
})

describe('createRequestStateCodec', () => {
  const codec = createRequestStateCodec<{ step: number }>({ key: KEY })

  it('verifies what it has minted, and reads and writes the states of the SDK', async () => {
    const state = await codec.mint({ step: 2 })
    expect(await codec.verify(state, CALL)).toEqual({ step: 2 })
    const bound = { key: KEY, bind: ({ mcpReq }: { mcpReq: { method: string } }) => mcpReq.method }
    for (const options of [{ key: KEY }, bound]) {
      const own = createRequestStateCodec(options)
      const sdk = createSdkCodec(options)
      expect(await sdk.verify(await own.mint('ü', CALL), CALL as never)).toBe('ü')
      expect(await own.verify(await sdk.mint('ü', CALL as never), CALL)).toBe('ü')
    }
  })

  it.each([
    ['malformed', (state: string) => state.replace('v1.', 'v2.')],
    ['malformed', (state: string) => `${state}.more`],
    ['malformed', (state: string) => `${state}=`],
    ['malformed', () => 'v1.'],
    ['malformed', () => ''],
    ['mac', (state: string) => state.replace('v1.ey', 'v1.ez')],
    ['mac', (state: string) => `${state.slice(0, -43)}${'A'.repeat(43)}`],
  ])('rejects a changed state as %s (case %#)', async (reason, change) => {
    const state = await codec.mint({ step: 1 })
    await expect(codec.verify(change(state), CALL)).rejects.toThrow(new Error(reason))
  })

  it('rejects the state of another key, of another binding, and one without the binding', async () => {
    const other = createRequestStateCodec({ key: `${KEY}!` })
    await expect(codec.verify(await other.mint({}), CALL)).rejects.toThrow('mac')
    const bound = createRequestStateCodec({ key: KEY, bind: ({ mcpReq }) => mcpReq.method })
    const state = await bound.mint({}, CALL)
    await expect(bound.verify(state, contextOf('prompts/get'))).rejects.toThrow('bind')
    await expect(codec.verify(state, CALL)).rejects.toThrow('bind')
    await expect(bound.verify(await codec.mint({ step: 1 }), CALL)).rejects.toThrow('bind')
    await expect(bound.mint({})).rejects.toThrow(TypeError)
    expect(atob(state.split('.')[1] ?? '')).not.toContain('tools/call')
  })

  it('rejects a state after its time', async () => {
    vi.useFakeTimers({ now: 1_000_000 })
    const state = await codec.mint({ step: 1 })
    vi.setSystemTime(1_600_000)
    expect(await codec.verify(state, CALL)).toEqual({ step: 1 })
    vi.setSystemTime(1_601_000)
    await expect(codec.verify(state, CALL)).rejects.toThrow('expired')
  })

  it('throws for a short key and a duration that is no number', () => {
    expect(() => createRequestStateCodec({ key: 'short' })).toThrow(RangeError)
    expect(() => createRequestStateCodec({ key: new Uint8Array(31) })).toThrow(RangeError)
    expect(() => createRequestStateCodec({ key: KEY, ttlSeconds: Number.NaN })).toThrow(RangeError)
  })
})

type CounterState = { step: 'amount'; current: number } | { step: 'sure'; next: number }

function createCounter(codec: RequestStateCodec<CounterState>) {
  const server = new McpServer(
    { name: 'counter', version: '1' },
    { requestState: { verify: codec.verify } },
  )
  const requestedSchema = (name: string, type: string) => ({
    type: 'object' as const,
    properties: { [name]: { type } },
    required: [name],
  })
  server.registerTool(
    'increase',
    { inputSchema: z.object({ current: z.number() }) },
    async ({ current }, ctx) => {
      const state = ctx.mcpReq.requestState<CounterState>()
      const { inputResponses } = ctx.mcpReq
      if (state === undefined) {
        const message = 'By how much?'
        const amount = inputRequired.elicit({
          message,
          requestedSchema: requestedSchema('by', 'number'),
        })
        const requestState = await codec.mint({ step: 'amount', current }, ctx)
        return inputRequired({ inputRequests: { amount }, requestState })
      }
      if (state.step === 'amount') {
        const { by } = acceptedContent(inputResponses, 'amount', z.object({ by: z.number() })) ?? {
          by: 0,
        }
        const next = state.current + by
        const message = `To ${next}?`
        const sure = inputRequired.elicit({
          message,
          requestedSchema: requestedSchema('yes', 'boolean'),
        })
        const requestState = await codec.mint({ step: 'sure', next }, ctx)
        return inputRequired({ inputRequests: { sure }, requestState })
      }
      const sure = acceptedContent<{ yes: boolean }>(inputResponses, 'sure')
      return { content: [{ type: 'text', text: sure?.yes ? String(state.next) : 'cancelled' }] }
    },
  )
  return server
}

describe('a handler with the codec for its state', () => {
  it('continues with the verified state in each round of a modern client', async () => {
    const codec = createRequestStateCodec<CounterState>({
      key: KEY,
      bind: ({ mcpReq }) => mcpReq.method,
    })
    const app = openApp(createCounter(codec), {}, env)
    const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } }
    let params: Record<string, unknown> = { name: 'increase', arguments: { current: 4 } }
    const messages: string[] = []
    const call = async () => (await app.modern('tools/call', params, { meta })).body.result
    for (const content of [{ by: 3 }, { yes: true }]) {
      const { inputRequests, requestState } = await call()
      const key = Object.keys(inputRequests)[0] ?? ''
      messages.push(inputRequests[key].params.message)
      const inputResponses = { [key]: { action: 'accept', content } }
      params = { ...params, inputResponses, requestState }
    }
    expect((await call()).content[0].text).toBe('7')
    expect(messages).toEqual(['By how much?', 'To 7?'])
  })
})
