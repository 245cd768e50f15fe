/** Step: the client shows the tools to its model and makes its first call. */
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { quoted, textOf } from '../../../../text/src/quoted.ts'
import { type Detected, detected, type Step } from '../detected.ts'
import { type DefinitionsObservation, entriesOf, type ListObservation } from '../probes/lists.ts'
import { callFaults } from './call.ts'
import { definitionsOf, isModern } from './era.ts'
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
      ...faultsOf(lists[0]),
      ...orderFaults(seen),
      ...viewFaults(views, resources),
      ...(call === undefined ? [] : callFaults(call, observed, isModern(observed, client))),
    ]
  },
}

/** Every client of an era reads the same list, which may be long. */
const known = new WeakMap<ListObservation, readonly Detected[]>()

function faultsOf(tools: ListObservation | undefined): readonly Detected[] {
  if (tools === undefined) return []
  const faults = known.get(tools) ?? toolFaults(entriesOf(tools))
  known.set(tools, faults)
  return faults
}

/** A list that has changed between both requests is no fault. */
function orderFaults({ lists: [tools], repeated }: DefinitionsObservation): Detected[] {
  const [page] = tools?.pages ?? []
  if (tools === undefined || page === undefined || repeated === undefined) return []
  const [first, second] = [page, repeated].map((one) => namesOf({ ...tools, pages: [one] }))
  const isSame = first?.join() === second?.join()
  if (isSame || first?.toSorted().join() !== second?.toSorted().join()) return []
  const text = `The tools are ${quoted(first?.join(', '))}, and then ${quoted(second?.join(', '))}`
  return [detected('list-order-changes', text)]
}

const namesOf = (list: ListObservation) =>
  entriesOf(list).map((tool) => textOf(isJsonObject(tool) ? tool.name : ''))
