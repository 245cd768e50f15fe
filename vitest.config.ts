/** Every test, as one project per kind of place it runs in. */
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      {
        plugins: [cloudflareTest({ wrangler: { configPath: './wrangler.toml' } })],
        test: {
          name: 'workers',
          include: [
            'test/{protocol,server,dispatch,transport,security,telemetry,examples}/**/*.test.ts',
            'test/*.workers.test.ts',
          ],
        },
      },
      {
        test: { name: 'node', include: ['test/{architecture,types,package,scripts}*/**/*.test.ts', 'test/*.node.test.ts'] },
      },
      { test: { name: 'conformance', include: ['test/conformance/**/*.test.ts'], testTimeout: 120_000 } },
      { test: { name: 'clients', include: ['test/clients/**/*.test.ts'], testTimeout: 60_000 } },
      { test: { name: 'faults', include: ['test/faults/**/*.test.ts'], testTimeout: 120_000 } },
    ],
  },
})
