/** What a thousand sessions leave on disk that never had anything to keep. */
import type { Lane } from '../lanes/lane.ts'
import { type LoadRequest, sessionCall, sessionList } from '../load/request.ts'
import { openSession, startSession } from '../load/session.ts'
import { parseAnswer } from './answer.ts'
import { bundleOf } from './contest.ts'
import { type Stored, storedBy } from './storage.ts'
import { Workerd } from './workerd.ts'

export const SESSIONS = 1000

export type SessionUse = 'initialize' | 'list-and-call'

export interface SessionRows extends Stored {
  readonly lane: Lane
  readonly use: SessionUse
}

/** How many are open at a time. */
const AT_ONCE = 16

/** In which a server writes what it had put off. */
const REST_MS = 2_000

const BINDING = 'MCP_SESSION'

const USES: Readonly<Record<SessionUse, (url: string, revision: string) => Promise<string>>> = {
  initialize: async (url, revision) => mustOpen(await startSession(url, revision)),
  'list-and-call': async (url, revision) => {
    const sessionId = mustOpen(await openSession(url, revision))
    await ask(url, sessionList(revision, sessionId))
    await ask(url, sessionCall(revision, sessionId))
    return sessionId
  },
}

/** Each use on a server of its own. @throws {Error} unless every session is opened and answered */
export async function measureSessionRows(
  lanes: readonly Lane[],
  progress: (text: string) => void,
): Promise<readonly SessionRows[]> {
  const counted: SessionRows[] = []
  for (const lane of lanes.filter(({ works }) => works.includes('session-rows'))) {
    for (const use of Object.keys(USES) as SessionUse[]) {
      progress(`${SESSIONS} sessions, ${use}: ${lane.name}`)
      counted.push({ lane, use, ...(await leftBehind(lane, use)) })
    }
  }
  return counted
}

async function leftBehind(lane: Lane, use: SessionUse): Promise<Stored> {
  const bindings = lane.bindings?.['session-one-tool']
  const className = bindings?.objects?.[BINDING]
  if (className === undefined) throw new Error(`${lane.name} has no ${BINDING}`)
  const server = await Workerd.spawn(await bundleOf(lane, 'session-one-tool'), bindings)
  try {
    await server.ready()
    const given = new Set<string>()
    for (let opened = 0; opened < SESSIONS; opened += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, SESSIONS - opened) }, () =>
        USES[use](server.url, lane.sessionRevision),
      )
      for (const sessionId of await Promise.all(some)) given.add(sessionId)
    }
    if (given.size < SESSIONS) throw new Error(`${lane.name} gives a session id twice`)
    await new Promise((resolve) => setTimeout(resolve, REST_MS))
    return storedBy(await server.end(), className)
  } finally {
    await server.stop()
  }
}

function mustOpen(sessionId: string | undefined): string {
  if (sessionId === undefined) throw new Error('initialize opens no session')
  return sessionId
}

async function ask(url: string, { headers, body }: LoadRequest): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers: { ...headers }, body })
  const text = await response.text()
  if (response.status === 200 && parseAnswer(text) !== undefined) return
  throw new Error(`A session is answered with ${response.status}: ${text.slice(0, 400)}`)
}
