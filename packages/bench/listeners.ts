/** `npm run listeners`: measures idle streams and publications to many of them, and saves `results/listeners.json`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { LANES } from './lanes/lanes.ts'
import { modernListen, requestBytes, sessionStreamBytes } from './load/request.ts'
import { startSession } from './load/session.ts'
import { type Crowd, measureCrowd } from './measure/crowd.ts'
import { DRIVER_CORE, pinProcess } from './measure/processor.ts'
import { measureStreamMemory, type StreamKind, type StreamMemory } from './measure/stream-memory.ts'
import type { Workerd } from './measure/workerd.ts'

const USAGE = `npm run listeners -- [options]
  --memory N     idle streams whose memory is measured; default 2000, 0 for none
  --listeners N  listeners of the crowd, at most 10000; default 10000, 0 for none
  --sessions N   session streams of the crowd; default 1000, 0 for none
`

/** The limit of listeners that the server sets. */
const LIMIT = 10_000

/** Sessions that are opened at the same time. */
const CONCURRENCY = 20

/** Sockets of workerd for one connection. Without a free one it resets the next connection. */
const FILES_PER_STREAM = 2

/** What workerd has open besides for one session: its database and the log of that. */
const FILES_PER_SESSION = 3

const OTHER_FILES = 500

const laneOf = (folder: string) => {
  const lane = LANES.find((one) => one.folder === folder)
  if (lane === undefined) throw new Error(`There is no lane ${folder}`)
  return lane
}
const EDGEWAY = laneOf('edgeway')
const sameRequest = async ({ port }: Workerd) => {
  const request = requestBytes(modernListen, port)
  return () => request
}

const BARE: StreamKind = {
  name: 'bare event stream',
  lane: { ...laneOf('bare'), compatibilityFlags: EDGEWAY.compatibilityFlags },
  entry: 'event-stream',
  requests: sameRequest,
  opening: ': open',
}
const LISTENER: StreamKind = {
  name: 'subscriptions/listen',
  lane: EDGEWAY,
  entry: 'crowd',
  requests: sameRequest,
  opening: '"notifications/subscriptions/acknowledged"',
}
const SESSION: StreamKind = {
  name: 'GET stream of a session',
  lane: EDGEWAY,
  entry: 'crowd',
  requests: sessionRequests,
  opening: 'data:',
}

try {
  await main()
} catch (error) {
  for (let cause: unknown = error; cause !== undefined; ) {
    process.stderr.write(`${cause instanceof Error ? cause.message : cause}\n`)
    cause = cause instanceof Error ? cause.cause : undefined
  }
  process.exitCode = 1
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      memory: { type: 'string', default: '2000' },
      listeners: { type: 'string', default: '10000' },
      sessions: { type: 'string', default: '1000' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return void process.stdout.write(USAGE)
  const counts = [values.memory, values.listeners, values.sessions].map(Number)
  const [idle = 0, listeners = 0, sessions = 0] = counts
  if (!counts.every((count) => Number.isSafeInteger(count) && count >= 0)) throw new Error(USAGE)
  const ofSessions = Math.max(idle, sessions) * (FILES_PER_STREAM + FILES_PER_SESSION)
  checkOpenFiles(Math.max(listeners * FILES_PER_STREAM, ofSessions) + OTHER_FILES)
  pinProcess(process.pid, DRIVER_CORE)
  const memory: StreamMemory[] = []
  const crowds: Crowd[] = []
  if (idle > 0) {
    for (const kind of [BARE, LISTENER, SESSION]) memory.push(await measureStreamMemory(kind, idle))
  }
  if (listeners > 0) crowds.push(await measureCrowd(LISTENER, listeners, listeners === LIMIT))
  if (sessions > 0) crowds.push(await measureCrowd(SESSION, sessions, false))
  save({ memory, crowds })
  process.stdout.write(
    `${[...memoryLines(memory), '', ...crowds.flatMap(crowdLines)].join('\n')}\n`,
  )
}

/** workerd inherits the limit. @throws {Error} before a server is started */
function checkOpenFiles(needed: number): void {
  const { userLimits } = process.report.getReport() as Report
  const limit = userLimits.open_files.soft
  if (typeof limit !== 'number' || limit >= needed) return
  throw new Error(
    `The limit of open files is ${limit}, and ${needed} are needed: ulimit -n ${needed}`,
  )
}

/** The part of the report that Node's types do not describe. */
interface Report {
  readonly userLimits: { readonly open_files: { readonly soft: number | 'unlimited' } }
}

async function sessionRequests({ url, port }: Workerd, count: number) {
  const ids: string[] = []
  while (ids.length < count) {
    const opened = Array.from({ length: Math.min(CONCURRENCY, count - ids.length) }, () =>
      startSession(url, EDGEWAY.sessionRevision),
    )
    for (const id of await Promise.all(opened)) {
      if (id === undefined) throw new Error('The server issued no session id')
      ids.push(id)
    }
  }
  return (index: number) => sessionStreamBytes(EDGEWAY.sessionRevision, ids[index] ?? '', port)
}

function save(measured: { memory: readonly StreamMemory[]; crowds: readonly Crowd[] }): void {
  const folder = new URL('results/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  const text = JSON.stringify({ at: new Date().toISOString(), ...measured }, null, 2)
  writeFileSync(new URL('listeners.json', folder), `${text}\n`)
}

function memoryLines(memory: readonly StreamMemory[]): string[] {
  const bare = memory[0]?.residentBytesPerStream ?? Number.NaN
  const kilobytes = (bytes: number) => (bytes / 1024).toFixed(1)
  return [
    '| idle stream | resident KB each | ÷ bare | heap KB each | heap MB with all |',
    '|---|--:|--:|--:|--:|',
    ...memory.map(
      ({ name, residentBytesPerStream: resident, heapBytesPerStream, heapBytes }) =>
        `| ${name} | ${kilobytes(resident)} | ${(resident / bare).toFixed(2)} | ` +
        `${kilobytes(heapBytesPerStream)} | ${(heapBytes / 1024 / 1024).toFixed(1)} |`,
    ),
  ]
}

function crowdLines({
  name,
  streams,
  openMilliseconds,
  publications,
  storm,
  refused,
}: Crowd): string[] {
  const times = publications.map(({ milliseconds }) => milliseconds.toFixed(0)).join(', ')
  return [
    `${streams} streams, ${name}: opened in ${(openMilliseconds / 1000).toFixed(1)} s, 1 shard`,
    `- last delivery of one publication after ${times} ms`,
    `- a storm of ${storm.publications}: answered after ${storm.publishMilliseconds.toFixed(0)} ms, ` +
      `last delivery after ${storm.quietMilliseconds.toFixed(0)} ms, ` +
      `${storm.fewest} to ${storm.most} notifications each`,
    ...(refused === undefined
      ? []
      : [`- one more: ${refused.status}, Retry-After ${refused.retryAfter}, "${refused.message}"`]),
  ]
}
