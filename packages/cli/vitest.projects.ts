import { inNode, withServers } from '../../test/support/node/projects.ts'

/** Tests that wait for many programs, such as installations and servers of other folders. */
const PROGRAMS = 'packages/cli/test/{starter,follow-skills,admin-answers,admin-command}.test.ts'
const OF_THE_PACKAGE = 'packages/cli/test/{skills,skill-files}.test.ts'

export default [
  inNode('cli', {
    include: ['packages/cli/test/*.test.ts'],
    exclude: [PROGRAMS, OF_THE_PACKAGE],
  }),
  inNode('cli-package', {
    include: [OF_THE_PACKAGE],
    globalSetup: ['test/tarball/consumer.ts'],
  }),
  withServers('cli-programs', {
    include: [PROGRAMS],
    globalSetup: ['test/tarball/consumer.ts', 'test/browser/chromium-setup.ts'],
  }),
]
