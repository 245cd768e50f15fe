/**
 * One tool that works for minutes, called by each client that `edgeway/testing` plays, all at once and in real time, while
 * the server is killed. Each client does what its model would do: it waits by `get_result`, also after a broken connection.
 */
import { join } from 'node:path'
import { PROFILE_NAMES, type ProfileName } from '../../../packages/client/src/profiles.ts'
import { openClient, resolveClient } from '../../../packages/testing/src/open-client.ts'
import type { TestClient, ToolResult } from '../../../packages/testing/src/test-client.ts'
import { PROJECT_DIRECTORY } from '../../../scripts/support/project.ts'
import { delay } from '../sessions/delay.ts'
import { PersistentServer } from '../sessions/persistent-server.ts'

export interface LongWorkOptions {
  readonly seconds: number
  readonly kills: number
  /** How long a request holds a call. Default: that of the library. */
  readonly holdMs?: number
  readonly onProgress?: (line: string) => void
}

export interface LongWorkReport {
  readonly seconds: number
  readonly kills: number
  readonly clients: readonly {
    readonly as: ProfileName
    readonly tookSeconds: number
    /** The requests that have waited for the rest. */
    readonly waits: number
    /** The connections that a kill has broken. */
    readonly broken: number
    readonly result: unknown
  }[]
  /** Counters of steps that do not have the value 1. */
  readonly repeated: Readonly<Record<string, number>>
  readonly internalErrors: boolean
}

const HANDLE = 'dev.edgeway/handle'

/** How long the server may be away. */
const AWAY_MS = 30_000
const RETRY_MS = 300

export async function runLongWork({
  seconds,
  kills,
  holdMs,
  onProgress = () => undefined,
}: LongWorkOptions): Promise<LongWorkReport> {
  const configPath = join(PROJECT_DIRECTORY, 'test/fixtures/long-work/wrangler.toml')
  const vars = { HOLD_MS: holdMs === undefined ? '' : String(holdMs) }
  const server = await PersistentServer.start(undefined, { configPath, vars })
  try {
    const startedAt = Date.now()
    const handles = new Set<ProfileName>()
    const clients = PROFILE_NAMES.map((as) => follow(server.url, as, seconds, handles))
    const settled = Promise.all(clients)
    for (let kill = 1; kill <= kills; kill++) {
      const at = startedAt + (seconds * 1000 * kill) / (kills + 1)
      while (Date.now() < at || handles.size < PROFILE_NAMES.length) {
        if (Date.now() > startedAt + seconds * 1000) break
        await delay(100)
      }
      await server.kill()
      await server.startAgain({ samePort: true })
      onProgress(`${Math.round((Date.now() - startedAt) / 1000)} s: kill ${kill}`)
    }
    const reports = await settled
    const response = await fetch(new URL('/counters', server.url))
    const counters = Object.entries((await response.json()) as Record<string, number>)
    const repeated = counters.filter(([, value]) => value !== 1)
    const expected = seconds * PROFILE_NAMES.length
    const missing = expected - counters.length
    return {
      seconds,
      kills,
      clients: reports,
      repeated: Object.fromEntries(missing === 0 ? repeated : [...repeated, ['missing', missing]]),
      internalErrors: server.log.includes('internal-error'),
    }
  } finally {
    await server.stop()
  }
}

/** Calls the tool as a client, and waits for its result. */
async function follow(
  url: string,
  as: ProfileName,
  seconds: number,
  handles: Set<ProfileName>,
): Promise<LongWorkReport['clients'][number]> {
  let broken = 0
  const fetchAgain = async (request: Request): Promise<Response> => {
    const until = Date.now() + AWAY_MS
    for (;;) {
      try {
        const response = await fetch(request.clone())
        // A task that the client itself follows has an id from the first answer on.
        if (response.ok) noteTask(request, as, handles)
        return response
      } catch (error) {
        // The first call starts the work, and is not repeated.
        if (!mayRepeat(request) || Date.now() > until) throw error
        broken++
        await delay(RETRY_MS)
      }
    }
  }
  const place = { send: fetchAgain, settled: async () => undefined, url }
  const client = await openClient(place, resolveClient({ as }))
  const startedAt = Date.now()
  let waits = 0
  let result = await client.callTool('report', { name: as, seconds })
  while (result._meta?.[HANDLE] !== undefined) {
    handles.add(as)
    const handle = String(result._meta[HANDLE])
    waits++
    result = await waitFor(client, handle, () => broken++)
  }
  const tookSeconds = Math.round((Date.now() - startedAt) / 1000)
  return { as, tookSeconds, waits, broken, result: result.structuredContent ?? result.content }
}

async function waitFor(
  client: TestClient,
  handle: string,
  onBroken: () => void,
): Promise<ToolResult> {
  for (let failures = 1; ; failures++) {
    try {
      return await client.callTool('get_result', { handle })
    } catch (error) {
      if (failures * RETRY_MS > AWAY_MS) throw error
      onBroken()
      await delay(RETRY_MS)
    }
  }
}

const methodOf = (request: Request) => request.headers.get('mcp-method') ?? ''

/** Whether a request that failed may be sent again: every one but a call of a tool. */
const mayRepeat = (request: Request) => methodOf(request) !== 'tools/call'

function noteTask(request: Request, as: ProfileName, handles: Set<ProfileName>): void {
  if (as === 'claude-code' && methodOf(request) === 'tasks/get') handles.add(as)
  if (as === 'vscode') handles.add(as)
}
