import { inNode, inWorkerd, withServers } from '../../test/support/node/projects.ts'

const IN_NODE = ['packages/events/test/{event-rows,events-guide}.test.ts']
const FAULTS = ['packages/events/test/faults/**/*.test.ts']

export default [
  inWorkerd('events', {
    include: ['packages/events/test/**/*.test.ts'],
    exclude: [...IN_NODE, ...FAULTS],
  }),
  inNode('events-node', { include: IN_NODE }),
  withServers('events-faults', { include: FAULTS }),
]
