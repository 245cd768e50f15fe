/** Every test, as one project per kind of place it runs in. */
import { join } from 'node:path'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { FailedFilesReporter } from './scripts/support/failed-files.ts'
import { ensureInspectorPage } from './scripts/support/inspector-page.ts'
import { offerNoCompression } from './scripts/support/uncompressed-sockets.ts'

await ensureInspectorPage()
offerNoCompression()

// The programs that tests start many times, such as wrangler, spend a third of their processor time on
// compilation without it.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '.wrangler/compile-cache')

const runtime = {
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
    AUDIT_LOG: { className: 'AuditLog', useSQLite: true },
    EVENT_LOG: { className: 'EventLogObject', useSQLite: true },
    MCP_OBJECTS: { className: 'McpObjects', useSQLite: true },
    ACCOUNT_SHORT_GRANTS: { className: 'ShortGrantsAccount', useSQLite: true },
    ACCOUNT_SHORT_REFRESH_TOKENS: { className: 'ShortRefreshTokensAccount', useSQLite: true },
    ACCOUNT_THREE_GRANTS: { className: 'ThreeGrantsAccount', useSQLite: true },
    ACCOUNT_LOW_CAPS: { className: 'LowCapsAccount', useSQLite: true },
    SUBSCRIBER_OBJECT: { className: 'SubscriberObject', useSQLite: true },
  },
}

const sqlite = (className: string) => ({ className, useSQLite: true })

/** One Worker with all moved agents: their bindings are those of the Agents SDK, each of its class. */
const agents = {
  compatibilityDate: '2026-11-01',
  compatibilityFlags: ['nodejs_compat', 'enable_request_signal', 'global_fetch_strictly_public'],
  bindings: { MCP_SERVER_NAME: 'accounts-server' },
  kvNamespaces: ['OAUTH_KV'],
  durableObjects: {
    MCP_OBJECTS: sqlite('McpObjects'),
    MCP_OBJECT: sqlite('Calculator'),
    ACCOUNTS: sqlite('Accounts'),
    COUNTER: sqlite('Counter'),
    FAULTY: sqlite('Faulty'),
    FORGETFUL: sqlite('Forgetful'),
    GREETER: sqlite('Greeter'),
    MEMBERS: sqlite('Members'),
    NOTES: sqlite('Notes'),
    OTHER_NOTES: sqlite('OtherNotes'),
    TODOS: sqlite('Todos'),
    VERIFIED: sqlite('Verified'),
  },
}

/** The deployment of the servers that were moved from the SDK. */
const movedServers = {
  compatibilityDate: '2026-11-01',
  compatibilityFlags: ['enable_request_signal', 'global_fetch_strictly_public', 'nodejs_als'],
  bindings: { API_KEY: 'the-key' },
  durableObjects: {
    MCP_OBJECTS: sqlite('McpObjects'),
  },
}

/** The examples whose work runs elsewhere, with the Workflows of miniflare. */
const jobs = {
  compatibilityDate: '2026-11-01',
  compatibilityFlags: ['enable_request_signal'],
  bindings: { EDITOR_TOKEN: 'editor', TRANSCRIBER: 'https://transcriber.example.com' },
  kvNamespaces: ['PAGES'],
  workflows: {
    PUBLICATION: { name: 'publication', className: 'Publication' },
    SCRIPTED: { name: 'scripted', className: 'Scripted' },
  },
  durableObjects: {
    MCP_OBJECTS: sqlite('McpObjects'),
  },
}

/** No test waits this long. The limits end a test that hangs, and must not end one on a busy machine. */
const HANG_TIMEOUTS = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 30_000 } },
}

/** For tests that start servers. */
const SERVER_TIMEOUTS = { ...HANG_TIMEOUTS, testTimeout: 300_000, hookTimeout: 300_000 }

/** The tests of the guide that need no Durable Objects. */
const GUIDE_TESTS = ['tool', 'asking', 'scopes', 'factory', 'clients'].map(
  (name) => `examples/testing/${name}.test.ts`,
)

/**
 * Tests that wait for many programs: installations, servers of other folders, and a run of wrangler for each fault.
 * `npm test` finds a fault of what they start in the tests beside them.
 */
const PROGRAMS = [
  ...['starter', 'use', 'follow-skills'].map((name) => `test/package/${name}.test.ts`),
  'test/contract/command.test.ts',
  ...[
    'admin-answers',
    'admin-command',
    'our-projects',
    'our-servers',
    'planted-configuration',
    'project',
    'server-json-command',
    'several-servers',
    'submissions',
    'timeline',
  ].map((name) => `test/doctor/${name}.test.ts`),
]

/**
 * Tests that replace `setTimeout`. They do so for the whole isolate, in which objects of other tests may still work: a timer
 * of an object would fire in the test, which may not use what belongs to the object.
 */
const FAKE_TIMERS = [
  'test/auth/login/api-key.test.ts',
  'test/auth/login/grant-lease.test.ts',
  'test/auth/resource/grant-checks.test.ts',
  'test/auth/resource/remote-keys.test.ts',
  'test/auth/verifier.test.ts',
  'test/durable-objects/keyring/key-cache.test.ts',
  'test/platform/deadline.test.ts',
  'test/platform/refreshing-cache.test.ts',
  'test/platform/single-flight.test.ts',
  'test/sdk/request-state-codec.test.ts',
  'test/testing/subscription.test.ts',
  'test/transport/stalled-stream.test.ts',
]

/** The files that take longest begin first, so that none of them runs alone at the end. */
const LONGEST = [
  'test/package/follow-skills.test.ts',
  'test/package/starter.test.ts',
  'test/faults/tasks/long-work.test.ts',
  'test/browser/inspector-try.test.ts',
  'test/upgrade/without-features.test.ts',
  'test/browser/hostile-notes.test.ts',
  'test/doctor/our-projects.test.ts',
  'test/contract/command.test.ts',
  'test/upgrade/gradual-deployment.test.ts',
  'test/support/node/suite-events.test.ts',
  'test/upgrade/golden-states.test.ts',
  'test/doctor/directories/hostile.test.ts',
  'test/doctor/events.test.ts',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      LONGEST.some((file) => moduleId.endsWith(`/${file}`))
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // On two cores. Many test files wait for I/O, so that three of them leave a quarter of the processor time.
    maxWorkers: 4,
    reporters: ['default', new FailedFilesReporter()],
    // Files of a project share their modules: a start per file took a third of the time.
    isolate: false,
    projects: [
      {
        plugins: [cloudflareTest({ main: './test/support/worker.ts', miniflare: runtime })],
        test: {
          name: 'workers',
          ...HANG_TIMEOUTS,
          setupFiles: ['test/support/started-objects.ts'],
          include: [
            'test/{platform,protocol,client,server,dispatch,transport,auth,security,telemetry,rate-limits,timeline,events,inspect,feature,discovery,servers,durable-objects,property,context,sdk,openapi,testing,code,search}/**/*.test.ts',
          ],
          exclude: FAKE_TIMERS,
        },
      },
      {
        plugins: [cloudflareTest({ main: './test/support/worker.ts', miniflare: runtime })],
        test: { name: 'timers', ...HANG_TIMEOUTS, include: FAKE_TIMERS },
      },
      {
        plugins: [cloudflareTest({ main: './test/moving/agents/worker.ts', miniflare: agents })],
        test: { name: 'agents', ...HANG_TIMEOUTS, include: ['test/moving/agents/**/*.test.ts'] },
      },
      {
        plugins: [cloudflareTest({ main: './test/moving/sdk/worker.ts', miniflare: movedServers })],
        test: { name: 'moving', ...HANG_TIMEOUTS, include: ['test/moving/sdk/**/*.test.ts'] },
      },
      {
        plugins: [cloudflareTest({ main: './test/jobs/worker.ts', miniflare: jobs })],
        test: { name: 'jobs', ...HANG_TIMEOUTS, include: ['test/jobs/**/*.test.ts'] },
      },
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './wrangler.toml' },
            // Of `examples/code`.
            miniflare: { workerLoaders: { LOADER: {} } },
          }),
        ],
        test: {
          name: 'examples',
          ...HANG_TIMEOUTS,
          include: ['test/examples/**/*.test.ts', 'examples/testing/*.test.ts'],
          globalSetup: ['test/support/node/docs-content.ts'],
        },
      },
      {
        test: {
          name: 'node',
          ...HANG_TIMEOUTS,
          // Tests of definitions also run in plain Node.
          include: [
            'test/*.test.ts',
            'test/contract/**/*.test.ts',
            'test/migrate/*.test.ts',
            'test/ranking/*.test.ts',
            'test/schemas/*.test.ts',
            ...GUIDE_TESTS,
          ],
          exclude: PROGRAMS,
        },
      },
      {
        // As in `inspector/tsconfig.json`.
        oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
        test: {
          name: 'page',
          ...HANG_TIMEOUTS,
          environment: 'happy-dom',
          include: ['test/page/**/*.test.tsx'],
          setupFiles: ['test/page/support/new-page.ts'],
        },
      },
      {
        test: {
          name: 'package',
          ...HANG_TIMEOUTS,
          include: ['test/{package,types}/**/*.test.ts'],
          exclude: PROGRAMS,
          globalSetup: ['test/package/consumer.ts'],
        },
      },
      {
        test: {
          name: 'site',
          ...HANG_TIMEOUTS,
          include: ['site/test/**/*.test.ts'],
          globalSetup: ['site/test/build-site.ts'],
        },
      },
      {
        test: {
          name: 'doctor',
          include: ['test/doctor/**/*.test.ts'],
          exclude: PROGRAMS,
          ...SERVER_TIMEOUTS,
        },
      },
      {
        test: {
          name: 'programs',
          include: PROGRAMS,
          globalSetup: ['test/package/consumer.ts'],
          ...SERVER_TIMEOUTS,
        },
      },
      {
        test: {
          name: 'conformance',
          include: ['test/conformance/**/*.test.ts'],
          globalSetup: ['test/support/node/fixture-setup.ts'],
          ...SERVER_TIMEOUTS,
        },
      },
      {
        test: {
          name: 'clients',
          include: ['test/clients/**/*.test.ts'],
          globalSetup: ['test/support/node/fixture-setup.ts'],
          ...SERVER_TIMEOUTS,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/browser/chromium-setup.ts'],
          ...SERVER_TIMEOUTS,
          // Where there is no browser, one is installed.
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'faults',
          include: ['test/{faults,attacks,soak}/**/*.test.ts', 'test/support/node/**/*.test.ts'],
          ...SERVER_TIMEOUTS,
        },
      },
      {
        test: {
          name: 'upgrade',
          include: ['test/upgrade/**/*.test.ts'],
          ...SERVER_TIMEOUTS,
        },
      },
    ],
  },
})
