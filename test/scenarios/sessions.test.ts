/** Sessions as clients see them: their ids, the end, and streams that are cut and resumed. */
import { describe, expect } from 'vitest'
import * as z from 'zod'
import { accept } from '../support/accept.ts'
import type { FullContext } from '../support/full-server.ts'
import { createLatch, type Latch } from '../support/latch.ts'
import { ENDPOINT } from '../support/test-app.ts'
import { verifies } from '../support/verifies.ts'
import { textOf } from './client.ts'
import { ANY, eventually, everyRow, isOver, publish, scenario } from './scenario.ts'
import { eventsOf, numberOf, resumedStreamsOf, streamsOf } from './wire.ts'

const asksName = async ({ elicit }: FullContext) => {
  const { content } = await elicit({ message: 'Who?', schema: z.object({ name: z.string() }) })
  return `${content?.name}`
}

const BROKEN = [expect.stringContaining('disconnected')]

describe('a client', () => {
  scenario('names its revision, era and session in every request', {
    cites: () => {
      verifies('lifecycle/version-header-of-the-client', 'streamable-http/session-id-alphabet')
      verifies('streamable-http/session-id-is-sent')
    },
    rows: everyRow,
    server: ({ client, session }) =>
      JSON.stringify([client.protocolVersion, client.era, session !== undefined]),
    does: async ({ text, row, wire, sessionId }) => {
      const [revision, era, hasSession] = JSON.parse(await text())
      const [, ...later] = wire.exchanges.filter(({ method }) => method === 'POST')
      const names = later.map(({ headers }) => [
        headers.get('mcp-protocol-version'),
        headers.get('mcp-session-id') === (sessionId() ?? headers.get('mcp-session-id')),
      ])
      expect(sessionId() ?? 'a'.repeat(20)).toMatch(/^[\x21-\x7e]{20,1024}$/)
      const isNamed = names.every(([version]) => version === row.revision)
      return [
        revision === row.revision,
        era === row.era,
        isNamed,
        names.every(([, is]) => is),
        hasSession,
      ]
    },
    returns: [true, true, true, true, true],
    differs: [
      {
        on: ({ client, era }) => era === 'modern' || client.endsWith('session id'),
        because: 'it has no session, or does not name it',
        returns: [true, true, true, expect.any(Boolean), false],
      },
      {
        on: ({ client, era }) => era === 'http-sse' && client.startsWith('edgeway'),
        because: '2024-11-05 has no version header',
        returns: [true, true, false, true, true],
      },
    ],
  })

  scenario('is answered to a ping, and keeps one standalone stream open during calls', {
    cites: () => verifies('ping/ping-is-answered', 'streamable-http/endpoint-with-post-and-get'),
    needs: ['ping', 'session'],
    does: async ({ client, call, wire, subscribe }) => {
      await subscribe([])
      await eventually(() => streamsOf(wire).length).toBe(1)
      for (let round = 0; round < 3; round++) await call('echo', { text: 'a' })
      return [await client.ping(), streamsOf(wire).length]
    },
    returns: [{}, 1],
  })

  scenario('cannot open a standalone stream without its session id, and works without one', {
    rows: ({ client }) => client.endsWith('session id'),
    does: async ({ app, call }) => {
      const headers = { accept: 'text/event-stream' }
      const { status } = await app.fetch(new Request(ENDPOINT, { headers }))
      return [status, textOf(await call('echo', { text: 'works' }))]
    },
    returns: [405, 'works'],
  })

  const namesSession = async ({ session, log }: FullContext) => {
    await log('warning', 'low')
    await log('error', 'high')
    return session?.id ?? 'none'
  }

  scenario('continues its session on another connection, with its level', {
    needs: ['session id'],
    does: async ({ setLogLevel, client, sessionId, another }) => {
      await setLogLevel('error')
      const id = sessionId() ?? ''
      await client.close()
      const second = await another({ sessionId: id })
      const isSame = (await second.text(namesSession)) === id
      const initialized = second.wire.exchanges.filter(({ body }) => body.includes('initialize'))
      return [isSame, initialized.length, second.notices()]
    },
    returns: [true, 0, [{ log: 'error', data: 'high' }]],
    errors: ANY,
  })

  scenario('ends its session for every connection that has the id, and is served without one', {
    needs: ['session id'],
    does: async ({ sessionId, another, terminate, text }) => {
      const other = await another({ sessionId: sessionId() })
      await other.call('echo', { text: 'a' })
      await terminate()
      const id = await text(namesSession)
      await expect(other.call('echo', { text: 'a' })).rejects.toThrow('Session not found')
      await expect(other.terminate()).rejects.toThrow('Failed to terminate session')
      const statuses = other.wire.exchanges
        .filter(({ method }) => method !== 'GET')
        .map(({ method, status }) => `${method} ${status}`)
      return [id, statuses]
    },
    returns: ['none', ['POST 200', 'POST 404', 'DELETE 404']],
    notified: ['warning: low', 'error: high'],
    reported: ANY,
  })
})

describe('a client whose connection is cut', () => {
  const steps = async ({ progress }: FullContext) => {
    for (let step = 1; step <= 10; step++) {
      await progress(step)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    return 'done'
  }

  scenario('inside an event, and inside the result, receives each event once', {
    needs: ['resume'],
    rows: everyRow,
    server: steps,
    does: async ({ text, wire }) => {
      const seen: unknown[] = []
      const cuts = [wire.cutAfter('"progress":4'), wire.cutAfter('"text":"do')]
      const result = await text(undefined, { onprogress: (step) => void seen.push(step) })
      await Promise.all(cuts)
      const resumed = resumedStreamsOf(wire)
      const after = resumed.map(({ headers }) => numberOf(headers.get('last-event-id')))
      const ids = resumed.flatMap(eventsOf).map(({ id }) => numberOf(id))
      return [result, seen.length, after.join(' '), ids.join(' ')]
    },
    returns: ['done', 10, '~3 ~10', '~3 ~4 ~5 ~6 ~7 ~8 ~9 ~10 ~10 ~11'],
    notified: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    errors: [...BROKEN, ...BROKEN],
    differs: [
      {
        on: isOver('2025-06-18', '2025-03-26'),
        because: 'their streams begin without an event',
        returns: ['done', 10, '~3 ~10', '~4 ~5 ~6 ~7 ~8 ~9 ~10 ~11'],
      },
    ],
  })

  let latch: Latch

  scenario('before the first message receives the result', {
    needs: ['resume'],
    server: async ({ closeStream: _, signal }) => {
      await latch.wait(signal)
      return 'done'
    },
    does: async ({ text, wire }) => {
      latch = createLatch()
      const cut = wire.cutAfter('\nretry: 50\ndata:\n\n')
      const result = text()
      await cut
      latch.open()
      return result
    },
    returns: 'done',
    errors: BROKEN,
  })

  scenario('inside an ask is asked once', {
    needs: ['resume'],
    answers: [accept({ name: 'Ada' })],
    server: asksName,
    does: async ({ text, wire }) => {
      const cut = wire.cutAfter('"method":"elicitation/cre')
      const result = await text()
      await cut
      return result
    },
    returns: 'Ada',
    asked: [expect.objectContaining({ method: 'elicitation/create' })],
    errors: BROKEN,
  })

  scenario('while it is asked answers, and receives the result when it resumes', {
    needs: ['resume'],
    answers: async () => {
      await latch.wait()
      return accept({ name: 'Ada' })
    },
    server: asksName,
    does: async (stage) => {
      latch = createLatch()
      const result = stage.text()
      await eventually(() => stage.asked().length).toBe(1)
      stage.wire.cut()
      latch.open()
      return result
    },
    returns: 'Ada',
    asked: [expect.objectContaining({ method: 'elicitation/create' })],
    errors: ANY,
  })

  scenario('receives each change of that time once', {
    needs: ['resume', 'changes'],
    does: async ({ subscribe, wire, notices }) => {
      await subscribe(['note://a'])
      await eventually(() => streamsOf(wire).length).toBe(1)
      await publish.resourceUpdated('note://a')
      await eventually(() => notices().length).toBe(1)
      wire.cut()
      await publish.resourceUpdated('note://a')
      await publish.toolsChanged()
      await eventually(() => notices().length).toBe(3)
      await publish.promptsChanged()
      await eventually(() => notices().length).toBe(4)
      const ids = streamsOf(wire)
        .flatMap(eventsOf)
        .map(({ id }) => id)
      return new Set(ids).size === ids.length
    },
    returns: true,
    notified: ['note://a', 'note://a', 'tools/list_changed', 'prompts/list_changed'],
    errors: BROKEN,
  })

  scenario('receives the result of a call that another client of the session has started', {
    needs: ['resume', 'session id'],
    does: async ({ run, client, sessionId, another }) => {
      latch = createLatch()
      const token = Promise.withResolvers<string>()
      const started = run(
        async ({ progress }) => {
          await progress(1)
          await latch.wait()
          return 'done'
        },
        { onresumptiontoken: token.resolve, onprogress: () => undefined },
      )
      const resumptionToken = await token.promise
      const id = sessionId()
      await client.close()
      await expect(started).rejects.toThrow('Connection closed')
      const second = await another({ sessionId: id })
      const resumed = second.text(() => 'again', { resumptionToken })
      latch.open()
      return resumed
    },
    returns: 'done',
    notified: ANY,
    errors: ANY,
  })
})

describe('a tool that closes its stream', () => {
  scenario('answers a client that reconnects after the retry time', {
    cites: () => verifies('streamable-http/client-respects-retry'),
    needs: ['resume'],
    rows: everyRow,
    server: async ({ closeStream }) => {
      closeStream()
      await new Promise((resolve) => setTimeout(resolve, 20))
      return 'done'
    },
    does: async ({ text, wire }) => {
      const results = await Promise.all([text(), text(), text()])
      const resumed = resumedStreamsOf(wire)
      const ids = resumed.map(({ headers }) => numberOf(headers.get('last-event-id')))
      return [results, ids, resumed.map((stream) => eventsOf(stream).map(({ id }) => numberOf(id)))]
    },
    returns: [
      ['done', 'done', 'done'],
      ['~0', '~0', '~0'],
      [
        ['~0', '~1'],
        ['~0', '~1'],
        ['~0', '~1'],
      ],
    ],
    differs: [
      {
        on: isOver('2025-06-18', '2025-03-26'),
        because: 'their streams have no first event to resume from',
        returns: [['done', 'done', 'done'], [], []],
      },
    ],
  })
})

describe('a client that cancels calls one after the other', () => {
  scenario('asks at most twice for the rest of each', {
    needs: ['resume'],
    server: async ({ signal, log }) => {
      await log('info', 'started')
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return 'late'
    },
    does: async ({ run, notices, wire }) => {
      const refused = () =>
        wire.exchanges.flatMap(({ method, status, headers }) =>
          method === 'GET' && status === 405 ? [headers.get('last-event-id')] : [],
        )
      for (const count of [1, 2, 3]) {
        const controller = new AbortController()
        const called = run(undefined, { signal: controller.signal })
        await eventually(() => notices().length).toBe(count)
        controller.abort(new Error('aborted by the test'))
        await expect(called).rejects.toThrow('aborted by the test')
        await eventually(() => refused().length).toBe(count)
      }
      // The first streams have had the time of several retries.
      return [refused().length, new Set(refused()).size]
    },
    returns: [3, 3],
    notified: ['info: started', 'info: started', 'info: started'],
    reported: ANY,
    errors: ANY,
  })
})
