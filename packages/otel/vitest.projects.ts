import { inWorkerd } from '../../test/support/node/projects.ts'

export default [inWorkerd('otel', { include: ['packages/otel/test/**/*.test.ts'] })]
