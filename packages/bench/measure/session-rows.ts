/** Counts the objects and rows that a thousand sessions without any work leave on disk. */
import type { Lane } from '../lanes/lane.ts'
import { type LoadRequest, sessionCall, sessionList } from '../load/request.ts'
import { openSession, startSession } from '../load/session.ts'
import { bundleOf } from './bundle.ts'
import { parseResult } from './json-rpc-result.ts'
import { readStorage, type Stored } from './storage.ts'
import { Workerd } from './workerd.ts'

export const SESSIONS = 1000

export type SessionUse = 'initialize' | 'list-and-call'

export interface SessionRows extends Stored {
  readonly lane: Lane
  readonly use: SessionUse
}

/** Sessions that are opened concurrently. */
const CONCURRENCY = 16

/** Time in which a server completes its deferred writes. */
const SETTLE_MS = 2_000

const USES: Readonly<Record<SessionUse, (url: string, revision: string) => Promise<string>>> = {
  initialize: async (url, revision) => requireSessionId(await startSession(url, revision)),
  'list-and-call': async (url, revision) => {
    const sessionId = requireSessionId(await openSession(url, revision))
    await send(url, sessionList(revision, sessionId))
    await send(url, sessionCall(revision, sessionId))
    return sessionId
  },
}

/** Measures each use on a new server. @throws {Error} for a session that fails or a repeated id */
export async function measureSessionRows(
  lanes: readonly Lane[],
  progress: (text: string) => void,
): Promise<readonly SessionRows[]> {
  const counted: SessionRows[] = []
  for (const lane of lanes.filter(({ supports }) => supports.includes('session-rows'))) {
    for (const use of Object.keys(USES) as SessionUse[]) {
      progress(`${SESSIONS} sessions, ${use}: ${lane.name}`)
      counted.push({ lane, use, ...(await storageAfter(lane, use)) })
    }
  }
  return counted
}

async function storageAfter(lane: Lane, use: SessionUse): Promise<Stored> {
  const bindings = lane.bindings?.['session-one-tool']
  const [className] = Object.values(bindings?.objects ?? {})
  if (className === undefined) throw new Error(`${lane.name} has no objects`)
  const server = await Workerd.spawn(await bundleOf(lane, 'session-one-tool'), bindings)
  try {
    await server.ready()
    const sessionIds = new Set<string>()
    for (let opened = 0; opened < SESSIONS; opened += CONCURRENCY) {
      const some = Array.from({ length: Math.min(CONCURRENCY, SESSIONS - opened) }, () =>
        USES[use](server.url, lane.sessionRevision),
      )
      for (const sessionId of await Promise.all(some)) sessionIds.add(sessionId)
    }
    if (sessionIds.size < SESSIONS) throw new Error(`${lane.name} issues a session id twice`)
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
    return readStorage(await server.end(), className)
  } finally {
    await server.stop()
  }
}

function requireSessionId(sessionId: string | undefined): string {
  if (sessionId === undefined) throw new Error('The response to initialize has no session id')
  return sessionId
}

async function send(url: string, { headers, body }: LoadRequest): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers: { ...headers }, body })
  const text = await response.text()
  if (response.status === 200 && parseResult(text) !== undefined) return
  throw new Error(`The response in a session is ${response.status}: ${text.slice(0, 400)}`)
}
