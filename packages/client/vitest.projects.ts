import { inWorkerd } from '../../test/support/node/projects.ts'

export default [inWorkerd('client', { include: ['packages/client/test/**/*.test.ts'] })]
