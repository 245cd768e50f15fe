import { inNode, withServers } from '../../test/support/node/projects.ts'

const SERVERS = 'packages/publish/test/{directories/**/*,server-json,submit-command}.test.ts'
const PROGRAMS = 'packages/publish/test/{contract/command,submissions,server-json-command}.test.ts'

export default [
  inNode('publish', {
    include: ['packages/publish/test/**/*.test.ts'],
    exclude: [SERVERS, PROGRAMS],
  }),
  withServers('publish-servers', { include: [SERVERS] }),
  withServers('publish-programs', {
    include: [PROGRAMS],
    globalSetup: ['test/tarball/consumer.ts'],
  }),
]
