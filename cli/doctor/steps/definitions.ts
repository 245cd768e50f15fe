/** Step: the client shows the tools to its model and makes its first call. */
import type { Step } from '../detected.ts'
import { entriesOf } from '../probes/lists.ts'
import { callFaults } from './call.ts'
import { definitionsOf } from './era.ts'
import { toolFaults } from './tools.ts'
import { viewFaults } from './views.ts'

export const definitions: Step = {
  title: 'calls a tool',
  check: (observed, client) => {
    const seen = definitionsOf(observed, client)
    if (seen === undefined) return []
    const { lists, views, call } = seen
    const resources = lists.find(({ method }) => method === 'resources/list')
    return [
      ...toolFaults(entriesOf(lists[0])),
      ...viewFaults(views, resources),
      ...(call === undefined ? [] : callFaults(call, observed)),
    ]
  },
}
