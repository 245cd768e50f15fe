/** What the vitest projects of the runtime and of the packages share. A file of tests belongs to one project. */
import { resolve } from 'node:path'
import { cloudflareTest } from '@cloudflare/vitest-plugin'

/** No test waits this long. The limits end a test that hangs, and must not end one on a busy machine. */
const HANG_TIMEOUTS = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 30_000 } },
}

/** For tests that start servers. */
const SERVER_TIMEOUTS = { ...HANG_TIMEOUTS, testTimeout: 300_000, hookTimeout: 300_000 }

export const sqlite = (className: string) => ({ className, useSQLite: true })

/** What the views of the examples import by the name of the package. */
const SOURCE = {
  alias: { 'edgeway/apps': resolve(import.meta.dirname, '../../../src/features/apps/index.ts') },
}

type WorkersOptions = Exclude<Parameters<typeof cloudflareTest>[0], (...args: never) => unknown>

/** What a project says of its files: patterns from the root of the repository. */
export interface TestFiles {
  readonly include: string[]
  readonly exclude?: string[]
  readonly globalSetup?: string[]
}

/** The environment of the test Worker, `test/support/worker.ts`, which has every feature. */
const fullWorker: WorkersOptions = {
  main: './test/support/worker.ts',
  miniflare: {
    compatibilityDate: '2026-11-01',
    compatibilityFlags: ['enable_request_signal', 'global_fetch_strictly_public'],
    bindings: {
      // The seed of the property suites; empty chooses a random one per run.
      EDGEWAY_SEED: process.env.EDGEWAY_SEED ?? '',
      // How often each fault is injected into the objects of events.
      EDGEWAY_TIMES: process.env.EDGEWAY_TIMES ?? '1',
    },
    analyticsEngineDatasets: { MCP_ANALYTICS: { dataset: 'edgeway' } },
    r2Buckets: ['MCP_FILES'],
    workerLoaders: { LOADER: {} },
    ratelimits: {
      FIVE_PER_MINUTE: { namespace_id: '1', simple: { limit: 5, period: 60 } as const },
    },
    durableObjects: {
      AUDIT_LOG: sqlite('AuditLog'),
      EVENT_LOG: sqlite('EventLogObject'),
      MCP_OBJECTS: sqlite('McpObjects'),
      ACCOUNT_SHORT_GRANTS: sqlite('ShortGrantsAccount'),
      ACCOUNT_SHORT_REFRESH_TOKENS: sqlite('ShortRefreshTokensAccount'),
      ACCOUNT_THREE_GRANTS: sqlite('ThreeGrantsAccount'),
      ACCOUNT_LOW_CAPS: sqlite('LowCapsAccount'),
      SUBSCRIBER_OBJECT: sqlite('SubscriberObject'),
    },
  },
}

/** A project in workerd. */
export function inWorkerd(name: string, test: TestFiles, worker?: WorkersOptions) {
  const setupFiles = worker === undefined ? ['test/support/started-objects.ts'] : []
  return {
    resolve: SOURCE,
    plugins: [cloudflareTest(worker ?? fullWorker)],
    test: { name, ...HANG_TIMEOUTS, setupFiles, ...test },
  }
}

/** A project in Node. */
export function inNode(name: string, test: TestFiles) {
  return { resolve: SOURCE, test: { name, ...HANG_TIMEOUTS, ...test } }
}

/** A project in Node whose tests start servers and other programs. */
export function withServers(name: string, test: TestFiles, limits: { hookTimeout?: number } = {}) {
  return { resolve: SOURCE, test: { name, ...SERVER_TIMEOUTS, ...limits, ...test } }
}
