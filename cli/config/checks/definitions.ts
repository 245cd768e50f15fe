/** Check: the limits of clients on tools, and the scopes. */
import { type Detected, detected } from '../../doctor/detected.ts'
import { toolFaults } from '../../doctor/steps/tools.ts'
import { printable } from '../../doctor/text.ts'
import type { ProjectObservations } from '../project-observations.ts'

const MAX_NAMED = 3

/** The definitions are those of every environment. */
export function definitionFaults({ worker }: ProjectObservations): readonly Detected[] {
  return (worker?.apps ?? []).flatMap(({ tools = [], auth, scoped }) => {
    const faults: Detected[] = [...toolFaults(tools)]
    if (auth === undefined && scoped.length > 0) {
      const named = scoped.slice(0, MAX_NAMED).map((text) => printable(text))
      const more = scoped.length > MAX_NAMED ? ` and ${scoped.length - MAX_NAMED} more` : ''
      faults.push(detected('scope-without-authorization', `${named.join(', ')}${more}`))
    }
    return faults
  })
}
