/** Streams that are open all month and carry a few changes. */
import { LAST_USE_S } from './calls.ts'
import { type Estimate, type HotSpot, MONTH_MINUTES, MONTH_S } from './estimate.ts'
import { count } from './figures.ts'
import {
  REQUESTS_PER_OBJECT_SECOND,
  SOCKETS_PER_OBJECT,
  SUBREQUESTS_PER_INVOCATION,
} from './limits.ts'
import { type Design, type Measured, operation, storedBytes } from './measured.ts'
import type { Parameters } from './parameters.ts'
import { NOTHING, sum, times, type Usage } from './usage.ts'

/** The default of `hub.listenersPerShard`. */
const LISTENERS_PER_SHARD = 10_000

/** Every open stream checks its grant in this interval. */
const STREAM_CHECK_S = 30

/** An access token lives a day, and its stream ends with it. */
const TOKENS_PER_MONTH = 30

/** Requests of one invocation that the platform lets wait at the same time. */
const WAITING_REQUESTS = 6

export function streamEstimates(measured: Measured, parameters: Parameters): readonly Estimate[] {
  const { streams } = parameters
  const shards = shardsOf(streams)
  const of = (design: Design, name: string) => operation(measured, design, name)
  const openings = parameters.reconnects + 1
  const opened = (design: Design, name: string) => times(openings, of(design, name))
  const minutes = (design: Design, name: string) => times(MONTH_MINUTES, idle(of(design, name)))
  const changes = (name: string) => times(parameters.changes, of('edgeway', name))
  const all = (...parts: readonly Usage[]) => times(streams, sum(...parts))
  const listener = of('edgeway', 'open-listener')
  return [
    {
      design: 'Edgeway, `subscriptions/listen`',
      objects: shards,
      usage: all(
        times(openings, listener),
        minutes('edgeway', 'listener-minute'),
        changes('change-to-listener'),
      ),
    },
    {
      design: 'Edgeway, `subscriptions/listen` with `embedded()`',
      objects: shards + streams,
      usage: all(
        times(Math.max(openings, TOKENS_PER_MONTH), listener),
        { ...minutes('edgeway', 'authorized-listener-minute'), rowsWritten: 0 },
        times(MONTH_S / LAST_USE_S, { ...NOTHING, rowsWritten: 1 }),
        changes('change-to-listener'),
      ),
    },
    {
      design: 'Edgeway, stream of a session',
      objects: shards + streams,
      usage: all(
        of('edgeway', 'open-session'),
        opened('edgeway', 'open-stream'),
        minutes('edgeway', 'stream-minute'),
        changes('change-on-stream'),
      ),
    },
    {
      design: '`McpAgent`, stream of a session',
      objects: streams,
      usage: all(
        of('mcp-agent', 'open-session'),
        times(MONTH_S / parameters['idle-timeout-s'], of('mcp-agent', 'open-stream')),
        minutes('mcp-agent', 'stream-minute'),
        { ...NOTHING, storedBytes: storedBytes(measured, 'mcp-agent', 'session') },
      ),
    },
    {
      design: 'Official SDK, `subscriptions/listen`',
      objects: 0,
      usage: all(opened('sdk', 'open-listener'), minutes('sdk', 'listener-minute')),
    },
    {
      design: 'Plain Worker, event stream',
      objects: 0,
      usage: all(opened('plain', 'open-listener'), minutes('plain', 'listener-minute')),
    },
  ]
}

/** An idle stream sends heartbeats alone, which the platform answers. */
function idle(minute: Usage): Usage {
  return { ...minute, messages: 0, heartbeats: minute.messages }
}

function shardsOf(streams: number): number {
  return Math.ceil(streams / LISTENERS_PER_SHARD)
}

export function streamHotSpots({ streams }: Parameters): readonly HotSpot[] {
  const shards = shardsOf(streams)
  const perShard = streams / shards
  const seconds = perShard / REQUESTS_PER_OBJECT_SECOND
  return [
    {
      object: 'a shard of the hub: WebSockets',
      load: `${count(perShard)} listeners`,
      limit: `${count(SOCKETS_PER_OBJECT)} WebSockets`,
      answer: `\`changes({ shards: ${count(shards)} })\`; a shard refuses more than \`listenersPerShard\` with a reason`,
    },
    {
      object: 'a shard of the hub: all streams open again after a deployment',
      load: `${count(perShard)} requests`,
      limit: `${count(REQUESTS_PER_OBJECT_SECOND)} requests/s`,
      answer: `the shard needs ${count(seconds)} s; a stream that waits for longer than \`shardTimeoutMs\` is refused, and its client tries again; more shards need less time`,
    },
    {
      object: 'the Worker that publishes',
      load: `${count(shards)} object requests for one change`,
      limit: `${count(SUBREQUESTS_PER_INVOCATION)} subrequests, ${WAITING_REQUESTS} of them waiting`,
      answer: `${count(Math.ceil(shards / WAITING_REQUESTS))} round trips; a change for one subject goes to one shard`,
    },
    {
      object: 'the account of a caller with a stream',
      load: `one check in ${STREAM_CHECK_S} s for each isolate that holds streams of it`,
      limit: `${count(REQUESTS_PER_OBJECT_SECOND)} requests/s`,
      answer: 'one account for each subject; `listenersPerSubject` bounds its streams',
    },
    {
      object: 'the invocation that holds a stream with `embedded()`',
      load: `${60 / STREAM_CHECK_S} subrequests a minute`,
      limit: `${count(SUBREQUESTS_PER_INVOCATION)} subrequests`,
      answer: `${count((SUBREQUESTS_PER_INVOCATION * STREAM_CHECK_S) / 3600)} hours; an access token lives for 24, and the stream ends with it`,
    },
    {
      object: 'the keyring',
      load: 'one request in an hour for each isolate',
      limit: `${count(REQUESTS_PER_OBJECT_SECOND)} requests/s`,
      answer: 'isolates cache the keys; `EDGEWAY_SECRET` replaces the object for sealing',
    },
  ]
}
