import { inWorkerd } from '../../test/support/node/projects.ts'

export default [inWorkerd('openapi', { include: ['packages/openapi/test/**/*.test.ts'] })]
