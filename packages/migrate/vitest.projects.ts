import { inNode } from '../../test/support/node/projects.ts'

export default [inNode('migrate', { include: ['packages/migrate/test/*.test.ts'] })]
