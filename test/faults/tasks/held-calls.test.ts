/** Calls of 2026-07-28 without tasks, which their requests hold, over real sockets and a kill. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PROJECT_DIRECTORY } from '../../../scripts/support/project.ts'
import { requestOf } from '../../attacks/modern.ts'
import type { Part } from '../../fixtures/tasks/parts.ts'
import { SseReader, type WireMessage } from '../../support/sse-reader.ts'
import { PersistentServer } from '../sessions/persistent-server.ts'

const CONFIG = join(PROJECT_DIRECTORY, 'test/fixtures/tasks/wrangler.toml')
const VALUE = { text: 'the value' }

const start = (atEnd: (dispose: () => Promise<void>) => void) =>
  PersistentServer.start(atEnd, { configPath: CONFIG })

/** @param round the members that a later round adds */
function call(
  { url }: { readonly url: string },
  work: { readonly name: string; readonly parts: readonly Part[] },
  round: object = {},
): Promise<Response> {
  const params = { name: 'work', arguments: work, ...round }
  const request = requestOf(url, 'tools/call', params, 'work', 1)
  request.headers.set('authorization', 'Bearer principal-1')
  return fetch(request)
}

async function deliver(url: string): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(VALUE) })
  await response.body?.cancel()
  return response.status
}

async function countersOf({ url }: PersistentServer): Promise<Record<string, number>> {
  const response = await fetch(new URL('/counters', url))
  return (await response.json()) as Record<string, number>
}

/** Reads a stream up to the URL of the webhook, which is the message of its progress. */
async function webhookOn(stream: SseReader): Promise<string> {
  return (await stream.message()).params.message
}

/** The answer of a call: JSON, or the message that ends its stream. */
async function answerOf(response: Response): Promise<WireMessage | undefined> {
  const isJson = response.headers.get('content-type') === 'application/json'
  return isJson ? response.json() : (await new SseReader(response).rest()).at(-1)
}

describe('a call that its request holds', () => {
  it('goes on after a kill without its client, whose repeated round has the result', async ({
    onTestFinished,
  }) => {
    const server = await start(onTestFinished)
    const parts: readonly Part[] = [{ kind: 'step' }, { kind: 'ask' }, { kind: 'webhook' }]
    const work = { name: 'killed', parts }
    const asked = (await (await call(server, work)).json()) as WireMessage
    const { requestState } = asked.result
    const answer = { action: 'accept', content: { text: 'yes' } }
    const round = { requestState, inputResponses: { 'killed.1': answer } }
    const before = new SseReader(await call(server, work, round))
    const url = await webhookOn(before)
    const broken = expect(before.rest()).rejects.toThrow()
    await server.kill()
    await broken
    await server.startAgain({ samePort: true })
    // Accepted although no request waits for it now.
    expect(await deliver(url)).toBe(202)
    const ended = await answerOf(await call(server, work, round))
    expect(ended?.result.structuredContent).toEqual({
      name: 'killed',
      received: ['killed.0', 'yes', 'the value'],
    })
    expect(await countersOf(server)).toEqual({ 'killed.0': 1 })
    expect(await deliver(url)).toBe(410)
  })
})
