/** The limits of the platform that a large deployment meets. */
import type { Source } from './prices.ts'

export interface Limit {
  readonly title: string
  readonly value: string
  readonly source: Source
}

const OBJECT_LIMITS: Source = {
  page: 'https://developers.cloudflare.com/durable-objects/platform/limits/',
  lastUpdated: '2026-06-01',
}

const WORKER_LIMITS: Source = {
  page: 'https://developers.cloudflare.com/workers/platform/limits/',
  lastUpdated: '2026-07-28',
}

const OBJECT_STATE: Source = {
  page: 'https://developers.cloudflare.com/durable-objects/api/state/#acceptwebsocket',
  lastUpdated: 'no date on the stored copy',
}

/** A soft limit. */
export const REQUESTS_PER_OBJECT_SECOND = 1000

export const SOCKETS_PER_OBJECT = 32_768

export const BYTES_PER_OBJECT = 10e9

export const SUBREQUESTS_PER_INVOCATION = 10_000

export const LIMITS: readonly Limit[] = [
  {
    title: 'requests per second of one object (soft)',
    value: String(REQUESTS_PER_OBJECT_SECOND),
    source: OBJECT_LIMITS,
  },
  { title: 'storage of one object', value: '10 GB', source: OBJECT_LIMITS },
  {
    title: 'hibernatable WebSockets of one object',
    value: SOCKETS_PER_OBJECT.toLocaleString('en-US'),
    source: OBJECT_STATE,
  },
  { title: 'processor time of one invocation', value: '30 s by default', source: OBJECT_LIMITS },
  { title: 'duration of one alarm', value: '15 min', source: OBJECT_LIMITS },
  {
    title: 'duration of a request while its client is connected',
    value: 'none',
    source: WORKER_LIMITS,
  },
  {
    title: 'subrequests of one invocation',
    value: `${SUBREQUESTS_PER_INVOCATION.toLocaleString('en-US')} by default`,
    source: WORKER_LIMITS,
  },
  {
    title: 'connections of one invocation that wait for response headers',
    value: '6',
    source: WORKER_LIMITS,
  },
  { title: 'memory of one isolate', value: '128 MB', source: WORKER_LIMITS },
]
