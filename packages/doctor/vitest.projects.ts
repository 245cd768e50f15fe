import { withServers } from '../../test/support/node/projects.ts'

const ALL = 'packages/doctor/test/**/*.test.ts'

/** Tests that wait for many programs: servers of other folders, and a run of wrangler for each fault. */
const PROGRAMS =
  'packages/doctor/test/{our-projects,our-servers,planted-projects,project,several-servers,timeline}.test.ts'

export default [
  withServers('doctor', { include: [ALL], exclude: [PROGRAMS] }),
  withServers('doctor-programs', {
    include: [PROGRAMS],
    globalSetup: ['test/tarball/consumer.ts'],
  }),
]
