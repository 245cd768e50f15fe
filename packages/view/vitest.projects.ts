import { inNode, withServers } from '../../test/support/node/projects.ts'

export default [
  inNode('view', { include: ['packages/view/test/*.test.ts'] }),
  withServers(
    'view-browser',
    {
      include: ['packages/view/test/browser/**/*.test.ts'],
      globalSetup: ['test/browser/chromium-setup.ts'],
    },
    // Where there is no browser, one is installed.
    { hookTimeout: 600_000 },
  ),
]
