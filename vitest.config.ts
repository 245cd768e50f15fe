/** Every test, as one project per kind of place it runs in. */
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

const runtime = {
  compatibilityDate: '2026-11-01',
  compatibilityFlags: ['enable_request_signal'],
  durableObjects: {
    MCP_ACCOUNT: { className: 'McpAccount', useSQLite: true },
    ACCOUNT_SHORT_GRANTS: { className: 'ShortGrantsAccount', useSQLite: true },
    ACCOUNT_SHORT_REFRESH_TOKENS: { className: 'ShortRefreshTokensAccount', useSQLite: true },
    ACCOUNT_THREE_GRANTS: { className: 'ThreeGrantsAccount', useSQLite: true },
    ACCOUNT_LOW_CAPS: { className: 'LowCapsAccount', useSQLite: true },
    MCP_HUB: { className: 'McpHub', useSQLite: true },
    MCP_KEYRING: { className: 'McpKeyring', useSQLite: true },
    MCP_SESSION: { className: 'McpSession', useSQLite: true },
  },
}

export default defineConfig({
  test: {
    // Most files wait for something else than the processor.
    maxWorkers: 2,
    projects: [
      {
        plugins: [cloudflareTest({ main: './test/support/worker.ts', miniflare: runtime })],
        test: {
          name: 'workers',
          include: [
            'test/{platform,protocol,server,dispatch,transport,auth,security,telemetry,durable-objects}/**/*.test.ts',
          ],
        },
      },
      {
        plugins: [cloudflareTest({ wrangler: { configPath: './wrangler.toml' } })],
        test: { name: 'examples', include: ['test/examples/**/*.test.ts'] },
      },
      { test: { name: 'node', include: ['test/*.test.ts'] } },
      { test: { name: 'package', include: ['test/{package,types}/**/*.test.ts'] } },
      {
        test: {
          name: 'conformance',
          include: ['test/conformance/**/*.test.ts'],
          globalSetup: ['test/support/node/fixture-setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'clients',
          include: ['test/clients/**/*.test.ts'],
          globalSetup: ['test/support/node/fixture-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/browser/chromium-setup.ts'],
          testTimeout: 60_000,
          // Where there is no browser, one is installed.
          hookTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'faults',
          include: ['test/{faults,attacks}/**/*.test.ts', 'test/support/node/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
