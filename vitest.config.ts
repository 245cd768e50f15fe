/** Every test, as one project per kind of place it runs in: those of the runtime here, those of a package in its folder. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type TestProjectConfiguration } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { FailedFilesReporter } from './scripts/support/failed-files.ts'
import { ensureInspectorPage } from './scripts/support/inspector-page.ts'
import { offerNoCompression } from './scripts/support/uncompressed-sockets.ts'
import { inNode, inWorkerd, sqlite, withServers } from './test/support/node/projects.ts'

await ensureInspectorPage()
offerNoCompression()

// The programs that tests start many times, such as wrangler, spend a third of their processor time on
// compilation without it.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '.wrangler/compile-cache')

/** The examples whose work runs elsewhere, with the Workflows of miniflare. */
const jobs = {
  main: './test/jobs/worker.ts',
  miniflare: {
    compatibilityDate: '2026-11-01',
    compatibilityFlags: ['enable_request_signal'],
    bindings: { EDITOR_TOKEN: 'editor', TRANSCRIBER: 'https://transcriber.example.com' },
    kvNamespaces: ['PAGES'],
    workflows: {
      PUBLICATION: { name: 'publication', className: 'Publication' },
      SCRIPTED: { name: 'scripted', className: 'Scripted' },
    },
    durableObjects: { MCP_OBJECTS: sqlite('McpObjects') },
  },
}

const examples = {
  wrangler: { configPath: './wrangler.toml' },
  // Of `examples/code`.
  miniflare: { workerLoaders: { LOADER: {} } },
}

/** The tests of the guide that need no Durable Objects: definitions also run in plain Node. */
const GUIDE_TESTS = ['tool', 'asking', 'scopes', 'factory', 'clients'].map(
  (name) => `examples/testing/${name}.test.ts`,
)

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
  'test/transport/stalled-stream.test.ts',
]

/** The files that take longest begin first, so that none of them runs alone at the end. */
const LONGEST = [
  'packages/cli/test/follow-skills.test.ts',
  'packages/cli/test/starter.test.ts',
  'test/faults/tasks/long-work.test.ts',
  'packages/inspector/test/browser/inspector-try.test.ts',
  'test/upgrade/without-features.test.ts',
  'packages/inspector/test/browser/hostile-notes.test.ts',
  'packages/doctor/test/our-projects.test.ts',
  'packages/publish/test/contract/command.test.ts',
  'test/upgrade/gradual-deployment.test.ts',
  'test/support/node/suite-events.test.ts',
  'test/upgrade/golden-states.test.ts',
  'packages/doctor/test/planted.test.ts',
  'packages/publish/test/directories/planted-servers.test.ts',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      LONGEST.some((file) => moduleId.endsWith(`/${file}`))
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

/** The projects of the packages that exist: `npm run without` removes some. */
async function projectsOfPackages(): Promise<TestProjectConfiguration[]> {
  const files = globSync('packages/*/vitest.projects.ts', { cwd: import.meta.dirname }).sort()
  const modules = await Promise.all(files.map((file) => import(join(import.meta.dirname, file))))
  return modules.flatMap((module) => module.default)
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
      inWorkerd('workers', {
        include: [
          'test/{platform,protocol,server,dispatch,transport,scenarios,auth,security,telemetry,rate-limits,feature,discovery,servers,durable-objects,property,context}/**/*.test.ts',
        ],
        exclude: FAKE_TIMERS,
      }),
      inWorkerd('timers', { include: FAKE_TIMERS }),
      inWorkerd('jobs', { include: ['test/jobs/**/*.test.ts'] }, jobs),
      inWorkerd(
        'examples',
        {
          include: ['test/examples/**/*.test.ts', 'examples/testing/*.test.ts'],
          globalSetup: ['test/support/node/docs-content.ts'],
        },
        examples,
      ),
      inNode('examples-node', { include: GUIDE_TESTS }),
      inNode('node', { include: ['test/*.test.ts', 'test/schemas/*.test.ts'] }),
      inNode('tarball', {
        include: ['test/{tarball,types}/**/*.test.ts'],
        exclude: ['test/tarball/use.test.ts'],
        globalSetup: ['test/tarball/consumer.ts'],
      }),
      withServers('tarball-programs', {
        include: ['test/tarball/use.test.ts'],
        globalSetup: ['test/tarball/consumer.ts'],
      }),
      withServers('conformance', {
        include: ['test/conformance/**/*.test.ts'],
        globalSetup: ['test/support/node/fixture-setup.ts'],
      }),
      withServers('clients', {
        include: ['test/clients/**/*.test.ts'],
        globalSetup: ['test/support/node/fixture-setup.ts'],
      }),
      withServers(
        'browser',
        {
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/browser/chromium-setup.ts'],
        },
        // Where there is no browser, one is installed.
        { hookTimeout: 600_000 },
      ),
      withServers('faults', {
        include: ['test/{faults,attacks,soak}/**/*.test.ts', 'test/support/node/**/*.test.ts'],
      }),
      withServers('upgrade', { include: ['test/upgrade/**/*.test.ts'] }),
      ...(await projectsOfPackages()),
    ],
  },
})
