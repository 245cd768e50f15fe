import { inNode } from '../../test/support/node/projects.ts'

export default [
  inNode('site', {
    include: ['packages/site/test/**/*.test.ts'],
    globalSetup: ['packages/site/test/build-site.ts'],
  }),
]
