/** Servers that fail during the examination: it ends in time and names the failure alone. */

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { type Defect, json, rejectsModern } from '../../faults/test/planted/plant.ts'
import { legacySse } from '../../faults/test/planted/reaching.ts'
import { codesOf, concerned, disconnected, examineQuickly } from './examine.ts'
import { type ReferenceServer, startReferenceServer } from './reference-server.ts'
import { stoppedAfterAll } from './started.ts'

const started = stoppedAfterAll()

/** Refuses the POST requests at the endpoint after some. */
function limitedTo(requests: number): Defect {
  let served = 0
  return (request, next) => {
    if (request.path !== '/mcp' || request.method !== 'POST') return next()
    served += 1
    return served > requests ? json({ error: 'Too many requests' }, 429) : next()
  }
}

describe('the doctor at a server that fails during the examination', () => {
  it.for([
    { method: 'tools/list', revision: '2026-07-28', code: 'connection-failed' },
    { method: 'tools/list', revision: '2025-11-25', code: 'connection-failed' },
    { method: 'doctor-unknown-method', revision: '2025-11-25', code: 'connection-failed' },
    {
      method: 'notifications/initialized',
      revision: '2025-11-25',
      code: 'notification-refused',
    },
  ])(
    'names $code alone when $method of $revision ends the process',
    async ({ method, revision, code }, { expect, onTestFinished }) => {
      let stopped: Promise<void> | undefined
      const server: ReferenceServer = await startReferenceServer({
        defect: (request, next, origin) => {
          const isOfEra = request.headers['mcp-protocol-version'] === revision
          if (isOfEra && String(request.json.method).endsWith(method)) {
            stopped ??= server.stop()
            return undefined
          }
          return revision === '2026-07-28' ? next() : rejectsModern(request, next, origin)
        },
      })
      onTestFinished(() => stopped ?? server.stop())
      const report = await examineQuickly(server.url)
      expect(codesOf(report)).toEqual([code])
      expect(disconnected(report)).toHaveLength(9)
    },
  )

  it('names rate-limited when a client gets no further than its handshake', async ({ expect }) => {
    const server = await started(startReferenceServer({ defect: limitedTo(8) }))
    const report = await examineQuickly(server.url)
    expect(codesOf(report)).toEqual(['rate-limited'])
    expect(disconnected(report)).toHaveLength(9)
  })

  it('ends with a note when a limit refuses more requests than a client sends', async ({
    expect,
  }) => {
    const server = await started(startReferenceServer({ defect: limitedTo(14) }))
    const report = await examineQuickly(server.url)
    expect(codesOf(report)).toEqual([])
    expect(report.notes).toContainEqual(expect.stringContaining('limits the rate of requests'))
  })

  it('names answers-slow and ends when every response takes long', async ({ expect }) => {
    const server = await started(
      startReferenceServer({
        defect: async (_, next) => {
          await sleep(50)
          return next()
        },
      }),
    )
    const startedAt = Date.now()
    const report = await examineQuickly(server.url, { budgetMs: 700 })
    expect(codesOf(report)).toEqual(['answers-slow'])
    expect(concerned(report, 'answers-slow')).toHaveLength(9)
    expect(Date.now() - startedAt).toBeLessThan(60_000)
  })
})

describe('the doctor at a server of the HTTP+SSE transport alone', () => {
  it('reports that it was reached, although some clients do not connect', async ({ expect }) => {
    const server = await started(startReferenceServer({ defect: legacySse('/messages') }))
    const report = await examineQuickly(server.url)
    expect(codesOf(report)).toEqual(['legacy-sse-only'])
    expect(report.isReached).toBe(true)
  })

  it('names legacy-sse-only alone when the transport is served with a token', async ({
    expect,
  }) => {
    const served = legacySse('/messages')
    const server = await started(
      startReferenceServer({
        isProtected: true,
        defect: (request, next, origin) =>
          request.headers.authorization === undefined
            ? next()
            : served(request, () => next(), origin),
      }),
    )
    const report = await examineQuickly(server.url, { active: true })
    expect(codesOf(report)).toEqual(['legacy-sse-only'])
    expect(disconnected(report)).toEqual(['Claude Code', 'Codex', 'Gemini CLI'])
  })

  it.for([
    ['at another origin', 'http://127.0.0.2:9/messages'],
    ['of a path that answers 404', '/nothing'],
    ['that is no URL', 'http://['],
  ])('names legacy-sse-fails for an endpoint event %s', async ([, endpoint], { expect }) => {
    const server = await started(startReferenceServer({ defect: legacySse(endpoint as string) }))
    const report = await examineQuickly(server.url)
    expect(codesOf(report)).toEqual(['legacy-sse-only', 'legacy-sse-fails'])
    expect(disconnected(report)).toHaveLength(9)
    expect(server.requests.filter(({ method }) => method === 'POST')).not.toEqual([])
  })

  it('names legacy-sse-fails when the stream has no response to initialize', async ({ expect }) => {
    const served = legacySse('/messages')
    const server = await started(
      startReferenceServer({
        defect: (request, next, origin) =>
          request.path === '/messages' ? { status: 202 } : served(request, next, origin),
      }),
    )
    const report = await examineQuickly(server.url, { timeoutMs: 1500 })
    expect(codesOf(report)).toEqual(['legacy-sse-only', 'legacy-sse-fails'])
  })
})
