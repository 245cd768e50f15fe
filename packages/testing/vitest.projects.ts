import { resolve } from 'node:path'
import { inNode, inWorkerd } from '../../test/support/node/projects.ts'

const TIMERS = ['packages/testing/test/subscription.test.ts']
const GUIDE = ['packages/testing/test/testing-guide.test.ts']
const VIEWS = ['packages/testing/test/open-view.test.ts', 'examples/report/views/*.test.tsx']

const sourceOf = (path: string) => resolve(import.meta.dirname, '..', path)

export default [
  inWorkerd('testing', {
    include: ['packages/testing/test/**/*.test.ts'],
    exclude: [...TIMERS, ...GUIDE, ...VIEWS],
  }),
  inWorkerd('testing-timers', { include: TIMERS }),
  inNode('testing-guide', { include: GUIDE }),
  {
    oxc: { jsx: { runtime: 'automatic' as const, importSource: 'preact' } },
    resolve: {
      alias: {
        'edgeway/view/preact': sourceOf('view/src/preact.ts'),
        'edgeway/view': sourceOf('view/src/index.ts'),
        'edgeway/testing': sourceOf('testing/src/index.ts'),
      },
    },
    test: {
      name: 'testing-views',
      testTimeout: 60_000,
      expect: { poll: { timeout: 30_000 } },
      environment: 'happy-dom',
      include: VIEWS,
    },
  },
]
