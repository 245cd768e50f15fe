/**
 * The prices of the Workers Paid plan, in US dollars, and what it includes for a month. `lastUpdated` is
 * the date that the page itself names.
 */

export interface Source {
  readonly page: string
  readonly lastUpdated: string
}

export const WORKERS_PRICING: Source = {
  page: 'https://developers.cloudflare.com/workers/platform/pricing/',
  lastUpdated: '2026-07-07',
}

export const OBJECTS_PRICING: Source = {
  page: 'https://developers.cloudflare.com/durable-objects/platform/pricing/',
  lastUpdated: '2026-06-19',
}

export interface Price {
  readonly title: string
  /** In US dollars for `per` units. */
  readonly dollars: number
  readonly per: number
  readonly unit: string
  readonly included: number
  readonly source: Source
}

export const MONTHLY_FEE = 5

export const PRICES = {
  workerRequests: {
    title: 'Worker requests',
    dollars: 0.3,
    per: 1e6,
    unit: 'requests',
    included: 10e6,
    source: WORKERS_PRICING,
  },
  cpuMilliseconds: {
    title: 'Processor time of Workers',
    dollars: 0.02,
    per: 1e6,
    unit: 'ms',
    included: 30e6,
    source: WORKERS_PRICING,
  },
  objectRequests: {
    title: 'Object requests',
    dollars: 0.15,
    per: 1e6,
    unit: 'requests',
    included: 1e6,
    source: OBJECTS_PRICING,
  },
  durationGbSeconds: {
    title: 'Duration of objects',
    dollars: 12.5,
    per: 1e6,
    unit: 'GB-s',
    included: 400_000,
    source: OBJECTS_PRICING,
  },
  rowsRead: {
    title: 'Rows read',
    dollars: 0.001,
    per: 1e6,
    unit: 'rows',
    included: 25e9,
    source: OBJECTS_PRICING,
  },
  rowsWritten: {
    title: 'Rows written',
    dollars: 1,
    per: 1e6,
    unit: 'rows',
    included: 50e6,
    source: OBJECTS_PRICING,
  },
  storedGb: {
    title: 'Stored data',
    dollars: 0.2,
    per: 1,
    unit: 'GB-month',
    included: 5,
    source: OBJECTS_PRICING,
  },
} as const satisfies Readonly<Record<string, Price>>

/** What the platform bills. */
export type Billed = keyof typeof PRICES

/** Incoming WebSocket messages that are billed as one request of an object. */
export const MESSAGES_PER_REQUEST = 20

/** The memory for which an object is billed, whether it uses it or not. */
export const OBJECT_GB = 0.128
