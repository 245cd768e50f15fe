import { inNode, inWorkerd } from '../../test/support/node/projects.ts'

export default [
  inWorkerd('code', { include: ['packages/code/test/{code,search}/**/*.test.ts'] }),
  inNode('ranking', { include: ['packages/code/test/ranking/*.test.ts'] }),
]
