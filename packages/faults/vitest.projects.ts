import { inNode } from '../../test/support/node/projects.ts'

export default [inNode('fault-catalogue', { include: ['packages/faults/test/*.test.ts'] })]
