import { inWorkerd, withServers } from '../../test/support/node/projects.ts'

export default [
  inWorkerd('inspector', {
    include: ['packages/inspector/test/{inspect,timeline,objects}/**/*.test.ts'],
  }),
  {
    // As in `page/tsconfig.json`.
    oxc: { jsx: { runtime: 'automatic' as const, importSource: 'preact' } },
    test: {
      name: 'page',
      testTimeout: 60_000,
      environment: 'happy-dom',
      include: ['packages/inspector/test/page/**/*.test.tsx'],
      setupFiles: ['packages/inspector/test/page/support/new-page.ts'],
    },
  },
  withServers('inspector-faults', { include: ['packages/inspector/test/faults/**/*.test.ts'] }),
  withServers(
    'inspector-browser',
    {
      include: ['packages/inspector/test/browser/**/*.test.ts'],
      globalSetup: ['test/browser/chromium-setup.ts'],
    },
    // Where there is no browser, one is installed.
    { hookTimeout: 600_000 },
  ),
]
