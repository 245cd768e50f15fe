import { inNode, inWorkerd } from '../../test/support/node/projects.ts'

const TIMERS = ['packages/testing/test/subscription.test.ts']
const GUIDE = ['packages/testing/test/testing-guide.test.ts']

export default [
  inWorkerd('testing', {
    include: ['packages/testing/test/**/*.test.ts'],
    exclude: [...TIMERS, ...GUIDE],
  }),
  inWorkerd('testing-timers', { include: TIMERS }),
  inNode('testing-guide', { include: GUIDE }),
]
